"""What the loops over fetch and share groups have in common: a part on the broker as it is, and one after it was restarted."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from conformance.engine.corpus import FAMILY
from conformance.engine.loop import Loop
from conformance.placement.problem import PlacementFailed
from spec.canonical import identity
from spec.events import Event, Note

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from conformance.engine.plan import Plan
    from conformance.engine.player import LayoutPlayer
    from spec.scenario import Scenario


class LayoutLoop(Loop):
    """A run whose scenarios need layouts; see `Loop`."""

    bench: LayoutPlayer

    def __init__(self, bench: LayoutPlayer, plan: Plan, known: frozenset[tuple[str, str]]) -> None:
        super().__init__(bench, plan, known)

    def _parts(self) -> Iterator[Event]:
        if not self.plan.skip_chunks:
            for note in self.plan.corpus.notes:
                yield Note(note)
            yield from self._corpus()
            yield from self._examples()
        chunk = yield from self._chunks(self.plan.skip_chunks, self.plan.scenarios - self._for_later(), small=False)
        if self._restarts:
            yield from self._restarted()
            yield from self._corpus()
            yield from self._examples()
            yield from self._chunks(chunk, self.plan.scenarios, small=True)

    @abstractmethod
    def _chunks(self, number: int, last: int, *, small: bool) -> Generator[Event, None, int]:
        """Chunk by chunk until the part is over; the number of the chunk that would come next."""

    @abstractmethod
    def _for_later(self) -> int:
        """How many scenarios are kept for after the restart."""

    @abstractmethod
    def _restarted(self) -> Iterator[Event]:
        """Restart with small limits, and what is played by the way."""

    @abstractmethod
    def _known(self) -> list[Scenario]:
        """The worked examples that count here."""

    @property
    def _restarts(self) -> bool:
        return self.plan.restart and self.bench.restartable

    def _corpus(self) -> Iterator[Event]:
        """What once broke a clause is tried before all else; nothing that is drawn later hangs on it."""
        for scenario in self.plan.corpus.scenarios:
            if scenario.config != self.bench.config or (scenario.layout.crafted and not self.bench.crafts):
                continue
            try:
                played = self.bench.play_one(scenario)
            except (PlacementFailed, ValueError) as failed:
                yield Note(f"corpus: scenario {identity(scenario)} could not be laid out here and is left out: {failed}")
                self.bench.reopen()
                continue
            yield from self._judged(played, FAMILY, (), None)

    def _examples(self) -> Iterator[Event]:
        """The catalogue's worked examples come first: each clause is met once whatever is drawn."""
        wanted = [scenario for scenario in self._known() if scenario.config == self.bench.config and not scenario.layout.crafted]
        for _, played in self.bench.play(wanted):
            yield from self._judged(played, "example", (), None)
