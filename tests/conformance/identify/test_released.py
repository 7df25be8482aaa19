"""Which readings of its clauses a broker follows is found by playing what they differ on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.engine.play_result import Played
from conformance.engine.player import Player
from conformance.identify.released import Identifying
from conformance.placement.laying import steps_of
from conformance.placement.problem import LayingStep, Unlaid
from results.log import LOG_NAME, read_log
from spec.canonical import identity
from spec.events import Flaky, Judged, NotLaid, ReadingRuledOut
from spec.model import answer_all
from spec.readings import Axis
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Change
from spec.subject_registry import subject_named
from spec.verdict import Outcome, Verdict

RELEASED = semantics_for("4.3")
PERMISSIVE = {
    ("FET-052", "returned"): ("returned", "beyond"),
    ("SHR-112", "batch"): ("batch", "gate"),
}
"""Readings that another one of the same clause includes, so that both fit."""
LATE = Verdict("FET-014", Outcome.VIOLATES, signature="early", primary=True)
FOLLOWED = [
    (name, axis, reading)
    for name in ("fetch", "share")
    for axis in subject_named(name).axes
    for reading in axis.ways
]


class Following(Player):
    """The model that follows a reading, judged as a release."""

    def __init__(self, way: Change) -> None:
        super().__init__(RELEASED)
        self.way = way

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios in this process."""
        for number, scenario in enumerate(scenarios):
            yield number, self._judge(scenario, answer_all(scenario, self.way(self.semantics)))


def left(subject: str, way: Change) -> Identifying:
    """All that is asked of the model that follows a reading; each scenario that ruled one out was
    played.
    """
    identifying = Identifying(subject_named(subject))
    events = list(identifying.events(Following(way)))
    played = {event.scenario for event in events if isinstance(event, Judged)}
    assert {
        identity(event.scenario) for event in events if isinstance(event, ReadingRuledOut)
    } <= played
    assert identifying.scenarios == len(played)
    return identifying


@pytest.mark.parametrize(
    ("subject", "axis", "reading"),
    FOLLOWED,
    ids=[f"{axis.id} {reading}" for _, axis, reading in FOLLOWED],
)
def test_the_reading_that_the_model_follows_is_found(
    subject: str, axis: Axis, reading: str
) -> None:
    axes = left(subject, axis.ways[reading]).axes
    if axis.id in axes.met:
        assert axes.left[axis.id] == PERMISSIVE.get((axis.id, reading), (reading,))
    others = [one.name for one in axis.readings if one.name not in axes.left[axis.id]]
    assert all(axes.ruled_out[axis.id, other] for other in others)


class LateOnce(Following):
    """A model that breaks a promise about time in the first play of each scenario."""

    def __init__(self) -> None:
        super().__init__(lambda semantics: semantics)
        self.played: set[Scenario] = set()

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """The first play ends with a late break."""
        for number, found in super().play(scenarios):
            first = found.scenario not in self.played
            self.played.add(found.scenario)
            late = (LATE,) if first else ()
            judgement = replace(found.judgement, verdicts=(*found.judgement.verdicts, *late))
            yield number, replace(found, judgement=judgement)


def test_breaks_that_are_not_reproduced_are_flaky_here_too() -> None:
    identifying = Identifying(subject_named("fetch"))
    events = list(identifying.events(LateOnce()))
    flaky = [event for event in events if isinstance(event, Flaky)]
    judged = [event for event in events if isinstance(event, Judged)]
    assert len(flaky) == len(judged) > 0
    assert {(event.clause, event.signature) for event in flaky} == {("FET-014", "early")}
    assert not any(LATE in event.verdicts for event in judged)


class WithoutTransactions(Player):
    """A model on which no layout with a transaction can be laid."""

    def __init__(self) -> None:
        super().__init__(RELEASED)
        self.others = Following(lambda semantics: semantics)

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play what can be laid."""
        for number, scenario in enumerate(scenarios):
            if LayingStep.TRANSACTION in steps_of(scenario.layout):
                yield number, Unlaid(scenario.layout, LayingStep.TRANSACTION, "refused")
            else:
                yield number, self.others.play_one(scenario)


def test_a_layout_that_can_not_be_laid_is_left_out_and_the_others_are_asked() -> None:
    identifying = Identifying(subject_named("fetch"))
    events = list(identifying.events(WithoutTransactions()))
    unlaid = [event for event in events if isinstance(event, NotLaid)]
    assert {event.step for event in unlaid} == {"a transaction"}
    assert all(event.clauses for event in unlaid)
    assert "FET-052" not in identifying.axes.met
    assert len(identifying.axes.left["FET-102"]) == 1


def identified(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(
        main, ["identify", "model", "--no-report", "--out", str(tmp_path), *arguments]
    )
    return done.exit_code, done.output


@pytest.mark.system
def test_the_command_names_the_readings_and_the_scenario_that_ruled_out_each_other(
    tmp_path: Path,
) -> None:
    code, output = identified(tmp_path)
    assert code == 0, output
    (folder,) = tmp_path.iterdir()
    events = read_log(folder / LOG_NAME).events
    (cut,) = [
        event
        for event in events
        if isinstance(event, ReadingRuledOut) and event.clause == "FET-102"
    ]
    assert cut.reading == "left_out"
    assert f"READING  FET-102  cut; ruled out: left_out by {identity(cut.scenario)}" in output
    assert "again   fencepost identify model --kafka 4.3.1 --seed 1" in output


def test_a_subject_without_readings_is_wrong_use(tmp_path: Path) -> None:
    for subject in ("groups", "nothing"):
        code, output = identified(tmp_path, "--subject", subject)
        assert code == 2
        assert "expected one of fetch, share" in output
        assert subject in output
