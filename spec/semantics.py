"""All named decisions of the model in one frozen record.

A Kafka release, a reading of an ambiguous text and a planted fault are each a small function from Semantics to Semantics;
no rule asks for a version.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from spec.fetch.hook import FetchHook
from spec.groups.releases import GROUP_RELEASES, GroupSemantics
from spec.kafka import OLDEST_FETCH
from spec.share.releases import SHARE_RELEASES, ShareSemantics


class Crossing(StrEnum):
    """What is sent of the batch that a byte limit falls into, after at least one whole batch (FET-102)."""

    CUT = "cut"
    """Its first bytes, up to the limit."""
    LEFT_OUT = "left_out"
    """Nothing."""


class AbortedExtent(StrEnum):
    """How far the list of aborted transactions reaches past the returned records (FET-052)."""

    RETURNED = "returned"
    """Transactions that overlap the returned offsets."""
    INDEXED = "indexed"
    """Up to the next entry of the offset index, the next segment or the end, whichever comes first."""


class Progress(StrEnum):
    """Which partitions of an answer may pass their limit by a first batch (FET-004)."""

    FIRST = "first"
    EVERY = "every"
    NONE = "none"


class StableBelowStart(StrEnum):
    """The last stable offset that is told where the log start lies past the first offset of an open transaction (FET-172)."""

    LOG_START = "log_start"
    BATCH_BASE = "batch_base"
    """The base offset of the batch that the log start lies in."""


@dataclass(frozen=True, slots=True)
class Semantics:
    """What the model does wherever it could do otherwise.

    Attributes:
        release: the Kafka release, `4.3`.
        oldest_fetch, newest_fetch: the Fetch versions that are answered.
        fetch_max_bytes: the broker's `fetch.max.bytes` (FET-018).
        quota_window_s: the broker's `quota.window.num` less one, times its `quota.window.size.seconds` (FET-017).
        session_slots: the broker's `max.incremental.fetch.session.cache.slots` (FET-037).
        crossing: see `Crossing`.
        aborted_extent: see `AbortedExtent`.
        progress: see `Progress`.
        share: the decisions about share groups.
        groups: the decisions about group sizes.
        stable_below_start: see `StableBelowStart`.
        fetch_hook: what a draft changes of how fetches are answered; None in every release.
    """

    release: str = "4.3"
    oldest_fetch: int = OLDEST_FETCH
    newest_fetch: int = 18
    fetch_max_bytes: int = 57671680
    quota_window_s: int = 10
    session_slots: int = 1000
    crossing: Crossing = Crossing.CUT
    aborted_extent: AbortedExtent = AbortedExtent.INDEXED
    progress: Progress = Progress.FIRST
    share: ShareSemantics = field(default_factory=ShareSemantics)
    groups: GroupSemantics = field(default_factory=GroupSemantics)
    stable_below_start: StableBelowStart = StableBelowStart.BATCH_BASE
    fetch_hook: FetchHook | None = None


Change = Callable[[Semantics], Semantics]
"""A release, a reading or a planted fault."""


def _release(name: str, newest_fetch: int) -> Change:
    return lambda semantics: replace(
        semantics, release=name, newest_fetch=newest_fetch, share=SHARE_RELEASES[name], groups=GROUP_RELEASES[name]
    )


RELEASES: Mapping[str, Change] = {
    "4.0": _release("4.0", newest_fetch=17),
    "4.1": _release("4.1", newest_fetch=18),
    "4.2": _release("4.2", newest_fetch=18),
    "4.3": _release("4.3", newest_fetch=18),
    "4.4": _release("4.4", newest_fetch=18),
}
"""The releases that the catalogue speaks of, by `major.minor` (FET-040)."""


def semantics_for(release: str) -> Semantics:
    """The semantics of a release.

    Raises:
        KeyError: for a release that the catalogue does not speak of.
    """
    return RELEASES[release](Semantics())
