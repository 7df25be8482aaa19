"""The settings for groups of a broker that can't be started with others, and which histories they
let be played on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.groups.constants import SESSIONS_MS
from spec.frozen import frozen, replace
from spec.groups.bounds import CONFIGS
from spec.groups.releases import (
    CLASSIC_LIMIT,
    CONSUMER_LIMIT,
    INITIAL_DELAY,
    MAX_SESSION,
    MIN_SESSION,
    NAMED_SESSIONS,
    SHARE_LIMIT,
    STREAMS_LIMIT,
    GroupSemantics,
)
from spec.groups.steps import (
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    Heartbeat,
    JoinGroup,
    RestartWith,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.wire.negotiation import ApiVersions
    from spec.scenario import Scenario
    from spec.semantics import Semantics
    from spec.steps import Step

CLASSIC, CONSUMER, SHARE, STREAMS = "classic", "consumer", "share", "streams"
NEEDED: Mapping[str, tuple[str, ...]] = {
    CLASSIC: (CLASSIC_LIMIT, INITIAL_DELAY),
    CONSUMER: (CONSUMER_LIMIT,),
    SHARE: (SHARE_LIMIT,),
    STREAMS: (STREAMS_LIMIT,),
}
"""The settings without which nothing can be said of a kind of group."""
FEATURES: Mapping[str, str] = {
    CONSUMER: "group.version",
    SHARE: "share.version",
    STREAMS: "streams.version",
}
"""The feature that turns a kind of group on, where a cluster supports it."""
KAFKAS_MIN_SESSION_MS, KAFKAS_MAX_SESSION_MS = 6_000, 1_800_000
"""Taken where the broker does not say which sessions of classic members it takes."""
LASTING_SESSION_MS = 30_000
"""A session of members that name themselves, which no history outlasts."""
LONGEST_OUTLASTED_MS = 10_000
"""The longest session of a classic member that histories outlast."""
LONGEST_DELAY_MS = 6_000
"""The longest first join phase that histories wait for."""
NEAR = 5
"""The largest limit that histories come up to."""
_STEPS: Mapping[type, str] = {
    JoinGroup: CLASSIC,
    SyncGroup: CLASSIC,
    Heartbeat: CLASSIC,
    ConsumerGroupHeartbeat: CONSUMER,
    ShareGroupHeartbeat: SHARE,
    StreamsGroupHeartbeat: STREAMS,
}


@frozen
class OwnSettings:
    """The settings of a broker that someone else started.

    Attributes:
        known: by Kafka's names, as far as the broker reports them or a facts file gives them.
        turned_off: the kinds of group that the cluster supports and has not turned on.
    """

    known: Mapping[str, int]
    turned_off: frozenset[str] = frozenset()

    @property
    def config(self) -> tuple[tuple[str, str], ...]:
        """Those of them that a scenario has, as its configs."""
        return tuple([(key, str(self.known[key])) for key in CONFIGS if key in self.known])

    @property
    def sessions_ms(self) -> tuple[int, ...]:
        """The sessions of classic members that a history can outlast; none where the broker takes
        none that is so short.
        """
        least = self.known.get(MIN_SESSION, KAFKAS_MIN_SESSION_MS)
        if least <= min(SESSIONS_MS):
            return SESSIONS_MS
        return (least,) if least <= LONGEST_OUTLASTED_MS else ()

    def near(self, *kinds: str) -> int | None:
        """The least limit of these kinds of group, if histories come up to it; None otherwise."""
        least = min([self.known[NEEDED[kind][0]] for kind in kinds])
        return least if least <= NEAR else None

    def with_settings(self, scenario: Scenario) -> Scenario:
        """A scenario as it is judged here."""
        return replace(scenario, config=self.config)

    def unplayable(self, scenario: Scenario) -> str:
        """Why a scenario can't be played here; empty where it can."""
        return next((why for step in scenario.steps if (why := self._refuses(step))), "")

    def lacks(self, kind: str) -> str:
        """Why no group of a kind can be asked about; empty where it can."""
        for key in NEEDED[kind]:
            if key not in self.known:
                return (
                    f"{kind} groups: the broker does not report {key}; a facts file (--facts) can "
                    "give it"
                )
        if kind in self.turned_off:
            return f"{kind} groups: the cluster has not turned on {FEATURES[kind]}"
        if kind == CLASSIC and self.known[INITIAL_DELAY] > LONGEST_DELAY_MS:
            return (
                f"{kind} groups: the first join phase takes {self.known[INITIAL_DELAY]} ms "
                f"({INITIAL_DELAY}), expected at most {LONGEST_DELAY_MS} ms"
            )
        session = NAMED_SESSIONS.get(kind, "")
        if self.known.get(session, LASTING_SESSION_MS) < LASTING_SESSION_MS:
            return (
                f"{kind} groups: members stay for {self.known[session]} ms without being heard of "
                f"({session}), expected at least {LASTING_SESSION_MS} ms"
            )
        return ""

    def _refuses(self, step: Step) -> str:
        if isinstance(step, RestartWith):
            return "a restart with other settings takes a broker that Fencepost starts itself"
        if isinstance(step, AlterBrokerConfig):
            return "the settings of a broker that Fencepost has not started are left alone"
        if isinstance(step, JoinGroup):
            low = self.known.get(MIN_SESSION, KAFKAS_MIN_SESSION_MS)
            high = self.known.get(MAX_SESSION, KAFKAS_MAX_SESSION_MS)
            if not low <= step.session_ms <= high:
                return f"the broker takes sessions from {low} to {high} ms alone ({MIN_SESSION})"
        kind = _STEPS.get(type(step))
        return "" if kind is None else self.lacks(kind)


def own_settings(semantics: Semantics, versions: ApiVersions | None = None) -> OwnSettings:
    """The settings that a broker is judged by; `versions` is what it advertises."""
    known = {
        name: value
        for name, value in semantics.of(GroupSemantics).broker
        if name not in CONFIGS or CONFIGS[name].low <= value <= CONFIGS[name].high
    }
    return OwnSettings(known, frozenset(_turned_off(versions)) if versions else frozenset())


def without_restart(semantics: Semantics) -> str:
    """Why a broker that can't be restarted can't be asked about groups; empty where it can."""
    own = own_settings(semantics)
    if not all(own.lacks(kind) for kind in NEEDED):
        return ""
    return (
        f"expected the broker to report its size limits ({CLASSIC_LIMIT} with {INITIAL_DELAY}, "
        f"{CONSUMER_LIMIT}, {SHARE_LIMIT}), found none; give them in a facts file (--facts), or "
        "test a broker that is started here (--kafka)"
    )


def _turned_off(versions: ApiVersions) -> Iterator[str]:
    for kind, feature in FEATURES.items():
        finalized = versions.finalized.get(feature, (0, 0))[1]
        if feature in versions.supported and versions.finalized_epoch >= 0 and finalized < 1:
            yield kind
