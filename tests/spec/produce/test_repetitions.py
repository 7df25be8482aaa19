"""A leader may remember more batches of a producer than Apache Kafka does."""

from spec.frozen import replace
from spec.judge import judge
from spec.observation import Observation
from spec.produce.dry_run import answer_all
from spec.produce.examples import scenario
from spec.produce.outcomes import BatchAnswer, ProduceAnswer
from spec.produce.steps import Outgoing, Produce
from spec.releases import semantics_for
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
SIX = [Produce((Outgoing(0, 200, 2, producer=0, epoch=0, sequence=2 * n),)) for n in range(6)]
PLAYED = scenario(*SIX, SIX[0])


def broken(base: int) -> dict[str, Outcome]:
    """What breaks where the first of six batches is sent again, and answered with this offset."""
    exchanges = list(answer_all(PLAYED, KAFKA).exchanges)
    number = len(SIX) + 1  # a step before them says which topic it is
    answer = BatchAnswer(0, base=base, log_start=0, append_time=True)
    exchanges[number] = replace(exchanges[number], outcome=ProduceAnswer((answer,)))
    found = judge(PLAYED, Observation(tuple(exchanges)), KAFKA)
    return {one.clause: one.outcome for one in found.breaks}


def test_the_sixth_batch_from_the_end_may_be_known_as_a_repetition() -> None:
    assert broken(base=0) == {"PRO-142": Outcome.DEVIATES}


def test_it_may_not_be_answered_with_the_offset_of_another_batch() -> None:
    assert broken(base=2)["PRO-042"] is Outcome.VIOLATES


def test_it_may_not_be_stored_again() -> None:
    assert broken(base=12)["PRO-042"] is Outcome.VIOLATES
