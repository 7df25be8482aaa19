"""`fencepost explain` shows a history's polls and how fair they were."""

from conformance.subjects.fairness.runner import RUNNER
from spec.fairness.examples import at_most, batches_of_ten, history, polls
from spec.fairness.steps import DamageBatch
from spec.releases import semantics_for

KAFKA = semantics_for("4.3")


def test_the_polls_and_their_measures_are_shown() -> None:
    scenario = history((batches_of_ten(2), batches_of_ten(1)), *polls(7), start=at_most(5))
    assert list(RUNNER.explained(scenario, KAFKA)) == [
        "polls (partition x records): 0x5 0x5 0x5 0x5 1x5 1x5 -",
        (
            "fairness: Jain 0.500 over the first 20 records; longest run 20, longest wait 20 "
            "records, 4 polls"
        ),
    ]


def test_an_error_is_shown_in_its_place() -> None:
    scenario = history((batches_of_ten(2),), DamageBatch(0, 1), *polls(2))
    first, _ = RUNNER.explained(scenario, KAFKA)
    assert first == "polls (partition x records): 0x10 CORRUPT_MESSAGE"
