"""Players: they play scenarios and judge them, on a broker or on the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from conformance.engine.play_result import Confirmation, Played
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.wire.outcomes import NoAnswer, NotConnected
from conformance.wire.sizing import NoSuchBatchError
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen, replace
from spec.judge import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.placement.placed_partition import Placed
    from spec.fetch.steps import Fetch
    from spec.layout import Layout
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics

Config = tuple[tuple[str, str], ...]
"""Broker configs by Kafka's names."""
REPLAYS = 2
"""How often a break that may be the clock's or the network's is played again."""


@frozen
class Omission:
    """Something that a player left out of what it played.

    Attributes:
        reason: what, and why.
        clauses: ids of the clauses that it may have exercised.
        times: how often.
    """

    reason: str
    clauses: frozenset[str]
    times: int


class Player(ABC):
    """Plays scenarios and judges them.

    Args:
        semantics: what they are judged by.
    """

    def __init__(self, semantics: Semantics) -> None:
        self.semantics = semantics

    @abstractmethod
    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios, but those whose layout can't be laid; each comes back with its number, in
        whatever order they end.
        """

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """What it left out up to now of what it played; most leave out nothing."""
        return ()

    def close(self) -> None:  # noqa: B027 - most keep nothing open
        """Close what is kept open."""

    def play_one(self, scenario: Scenario) -> Played:
        """Play one scenario.

        Raises:
            PlacementFailed: its layout can't be laid.
            NoSuchBatchError: one of its layout's batches can't be made.
        """
        (found,) = dict(self.play([scenario])).values()
        if isinstance(found, Unlaid):
            raise (
                NoSuchBatchError(found.why)
                if found.step is LayingStep.BATCH
                else PlacementFailed(found.why)
            )
        return found

    def with_settings(self, scenario: Scenario) -> Scenario:
        """A scenario as it is judged: under the settings that it is played under."""
        return scenario

    def unplayable(self, scenario: Scenario) -> str:  # noqa: ARG002 - most can play all
        """Why a scenario can't be played here; empty where it can."""
        return ""

    def with_shorter_waits(self, scenario: Scenario) -> Scenario:
        """The same with waits no longer than its clauses need, where a subject has such."""
        return scenario

    def confirmed_play(self, played: Played) -> Played:
        """The play that counts, see `confirm`."""
        return self.confirm(played).counts

    def confirm(self, played: Played) -> Confirmation:
        """Play again what breaks by the clock, by a passing error or by a connection without an
        answer. Of what a change of leader or a standstill of the broker disturbed, a replay without
        one counts, and is played again where it is doubtful itself. A replay that is disturbed
        shows nothing, and is played again too.

        Unless it shows again, a replay in good time and without the error counts instead, and an
        answer that was missing once is inconclusive, since a network can lose a connection as well
        as a broker can. What depends on the clock must show in every replay. Where the layout can't
        be laid for a replay, all is inconclusive.

        Replays of what is late are hastened first, where its waits can be: if all of them show
        what the first play shows, it counts; otherwise they show nothing.
        """
        try:
            hasty = self._hasty_replays(played)
            return Confirmation(played, played, hasty) if hasty else self._confirm(played)
        except PlacementFailed as failed:
            why = f"it could not be played again, since its layout could not be laid: {failed}"
            return Confirmation(played, played.inconclusive(why))

    def _confirm(self, played: Played) -> Confirmation:
        """See `confirm`.

        Raises:
            PlacementFailed: the layout can't be laid for a replay.
        """
        if not played.doubtful:
            return Confirmation(played, played)
        if played.disturbed:
            again = self._replay(played.scenario)
            if not again.disturbed:
                return self._confirm(again)
            return Confirmation(played, played.as_disturbed(REPLAYS))
        replays: list[Played] = []
        for _ in range(REPLAYS):
            again = self._replay(played.scenario)
            replays.append(again)
            if again.disturbed:
                return Confirmation(played, again.as_disturbed(REPLAYS), tuple(replays))
            if not again.late if played.late else again.kinds & played.kinds:
                return Confirmation.of(played, *replays)
        missing_again = played.late and any(again.is_unanswered for again in replays)
        if played.is_unanswered and not missing_again:
            why = (
                f"{played.why_unanswered}; not once in {REPLAYS} replays; see whether the network "
                "or the broker loses connections"
            )
            return Confirmation(played, played.inconclusive(why), tuple(replays))
        return Confirmation.of(played, *replays)

    def _hasty_replays(self, played: Played) -> tuple[Played, ...]:
        """Hastened replays that show exactly the kinds of a play; none where one does not.

        Raises:
            PlacementFailed: the layout can't be laid for a replay.
        """
        quick = self.with_shorter_waits(played.scenario)
        if quick == played.scenario or not played.late or played.disturbed:
            return ()
        replays: list[Played] = []
        for _ in range(REPLAYS):
            again = self.play_one(quick)
            if again.disturbed or again.kinds != played.kinds:
                return ()
            replays.append(again)
        return tuple(replays)

    def _replay(self, scenario: Scenario) -> Played:
        """The first of `REPLAYS` plays that nothing disturbed; the last one where all were."""
        for _ in range(REPLAYS):
            again = self.play_one(scenario)
            if not again.disturbed:
                break
        return again

    def _judge(self, scenario: Scenario, observation: Observation) -> Played:
        return Played(scenario, observation, judge(scenario, observation, self.semantics))


