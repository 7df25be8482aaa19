"""The loop over histories of groups: batch by batch they are drawn, played side by side under one
limit, and judged.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from conformance.engine.asking import Ask, Origin
from conformance.engine.batch_loop import BatchLoop
from conformance.subjects.groups import own_settings as own_kinds
from conformance.subjects.groups.broker_player import GroupBrokerPlayer
from generators.groups.classic import classic_histories
from generators.groups.committing import committing_histories
from generators.groups.migrating import mixed_histories, upgraded_histories
from generators.groups.named import (
    consumer_histories,
    named_histories,
    share_histories,
    streams_histories,
)
from generators.groups.relations import group_relations
from generators.groups.restarting import (
    heartbeats_in_phases,
    histories_past_each_session,
    loaded_histories,
    restart_histories,
)
from spec.groups.examples import NO_RECORDS
from spec.groups.releases import GroupSemantics
from spec.groups.steps import RestartWith, StreamsGroupHeartbeat
from spec.groups.waiting import waited_ms
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from conformance.engine.play_result import Played
    from conformance.engine.player import Config
    from conformance.subjects.groups.own_settings import OwnSettings
    from spec.events import Event

SHRINK_CALLS = 25
"""Replays that shrinking one break may take: each takes as long as its history waits."""

OUTLASTING_EVERY = 8
"""On a broker that keeps its own settings, one batch in so many, the second one first, waits until
sessions are over.
"""


def strategies(semantics: GroupSemantics) -> tuple[SearchStrategy[Scenario], ...]:
    """The drawn histories of a release, in turn; those under one limit follow each other, since
    another one takes a restart.
    """
    return (
        classic_histories(2),
        named_histories(2),
        *([streams_histories(2)] if semantics.streams else []),
        classic_histories(2),
        classic_histories(3),
        restart_histories(3, 2),
        classic_histories(2),
        named_histories(2),
        classic_histories(2, 300),
        classic_histories(1),
        mixed_histories(),
        upgraded_histories(),
        histories_past_each_session(),
        loaded_histories(),
        committing_histories(),
        heartbeats_in_phases(),
    )


def strategies_under(
    own: OwnSettings, semantics: GroupSemantics
) -> tuple[SearchStrategy[Scenario], ...]:
    """The drawn histories for a broker that keeps its own settings: of the kinds of group whose
    limits are known, about the limit where it is small enough.
    """
    there = {kind for kind in own_kinds.NEEDED if not own.lacks(kind)}
    found: list[SearchStrategy[Scenario]] = []
    if own_kinds.CLASSIC in there:
        found += [
            classic_histories(own.near(own_kinds.CLASSIC) or size, elsewhere=True)
            for size in (2, 3)
        ]
    if own_kinds.CONSUMER in there:
        found.append(consumer_histories(own.near(own_kinds.CONSUMER) or 2))
    if own_kinds.SHARE in there:
        found.append(share_histories(own.near(own_kinds.SHARE) or 2))
    if own_kinds.STREAMS in there and semantics.streams:
        found.append(streams_histories(own.near(own_kinds.STREAMS) or 2))
    if {own_kinds.CLASSIC, own_kinds.CONSUMER} <= there:
        found += [mixed_histories(), upgraded_histories(), committing_histories()]
    return tuple(found)


def histories_under(own: OwnSettings, semantics: GroupSemantics) -> SearchStrategy[Scenario]:
    """All of them mixed, since none needs a restart: a short run meets each kind of group."""
    return st.one_of(strategies_under(own, semantics))


def outlasting_histories(own: OwnSettings) -> SearchStrategy[Scenario] | None:
    """Histories that wait until sessions of a broker with its own settings are over; None where it
    takes none that can be outlasted.
    """
    if own.lacks(own_kinds.CLASSIC) or not own.sessions_ms:
        return None
    return st.one_of(
        histories_past_each_session(own.sessions_ms), heartbeats_in_phases(own.sessions_ms)
    )


class GroupLoop(BatchLoop):
    """One run on group sizes; see `Loop`."""

    subject = "groups"
    batch = 48
    small_batch = 8
    """Fewer are not worth the restarts that most batches begin with."""

    def _parts(self) -> Iterator[Event]:
        yield from self._report_layout(NO_RECORDS)
        yield from super()._parts()

    def _play_known(self, scenarios: Sequence[Scenario], family: str) -> Iterator[Event]:
        """Play those together that agree on their settings, in an order that takes few restarts."""
        alike: dict[tuple[Config, tuple[Config, ...]], list[Ask]] = defaultdict(list)
        for scenario in scenarios:
            after = [step.config for step in scenario.steps if isinstance(step, RestartWith)]
            alike[scenario.config, tuple(after)].append(
                Ask(scenario, family, self._relations(scenario))
            )
        fewest_restarts = sorted(
            sorted(alike, key=lambda settings: len(settings[1])),
            key=lambda settings: settings[0],
            reverse=True,
        )
        for settings in fewest_restarts:
            yield from self._play_and_judge(alike[settings])

    def _worked_examples(self) -> list[Scenario]:
        """The worked examples of what the release has."""
        streams = self.player.semantics.of(GroupSemantics).streams
        return [
            one
            for one in super()._worked_examples()
            if (streams or not any(isinstance(step, StreamsGroupHeartbeat) for step in one.steps))
            and not self._unplayable(one)
        ]

    def _corpus_scenarios(self) -> list[Scenario]:
        """Those of the corpus that the broker's settings let be played."""
        return [one for one in super()._corpus_scenarios() if not self._unplayable(one)]

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        semantics = self.player.semantics.of(GroupSemantics)
        own = self._own
        if own is not None:
            outlasting = outlasting_histories(own) if number % OUTLASTING_EVERY == 1 else None
            return histories_under(own, semantics) if outlasting is None else outlasting
        every = strategies(semantics)
        return every[number % len(every)]

    def _batch_size(self) -> int:
        """So many that a run of some 200 scenarios meets each kind of history, as far as it can;
        where the broker keeps its settings, all kinds are mixed in a batch.
        """
        if self._own is not None:
            return self.batch
        drawn = self.plan.scenarios - len(set(self._worked_examples()))
        kinds = len(strategies(self.player.semantics.of(GroupSemantics)))
        return min(self.batch, max(self.small_batch, drawn // kinds))

    @property
    def _own(self) -> OwnSettings | None:
        """The settings of a broker that keeps its own."""
        return self.player.own if isinstance(self.player, GroupBrokerPlayer) else None

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return group_relations(scenario)

    def _waited_ms(self, played: Played) -> float:
        return waited_ms(played.scenario, played.observation)

    def _shrink_calls(self, origin: Origin) -> int:
        broken = origin.drawn[origin.index]
        assert isinstance(broken, Scenario)
        return (
            SHRINK_CALLS // 8
            if any(isinstance(step, RestartWith) for step in broken.steps)
            else SHRINK_CALLS
        )
