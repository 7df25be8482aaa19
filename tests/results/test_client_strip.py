"""The strip of a client: each record's partition in the order of polls, in a history's picture."""

from results.client_strip import Returned, strip_of
from results.picture import draw
from spec.fairness.dry_run import answer_all
from spec.fairness.examples import at_most, batches_of_ten, history, polls, share_example
from spec.fairness.steps import DamageBatch, Poll
from spec.observation import Observation
from spec.releases import semantics_for

KAFKA = semantics_for("4.3")


def test_each_poll_stands_with_its_partitions_errors_and_measures() -> None:
    scenario = history((batches_of_ten(1), batches_of_ten(1)), *polls(5), start=at_most(6))
    strip = strip_of(answer_all(scenario, KAFKA))
    assert strip is not None
    assert [poll.partitions for poll in strip.polls] == [
        (0,) * 6,
        (0, 0, 0, 0, 1, 1),
        (1,) * 6,
        (1, 1),
        (),
    ]
    assert strip.fair == (
        "Jain 0.500 over the first 10 records; longest run 10, longest wait 10 records, 1 polls"
    )
    assert strip.sent.startswith("MaxBytes 52428800, PartitionMaxBytes 1048576, MinBytes 1")
    damaged = history((batches_of_ten(1),), DamageBatch(0, 0), Poll())
    strip = strip_of(answer_all(damaged, KAFKA))
    assert strip is not None
    assert strip.polls == (Returned((), failed=True),)


def test_a_share_consumer_has_its_own_fields() -> None:
    scenario = share_example((batches_of_ten(1),), Poll(), most=4)
    strip = strip_of(answer_all(scenario, KAFKA))
    assert strip is not None
    assert strip.sent.endswith("MaxRecords 4, ShareAcquireMode 0")


def test_a_picture_has_the_strip_of_a_client_and_of_nothing_else() -> None:
    scenario = history((batches_of_ten(1), batches_of_ten(1)), *polls(4), start=at_most(6))
    drawn = draw(scenario, answer_all(scenario, KAFKA))
    assert drawn.count('height="13"') == 20
    assert "Jain 0.500" in drawn
    assert strip_of(None) is None
    assert strip_of(Observation(())) is None