class LayoutPlayer(Player):
    """Plays scenarios on layouts, which it lays out first and takes off afterwards.

    Args:
        semantics: what they are judged by.
        config: the settings that it plays under.
    """

    def __init__(self, semantics: Semantics, config: Config = ()) -> None:
        super().__init__(semantics)
        self.config = config

    def with_settings(self, scenario: Scenario) -> Scenario:
        """A scenario under this player's settings."""
        return replace(scenario, config=self.config)

    @property
    @abstractmethod
    def has_older_epochs(self) -> bool:
        """Whether partitions have had a leader epoch before the current one, as after a restart."""

    @property
    @abstractmethod
    def restartable(self) -> bool:
        """Whether it can continue with other settings."""

    @property
    @abstractmethod
    def crafts(self) -> bool:
        """Whether it can lay out what no Produce request can write: holes and old formats."""

    @abstractmethod
    def restart(self, config: Config, crafted: Sequence[Layout] = ()) -> list[Placed | Unlaid]:
        """Continue with other settings, and lay crafted layouts out.

        What is placed already may not be asked about any more.

        Raises:
            PlacementFailed: that can't be done here.
        """

    @abstractmethod
    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """Lay layouts out side by side.

        Raises:
            PlacementFailed: one of them can't be laid out here.
        """

    def lay(self, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        """Lay layouts out side by side, but those that can't be laid; in the order given."""
        return list(self.place(layouts))

    @abstractmethod
    def release(self, placed: Sequence[Placed]) -> None:
        """Take layouts off."""

    @contextmanager
    def lying(self, placed: Sequence[Placed]) -> Iterator[None]:
        """Take layouts off once all is done with them.

        Where that ends by an error, it is this error that is reported, whether or not they can
        still be taken off. An interrupt ends the run at once: their topics are deleted with all
        others, and the broker may be restarting.
        """
        try:
            yield
        except (Exception, GeneratorExit):
            with suppress(PlacementFailed, NoAnswer, NotConnected):
                self.release(placed)
            raise
        self.release(placed)

    @abstractmethod
    def reopen(self) -> None:
        """Continue after a layout could not be laid out."""

    @abstractmethod
    def ask(
        self, placed: Sequence[Placed], fetches: Sequence[tuple[int, Fetch]]
    ) -> Iterator[tuple[int, Played]]:
        """Ask fetches about placed layouts, each named by the layout's number; they come back with
        their own.
        """

    @abstractmethod
    def begin(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Begin to play histories of share groups at once, so that other work can be done
        meanwhile; take all that comes of them.

        None of them may restart the broker.
        """

    def ask_alike(self, layout: Layout, fetches: Sequence[Fetch]) -> list[Played]:
        """Place one layout, ask some fetches about it, take it off.

        Raises:
            PlacementFailed: it can't be laid.
        """
        (laid,) = self.lay([layout])
        if isinstance(laid, Unlaid):
            raise PlacementFailed(laid.why)
        placed = [laid]
        with self.lying(placed):
            found = dict(self.ask(placed, [(0, fetch) for fetch in fetches]))
        return [found[number] for number in sorted(found)]

    def _judge_by_settings(self, config: Config) -> None:
        """Judge by these settings from now on."""
        limit = int(
            dict(config).get("fetch.max.bytes", self.semantics.of(FetchSemantics).fetch_max_bytes)
        )
        self.semantics, self.config = (
            self.semantics.with_decisions(FetchSemantics, fetch_max_bytes=limit),
            config,
        )
