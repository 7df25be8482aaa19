"""The model's decisions for a broker, by its facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.facts.limits import MORE_LIMITS, SHARE_LIMITS
from spec.fetch.releases import FetchSemantics
from spec.frozen import replace
from spec.groups.releases import DOWNGRADING, MIGRATION_POLICY, GroupSemantics
from spec.limits.releases import LimitSemantics
from spec.offsets.releases import OffsetSemantics
from spec.releases import semantics_for
from spec.segments.releases import SegmentSemantics
from spec.share.model.settings import BOUNDED_BY
from spec.share.releases import GroupConfigBounds, ShareSemantics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.facts.asking import Facts
    from spec.semantics import Semantics


def semantics_of(facts: Facts) -> Semantics:
    """The model's decisions for this broker: those of the release, with the broker's own limits.

    The versions of Fetch, ListOffsets and share requests are the release's, whatever more is
    advertised; a broker that advertises fewer is only asked those.
    """
    semantics = semantics_for(facts.release)
    if facts.newest_list_offsets is not None:
        newest = min(semantics.of(OffsetSemantics).newest_list_offsets, facts.newest_list_offsets)
        semantics = semantics.with_decisions(OffsetSemantics, newest_list_offsets=newest)
    fetch, share = semantics.of(FetchSemantics), semantics.of(ShareSemantics)
    for name, (kind, decision, known) in MORE_LIMITS.items():
        if name in facts.more_limits:
            semantics = semantics.with_decisions(kind, **{decision: facts.more_limits[name]})
        else:
            semantics = semantics.with_decisions(kind, **{known: False})
    return (
        semantics.with_decisions(LimitSemantics, brokers=facts.brokers)
        .with_decisions(
            GroupSemantics,
            broker=tuple(facts.group_settings.items()),
            downgrades=facts.shown.get(f"config.{MIGRATION_POLICY}", "").lower() in DOWNGRADING,
        )
        .with_decisions(SegmentSemantics, fetch_max_bytes=facts.fetch_max_bytes)
        .with_decisions(
            FetchSemantics,
            oldest_fetch=max(fetch.oldest_fetch, facts.oldest_fetch),
            newest_fetch=min(fetch.newest_fetch, facts.newest_fetch),
            advertised=(facts.oldest_fetch, facts.newest_fetch),
            fetch_max_bytes=facts.fetch_max_bytes,
            session_slots=(
                fetch.session_slots if facts.session_slots is None else facts.session_slots
            ),
            quota_window_s=(
                fetch.quota_window_s if facts.quota_window_s is None else facts.quota_window_s
            ),
            knows_quota_window=facts.quota_window_s is not None,
        )
        .with_part(
            _share_of(
                replace(
                    _in_versions(share, facts.share_versions),
                    fetch_max_bytes=facts.fetch_max_bytes,
                ),
                facts.share_limits,
            )
        )
    )


def _in_versions(share: ShareSemantics, advertised: tuple[int, int] | None) -> ShareSemantics:
    """Share requests in the release's versions that the broker advertises; in the release's where
    it advertises none of them.
    """
    low, high = advertised or (share.oldest_fetch, share.newest_fetch)
    low, high = max(low, share.oldest_fetch), min(high, share.newest_fetch)
    return replace(share, oldest_fetch=low, newest_fetch=high) if low <= high else share


def _share_of(share: ShareSemantics, limits: Mapping[str, int]) -> ShareSemantics:
    settings = {ours: limits[name] for name, ours in SHARE_LIMITS.items() if name in limits}
    bounds = [_bounds_of(one, limits) for one in share.group_configs]
    return replace(share, **settings, group_configs=tuple(bounds))  # type: ignore[arg-type]


def _bounds_of(unchanged: GroupConfigBounds, limits: Mapping[str, int]) -> GroupConfigBounds:
    """The bounds of a group config on this broker; those that nobody says are not known."""
    ending = BOUNDED_BY[unchanged.key]
    low, high = limits.get(f"group.share.min.{ending}"), limits.get(f"group.share.max.{ending}")
    return GroupConfigBounds(
        unchanged.key,
        unchanged.low if low is None else low,
        unchanged.high if high is None else high,
        knows_low=low is not None,
        knows_high=high is not None,
    )
