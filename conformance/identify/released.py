"""Which readings of its clauses a broker follows: scenarios on which they differ are played until
each question is settled.

First come the smallest scenarios on which two readings of the model differ, then the worked
examples of the clauses, then every worked example of the subject. The judge says of each play which
readings explain it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.engine.left_out import would_exercise
from conformance.engine.player import LayoutPlayer
from conformance.identify.reporter import FAMILY, Reporter
from conformance.placement.problem import Unlaid
from generators.distinguishing import find_distinguishing_scenario, pairs_of, search_of
from generators.small_scope import Bounds
from spec.canonical import identity
from spec.catalogue import clauses_of, examples
from spec.events import Note, NotLaid, ReadingRuledOut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.engine.play_result import Played
    from conformance.engine.player import Player
    from spec.events import Event
    from spec.readings import Axis
    from spec.scenario import Scenario
    from spec.subject import Subject

BOUNDS = Bounds(2, crafted=False)
"""How far the smallest scenario is looked for."""


@dataclass(slots=True)
class Axes:
    """The questions of a subject and what is left of each.

    Attributes:
        subject: whose clauses.
        left: by axis id, the readings that everything that was seen fits.
        met: the axes of which some play said something.
        ruled_out: by axis id and reading, the id of the scenario that ruled it out.
    """

    subject: Subject
    left: dict[str, tuple[str, ...]] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    ruled_out: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with every reading."""
        self.left = {
            axis.id: tuple([one.name for one in axis.readings]) for axis in self.subject.axes
        }

    @property
    def open(self) -> tuple[Axis, ...]:
        """The axes of which more than one reading is left."""
        return tuple([axis for axis in self.subject.axes if len(self.left[axis.id]) > 1])

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The axes of which no reading is left."""
        return tuple([axis for axis, readings in self.left.items() if not readings])

    def rule_out(self, played: Played) -> Iterator[ReadingRuledOut]:
        """Take out the readings that a play does not fit."""
        for clause, reading, fits in played.judgement.readings:
            self.met.add(clause)
            if not fits and reading in self.left[clause]:
                self.left[clause] = tuple([one for one in self.left[clause] if one != reading])
                self.ruled_out[clause, reading] = identity(played.scenario)
                yield ReadingRuledOut(
                    clause,
                    reading,
                    played.scenario,
                    f"what was observed does not fit the reading '{reading}'",
                    played.observation,
                )

    def lines(self) -> Iterator[str]:
        """One line for each question: its readings that fit, and which scenario ruled out each
        other.
        """
        for axis in self.subject.axes:
            left = self.left[axis.id]
            if axis.id not in self.met:
                yield f"{axis.id:<8} not met: no scenario that could be played differs in it"
                continue
            others = [
                f"{one.name} by {self.ruled_out[axis.id, one.name]}"
                for one in axis.readings
                if one.name not in left
            ]
            why = f"; ruled out: {', '.join(others)}" if others else ""
            yield f"{axis.id:<8} {' | '.join(left) or 'no reading fits'}{why}"


def candidates(subject: Subject) -> Iterator[tuple[Axis | None, Scenario]]:
    """Scenarios to play, each with the axis that it is for; None for those that may say something
    of any.
    """
    for axis in subject.axes:
        worked = tuple([example.scenario for example in examples().get(axis.id, ())])
        for pair in pairs_of(axis, search_of(subject, worked)):
            found = find_distinguishing_scenario(pair, BOUNDS).scenario
            if found is not None:
                yield axis, found
        for scenario in worked:
            yield axis, scenario
    for clause_id in clauses_of(subject.name):
        for example in examples().get(clause_id, ()):
            yield None, example.scenario


class Identifying(Reporter):
    """Turns what is asked of a broker into events.

    Args:
        subject: whose clauses.

    Attributes:
        axes: what is left.
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.axes = Axes(subject)
        self._seen: set[Scenario] = set()

    def events(self, player: Player) -> Iterator[Event]:
        """All events between the header and the footer.

        Scenarios that need other settings, or a layout that no Produce request can write, come
        last: they take a restart.
        """
        chosen = list(candidates(self.axes.subject))
        restarting = [pair for pair in chosen if pair[1].config or pair[1].layout.is_crafted]
        yield from self._play(player, [pair for pair in chosen if pair not in restarting])
        if isinstance(player, LayoutPlayer) and player.restartable:
            for config in dict.fromkeys(scenario.config for _, scenario in restarting):
                there = [
                    pair
                    for pair in restarting
                    if pair[1].config == config and (player.crafts or not pair[1].layout.is_crafted)
                ]
                if any(self._may_settle(axis) for axis, _ in there):
                    player.restart(config)
                    yield from self._play(player, there)
        yield from [Note(line) for line in self.axes.lines()]

    def _may_settle(self, axis: Axis | None) -> bool:
        """Whether a scenario for this axis, or for any, may settle something."""
        return bool(self.axes.open) if axis is None else axis in self.axes.open

    def _play(
        self, player: Player, some: Sequence[tuple[Axis | None, Scenario]]
    ) -> Iterator[Event]:
        for axis, scenario in some:
            if self._may_settle(axis) and scenario not in self._seen:
                self._seen.add(scenario)
                (played,) = dict(player.play([scenario])).values()
                if isinstance(played, Unlaid):
                    clauses = would_exercise(scenario, player.semantics)
                    yield NotLaid(
                        player.with_settings(scenario),
                        FAMILY,
                        played.step,
                        played.why,
                        tuple(sorted(clauses)),
                    )
                    continue
                if played.judgement.breaks:
                    confirmation = player.confirm(played)
                    yield from confirmation.flaky
                    played = confirmation.counts
                shown = played.observation if played.judgement.breaks else None
                yield from self.judgement_events(played.scenario, played.judgement.verdicts, shown)
                yield from self.axes.rule_out(played)
