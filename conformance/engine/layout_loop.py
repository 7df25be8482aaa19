"""The common part of the loops over fetch and share groups: a part on the broker as it is, and one
after it was restarted.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from conformance.engine.asking import Ask
from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop
from conformance.placement.laying import steps_of
from conformance.placement.problem import LayingStep, Unlaid
from spec.canonical import identity
from spec.events import Event, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.plan import Plan
    from conformance.engine.player import LayoutPlayer
    from spec.scenario import Scenario

NO_FILES = "needs log files in the broker's data folder, which this system does not take"
NOT_RESTARTED = "the run was asked not to restart it"


class LayoutLoop(Loop):
    """A run whose scenarios need layouts; see `Loop`."""

    player: LayoutPlayer

    def __init__(self, player: LayoutPlayer, plan: Plan, known: frozenset[tuple[str, str]]) -> None:
        super().__init__(player, plan, known)

    def _parts(self) -> Iterator[Event]:
        yield from self._part("corpus", self._corpus_with_notes)
        yield from self._part("examples", self._examples)
        yield from self._part(
            "drawn",
            lambda: self._chunks(
                self.plan.scenarios - self._scenarios_after_the_restart(), small=False
            ),
        )
        if self._restarts and not (
            self._is_done("examples, restarted") and self._is_over(self.plan.scenarios)
        ):
            yield from self._play_restarted()
            yield from self._part("corpus, restarted", self._corpus)
            yield from self._part("examples, restarted", self._examples)
            yield from self._chunks(self.plan.scenarios, small=True)

    @abstractmethod
    def _chunks(self, last: int, *, small: bool) -> Iterator[Event]:
        """Chunk by chunk, each a part, until so many scenarios were asked for; the counter `chunk`
        is that of the next one.
        """

    @abstractmethod
    def _scenarios_after_the_restart(self) -> int:
        """How many scenarios are kept for after the restart."""

    @abstractmethod
    def _play_restarted(self) -> Iterator[Event]:
        """Restart with small limits; the events of what is played meanwhile."""

    @abstractmethod
    def _counted_examples(self) -> list[Scenario]:
        """The worked examples that count here."""

    @property
    def _restarts(self) -> bool:
        return self.plan.restart and self.player.restartable

    def _unplayable(self, scenario: Scenario) -> str:
        if scenario.layout.is_crafted and not (self.player.crafts and self._restarts):
            return NO_FILES if not self.player.crafts else NOT_RESTARTED
        if scenario.config and not self._restarts:
            settings = ", ".join([f"{name}={value}" for name, value in scenario.config])
            why = NOT_RESTARTED if self.player.restartable else "this system can't be restarted"
            return f"needs a broker with {settings}, and {why}"
        return ""

    def _corpus_with_notes(self) -> Iterator[Event]:
        yield from self._report_corpus_notes()
        yield from self._corpus()

    def _corpus(self) -> Iterator[Event]:
        """Play what once broke a clause before everything else; nothing that is drawn later
        depends on it.
        """
        for scenario in self._corpus_scenarios():
            if scenario.config != self.player.config or (
                scenario.layout.is_crafted and not self.player.crafts
            ):
                continue
            for ask in self._drop_judged([Ask(scenario, FAMILY)]):
                try:
                    ((_, played),) = self.player.play([scenario])
                except ValueError as failed:
                    self.player.reopen()
                    played = Unlaid(scenario.layout, LayingStep.RECORDS, str(failed))
                if isinstance(played, Unlaid):
                    yield Note(
                        f"corpus: scenario {identity(scenario)} could not be laid out here and is "
                        f"left out: {played.why}"
                    )
                yield from self._judge_or_leave_out(played, ask)
                self._end_where_nothing_gets_ready()

    def _examples(self) -> Iterator[Event]:
        """The catalogue's worked examples come first: each clause is met once whatever is drawn.
        Those whose layouts need a topic alone come before the others, so that a broker that lacks
        transactions or DeleteRecords is judged before it is waited for.
        """
        wanted = [
            scenario
            for scenario in self._counted_examples()
            if scenario.config == self.player.config and not scenario.layout.is_crafted
        ]
        plain = [one for one in wanted if steps_of(one.layout) == (LayingStep.TOPIC,)]
        others = [one for one in wanted if one not in plain]
        for some in (plain, others):
            yield from self._play_and_judge([Ask(scenario, "example") for scenario in some])
