"""What is available below a log start that has moved is archived, once a read has noticed it; by
Kafka 4.1 that of the first batch alone, so that no more records come.
"""

import pytest

from spec.frozen import replace
from spec.judge import judge
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.dry_run import answer_all
from spec.share.examples import PATIENCE_MS, fetch, history, plain, release
from spec.share.outcomes import ShareFetchAnswer
from spec.steps import DeleteRecords

SMALL = {"batch_size": 5, "version": 1}


def given_back(deleted_to: int) -> Scenario:
    """Three batches are held and given back after DeleteRecords; another member asks for them."""
    back = replace(release(0, 14), version=1)
    return history(
        (plain(5, 5, 5),),
        fetch(0, **SMALL),
        DeleteRecords(0, deleted_to),
        back,
        fetch(0, actor=1, **{**SMALL, "patience_ms": 0}),
        fetch(actor=1, **SMALL),
    )


def last_acquired(scenario: Scenario, release_line: str) -> list[int]:
    found = answer_all(scenario, semantics_for(release_line)).exchanges[-1].outcome
    assert isinstance(found, ShareFetchAnswer)
    return [one.first for part in found.partitions for one in part.acquired]


@pytest.mark.parametrize(
    ("release_line", "deleted_to", "acquired"),
    [
        ("4.1", 5, [5, 10]),
        ("4.1", 10, []),
        ("4.2", 10, [10]),
        ("4.3", 10, [10]),
    ],
)
def test_by_4_1_nothing_comes_behind_the_second_deleted_batch(
    release_line: str, deleted_to: int, acquired: list[int]
) -> None:
    """Seen on 4.1.2, and not on 4.2.2 and 4.3.1."""
    assert last_acquired(given_back(deleted_to), release_line) == acquired


def test_a_broker_of_4_1_may_archive_them_all() -> None:
    scenario = given_back(10)
    better = answer_all(scenario, semantics_for("4.2"))
    assert not judge(scenario, Observation(better.exchanges), semantics_for("4.1")).breaks


def test_the_break_of_4_1_has_a_signature_of_its_own() -> None:
    scenario, semantics = given_back(10), semantics_for("4.1")
    exchanges = answer_all(scenario, semantics).exchanges
    last = exchanges[-1]
    assert isinstance(last.outcome, ShareFetchAnswer)
    again = replace(
        last,
        outcome=replace(last.outcome, epoch=last.outcome.epoch + 1),
        sent_ms=last.sent_ms + PATIENCE_MS,
        answered_ms=last.answered_ms + PATIENCE_MS,
    )
    found = judge(scenario, Observation((*exchanges, again)), semantics).breaks
    assert [(one.clause, one.signature) for one in found] == [("SHR-155", "behind deleted records")]
