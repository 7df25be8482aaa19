"""Logs that compaction or an older release left its marks on: what a read of them may be, and what
not.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Codec, Layout, LayoutError, Partition, validate
from spec.log import log_of
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

SEMANTICS = semantics_for("4.3")
COMPACTED = Partition(
    ((Batch(100, 2), Batch(100, 2)), (Batch(100, gap=3), Batch(61, 0, span=5), Batch(100)))
)
"""Offsets 0-1, 2-3; in the second segment 7, nothing in 8-12, and 13."""
OLD = Partition(((Batch(39, magic=1), Batch(31, magic=0), Batch(100)),))


def asked(partition: Partition, offset: int, version: int = 12) -> Scenario:
    return Scenario(Layout((partition,)), (Fetch((FetchPartition(0, offset),), version=version),))


def by_reference(scenario: Scenario) -> PartitionAnswer:
    outcome = answer_all(scenario, SEMANTICS).exchanges[0].outcome
    assert isinstance(outcome, FetchAnswer)
    return outcome.partitions[0]


def breaks(
    scenario: Scenario, change: Callable[[PartitionAnswer], PartitionAnswer]
) -> dict[str, Outcome]:
    answer = FetchAnswer(partitions=(change(by_reference(scenario)),))
    found = judge(scenario, Observation((Exchange(0, answer),)), SEMANTICS)
    return {verdict.clause: verdict.outcome for verdict in found.breaks}


def without(count: int) -> Callable[[PartitionAnswer], PartitionAnswer]:
    return lambda got: replace(got, batches=got.batches[count:])


@pytest.mark.parametrize("offset", [4, 5, 6, 7])
def test_each_missing_offset_reads_as_the_next_one(offset: int) -> None:
    assert by_reference(asked(COMPACTED, offset)) == by_reference(asked(COMPACTED, 7))
    assert [batch.base for batch in by_reference(asked(COMPACTED, offset)).batches] == [7, 8, 13]


def test_the_hole_is_in_front_of_the_batch_behind_it() -> None:
    log = log_of(COMPACTED)
    assert [list(log.hole(number)) for number in range(6)] == [[], [], [4, 5, 6], [], [], []]
    assert list(log_of(Partition(((Batch(100, gap=2),),))).hole(0)) == [0, 1]


@pytest.mark.parametrize("offset", [4, 6, 7])
def test_a_batch_that_is_skipped_behind_a_hole_violates(offset: int) -> None:
    assert breaks(asked(COMPACTED, offset), without(1))["FET-022"] is Outcome.VIOLATES


def test_the_batch_in_front_of_a_hole_violates() -> None:
    earlier = by_reference(asked(COMPACTED, 2))
    assert breaks(asked(COMPACTED, 4), lambda _: earlier)["FET-022"] is Outcome.VIOLATES


def test_a_missing_offset_that_is_refused_violates() -> None:
    refused = PartitionAnswer(0, error=1)
    assert breaks(asked(COMPACTED, 5), lambda _: refused)["FET-022"] is Outcome.VIOLATES


def test_nothing_behind_a_hole_leaves_a_reader_stuck_and_violates() -> None:
    assert breaks(asked(COMPACTED, 4), without(3))["FET-004"] is Outcome.VIOLATES


def test_an_empty_batch_that_is_left_out_is_legal_and_deviates() -> None:
    inside = asked(COMPACTED, 9)
    assert [batch.base for batch in by_reference(inside).batches] == [8, 13]
    found = breaks(inside, without(1))
    assert found["FET-122"] is Outcome.DEVIATES
    assert Outcome.VIOLATES not in found.values()


def test_an_empty_batch_that_is_left_out_between_others_is_legal_and_deviates() -> None:
    found = breaks(
        asked(COMPACTED, 7), lambda got: replace(got, batches=(got.batches[0], got.batches[2]))
    )
    assert found["FET-122"] is Outcome.DEVIATES
    assert Outcome.VIOLATES not in found.values()


def test_an_old_message_that_is_changed_deviates() -> None:
    def changed(got: PartitionAnswer) -> PartitionAnswer:
        return replace(got, batches=(replace(got.batches[0], intact=False), *got.batches[1:]))

    assert breaks(asked(OLD, 0, version=17), changed)["FET-023"] is Outcome.DEVIATES


def test_an_old_message_conforms_in_each_version() -> None:
    for version in range(
        SEMANTICS.of(FetchSemantics).oldest_fetch, SEMANTICS.of(FetchSemantics).newest_fetch + 1
    ):
        assert breaks(asked(OLD, 0, version=version), lambda got: got) == {}


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (Batch(61, 0), "span of at least one"),
        (Batch(62, 0, span=1), "its header of 61 bytes"),
        (Batch(61, 0, Codec.GZIP, span=1), "its header of 61 bytes"),
        (Batch(33, magic=1), "at least 34 bytes"),
        (Batch(25, magic=0), "at least 26 bytes"),
        (Batch(100, 2, magic=1), "one uncompressed record"),
        (Batch(100, 1, Codec.GZIP, magic=0), "one uncompressed record"),
        (Batch(100, span=3, magic=1), "one uncompressed record"),
        (Batch(100, txn=0, magic=1), "one uncompressed record"),
        (Batch(100, magic=3), "magic 3"),
        (Batch(100, 3, span=2), "can't span only 2"),
    ],
)
def test_a_batch_that_no_log_can_have_is_refused(batch: Batch, said: str) -> None:
    with pytest.raises(LayoutError, match=said):
        validate(Layout((Partition(((batch,),)),)))
