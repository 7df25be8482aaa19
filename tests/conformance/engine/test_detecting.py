"""What counts as caught, whatever the subject: the rule, and when a run on a faulty model ends."""

from collections.abc import Iterator, Mapping

import pytest

from conformance.engine.detecting import Detection, detect
from conformance.engine.dry_run import DryRun
from conformance.engine.loop import Loop
from conformance.engine.plan import Plan
from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault
from spec.events import Event, Judged, Shrunk
from spec.fetch.model.answer import answer_fetch
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict

VIOLATES, INCONCLUSIVE, DEVIATES, CONFORMS = (
    Outcome.VIOLATES,
    Outcome.INCONCLUSIVE,
    Outcome.DEVIATES,
    Outcome.CONFORMS,
)
SCENARIO = Scenario(Layout((Partition(((Batch(100),),)),)), (Fetch((FetchPartition(0, 0),)),))


def planted(expected: Expected) -> Fault:
    return Fault(
        "planted",
        "" if expected is Expected.CONFORMS else "FET-001",
        expected,
        "It is wrong.",
        answer_fetch,
    )


def judged(*verdicts: tuple[str, Outcome]) -> Judged:
    return Judged(
        "scenario",
        "layout",
        "question",
        SCENARIO.steps,
        tuple([Verdict(*one, signature="so") for one in verdicts]),
    )


def shrunk(clause: str) -> Shrunk:
    return Shrunk(clause, "so", "scenario", SCENARIO, Verdict(clause, VIOLATES), Observation(()))


class ScriptedLoop(Loop):
    """A loop whose events are given, and that knows how many were taken."""

    subject = "fetch"

    def __init__(
        self,
        *given_events: Event,
        listed: frozenset[tuple[str, str]] = frozenset(),
        shrink: bool = False,
    ) -> None:
        super().__init__(DryRun(semantics_for("4.3")), Plan(1, 100, shrink=shrink), listed)
        self.given_events = given_events
        self.taken = 0

    def _parts(self) -> Iterator[Event]:
        for event in self.given_events:
            self.taken += 1
            self.scenarios += isinstance(event, Judged)
            yield event


@pytest.mark.parametrize(
    ("expected", "breaks", "right"),
    [
        (Expected.CONFORMS, {}, True),
        (Expected.CONFORMS, {"FET-002": DEVIATES}, False),
        (Expected.CONFORMS, {"*": INCONCLUSIVE}, False),
        (Expected.DEVIATES, {}, False),
        (Expected.DEVIATES, {"FET-001": DEVIATES}, True),
        (Expected.DEVIATES, {"FET-001": DEVIATES, "FET-002": DEVIATES}, True),
        (Expected.DEVIATES, {"FET-001": DEVIATES, "*": INCONCLUSIVE}, False),
        (Expected.DEVIATES, {"FET-001": DEVIATES, "FET-002": VIOLATES}, False),
        (Expected.DEVIATES, {"FET-002": DEVIATES}, False),
        (Expected.VIOLATES, {"FET-001": VIOLATES}, True),
        (Expected.VIOLATES, {"FET-001": VIOLATES, "FET-002": DEVIATES}, True),
        (Expected.VIOLATES, {"FET-001": VIOLATES, "*": INCONCLUSIVE}, True),
        (Expected.VIOLATES, {"FET-001": DEVIATES, "FET-002": VIOLATES}, False),
        (Expected.VIOLATES, {"FET-002": VIOLATES}, False),
    ],
)
def test_its_own_clause_must_say_what_is_expected_and_none_anything_worse(
    expected: Expected, breaks: Mapping[str, Outcome], right: bool
) -> None:
    assert Detection(planted(expected), breaks, 1, 1, 0.1, None).as_expected is right


def test_a_run_ends_as_soon_as_the_clause_has_spoken() -> None:
    loop = ScriptedLoop(
        judged(("FET-002", VIOLATES)),
        judged(("FET-001", VIOLATES), ("FET-003", CONFORMS)),
        judged(("FET-004", VIOLATES)),
    )
    found = detect(planted(Expected.VIOLATES), loop)
    assert found.breaks == {"FET-002": VIOLATES, "FET-001": VIOLATES}
    assert (found.scenarios, loop.taken) == (2, 2)


def test_where_cases_are_made_small_a_run_continues_until_that_of_the_clause_is() -> None:
    loop = ScriptedLoop(
        judged(("FET-001", VIOLATES)),
        judged(("FET-002", VIOLATES)),
        shrunk("FET-002"),
        shrunk("FET-001"),
        judged(),
        shrink=True,
    )
    found = detect(planted(Expected.VIOLATES), loop)
    assert found.shrunk == SCENARIO
    assert found.breaks == {"FET-001": VIOLATES, "FET-002": VIOLATES}
    assert (found.scenarios, loop.taken) == (1, 4)


def test_where_another_clause_explains_its_breaks_the_small_case_is_that_one() -> None:
    loop = ScriptedLoop(
        judged(("FET-002", VIOLATES), ("FET-001", VIOLATES)),
        shrunk("FET-002"),
        judged(),
        shrink=True,
    )
    found = detect(planted(Expected.VIOLATES), loop)
    assert found.as_expected
    assert found.shrunk == SCENARIO
    assert loop.taken == 3


def test_a_clause_is_remembered_by_the_severest_it_said() -> None:
    loop = ScriptedLoop(
        judged(("FET-002", DEVIATES)),
        judged(("FET-002", VIOLATES)),
        judged(("FET-002", INCONCLUSIVE)),
    )
    assert detect(planted(Expected.DEVIATES), loop).breaks == {"FET-002": VIOLATES}


def test_what_a_finding_lists_is_no_break() -> None:
    loop = ScriptedLoop(
        judged(("FET-001", VIOLATES)),
        judged(("FET-002", DEVIATES)),
        listed=frozenset({("FET-001", "so")}),
    )
    found = detect(planted(Expected.VIOLATES), loop)
    assert found.breaks == {"FET-002": DEVIATES}
    assert found.scenarios == 2
