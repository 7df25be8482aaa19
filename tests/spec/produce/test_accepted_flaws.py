"""A batch whose header does not agree with its records and is accepted all the same: how many
offsets it takes no text says, so that its end is no second break.
"""

import pytest

from spec.judge import judge
from spec.observation import Exchange, Observation
from spec.produce.examples import LOOK, alone, empty
from spec.produce.outcomes import (
    BatchAnswer,
    EndOffsetsAnswer,
    ProduceAnswer,
    ReadAnswer,
    ReadPartition,
    TopicReady,
)
from spec.produce.steps import Flaw, UseTopic
from spec.produce.topic import TopicSettings
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome


def broken(flaw: Flaw, end: int) -> dict[str, Outcome]:
    """The clauses that are broken where a flawed batch of three records is accepted at offset 0 and
    the log ends at `end` then.
    """
    scenario = Scenario(empty(1), (UseTopic(TopicSettings()), alone(200, 3, flaw=flaw), *LOOK))
    came = (
        TopicReady(),
        ProduceAnswer((BatchAnswer(0, base=0, log_start=0),)),
        EndOffsetsAnswer((end,)),
        ReadAnswer((ReadPartition(0, 0, end),)),
    )
    exchanges = tuple([Exchange(step, outcome) for step, outcome in enumerate(came)])
    found = judge(scenario, Observation(exchanges), semantics_for("4.4"))
    return {verdict.clause: verdict.outcome for verdict in found.breaks}


@pytest.mark.parametrize(
    ("flaw", "ends"),
    [
        (Flaw.HEADER_ONLY, {0, 1, 3}),
        (Flaw.COUNT_ABOVE, {3, 4}),
        (Flaw.COUNT_BELOW, {2, 3}),
        (Flaw.COUNT_ZERO, {0, 3}),
        (Flaw.DELTA_ABOVE, {3, 4}),
        (Flaw.DELTA_BELOW, {2, 3}),
    ],
)
def test_it_may_take_as_many_offsets_as_its_header_or_its_records_say(
    flaw: Flaw, ends: set[int]
) -> None:
    agreed = {end for end in range(6) if "PRO-152" not in broken(flaw, end)}
    assert ends <= agreed <= set(range(min(ends), max(ends) + 1))
    assert "PRO-024" not in broken(flaw, max(ends))


def test_a_sound_batch_takes_as_many_as_it_has_records() -> None:
    assert broken(Flaw.NONE, 2)["PRO-152"] is Outcome.VIOLATES
    assert broken(Flaw.NONE, 3)["PRO-024"] is Outcome.VIOLATES, "nothing was read back"
