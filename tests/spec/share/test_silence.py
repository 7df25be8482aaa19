"""A request without an answer, or without records, is named by the situation that it met, so that a
finding covers no other.
"""

from dataclasses import replace

import pytest

from generators.layouts import collect
from generators.share.histories import share_histories
from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch, Layout, Marker, Partition
from spec.model import answer_all
from spec.outcomes import Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.examples import PATIENCE_MS, fetch, fetch_again, history, plain, release
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareAnswerPartition, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    FINAL_EPOCH,
    AcknowledgementBatch,
    AlterGroupConfig,
    Pause,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords

COMMITTED = AlterGroupConfig((("share.isolation.level", "read_committed"),))
ABORTED = Partition(
    ((Batch(101, records=5, txn=0), Marker(0, commit=False), Batch(101, records=5)),)
)


def signatures(scenario: Scenario, release_name: str) -> set[str]:
    """The signatures of SHR-021 where the last request stays without an answer."""
    semantics = semantics_for(release_name)
    observation = answer_all(scenario, semantics)
    last = observation.exchanges[-1]
    silent = replace(last, outcome=Silent(30_000, control_answered=True))
    observation = replace(observation, exchanges=(*observation.exchanges[:-1], silent))
    verdicts = judge(scenario, observation, semantics).breaks
    return {verdict.signature for verdict in verdicts if verdict.clause == "SHR-021"}


def along(*types: int) -> ShareFetch:
    """A fetch that acknowledges offsets 0 to 4."""
    return ShareFetch((SharePartition(0, (AcknowledgementBatch(0, 4, types),)),), version=2)


def test_a_fetch_that_acknowledges_deleted_records_is_named_by_it() -> None:
    deleted = history((plain(5),), fetch(0), DeleteRecords(0, 5), along(2, 2, 2, 2, 1))
    assert signatures(deleted, "4.3") == {"silent, acknowledging deleted records"}


def test_an_acknowledgement_alone_of_deleted_records_is_named_by_it_too() -> None:
    deleted = history((plain(8),), fetch(0), DeleteRecords(0, 7), release(2, 7))
    assert signatures(deleted, "4.3") == {"silent, acknowledging deleted records"}
    assert signatures(history((plain(8),), fetch(0), release(2, 7)), "4.3") == {"silent"}


def test_any_other_silence_stays_unlisted() -> None:
    assert signatures(history((plain(5),), fetch(0), along(2)), "4.3") == {"silent"}
    assert signatures(history((plain(5),), fetch(0)), "4.3") == {"silent"}


def test_a_batch_size_below_1_over_aborted_records_is_named_by_it() -> None:
    steps = fetch(0, max_records=5), release(0, 4)
    hangs = history((ABORTED,), *steps, COMMITTED, fetch_again(batch_size=0))
    assert signatures(hangs, "4.3") == {"silent, BatchSize below 1 over an aborted transaction"}
    whole = history((ABORTED,), *steps, COMMITTED, fetch_again())
    assert signatures(whole, "4.3") == {"silent"}
    uncommitted = history((ABORTED,), *steps, fetch_again(batch_size=0))
    assert signatures(uncommitted, "4.3") == {"silent"}


def test_no_history_is_drawn_that_hangs_a_released_kafka() -> None:
    below = 0
    for scenario in collect(share_histories(semantics_for("4.3")), 41 * 1_000_003 + 13, 96):
        sizes = [step.batch_size for step in scenario.steps if isinstance(step, ShareFetch)]
        if min(sizes, default=1) > 0:
            continue
        below += 1
        assert COMMITTED not in scenario.steps or not _aborts(scenario.layout)
    assert below


def _aborts(layout: Layout) -> bool:
    return any(
        isinstance(entry, Marker) and not entry.commit
        for partition in layout.partitions
        for entry in partition.entries()
    )


def breaks_of_an_empty_answer(scenario: Scenario, release_name: str) -> set[tuple[str, str]]:
    """What is broken where the last two fetches acquire nothing, though the second is patient."""
    semantics = semantics_for(release_name)
    observation = answer_all(scenario, semantics)
    *before, first, second = observation.exchanges
    assert isinstance(first.outcome, ShareFetchAnswer)
    assert isinstance(second.outcome, ShareFetchAnswer)
    nothing = replace(first.outcome, partitions=(ShareAnswerPartition(0),))
    again = replace(second.outcome, partitions=())
    empty = (
        replace(first, outcome=nothing),
        replace(second, outcome=again),
        replace(
            second,
            outcome=replace(again, epoch=again.epoch + 1),
            sent_ms=second.sent_ms + PATIENCE_MS,
            answered_ms=second.answered_ms + PATIENCE_MS,
        ),
    )
    observation = replace(observation, exchanges=(*before, *empty))
    found = judge(scenario, observation, semantics).breaks
    return {(verdict.clause, verdict.signature) for verdict in found}


@pytest.mark.parametrize("release_name", ["4.1", "4.3"])
def test_records_that_stay_away_behind_a_cut_batch_are_named_by_it(release_name: str) -> None:
    """On 4.1 alone the reference's exact answer is not held against the broker there."""
    version = semantics_for(release_name).of(ShareSemantics).newest_fetch
    released = AcknowledgementBatch(0, 3, (2, 2, 2, 2))
    cut = history(
        (plain(1, 3),),
        fetch(0, max_records=1, version=version),
        fetch(max_records=3, version=version),
        DeleteRecords(0, 2),
        ShareAcknowledge((SharePartition(0, (released,)),), version=version),
        fetch(0, actor=1, version=version, patience_ms=0),
        fetch(actor=1, version=version),
    )
    found = breaks_of_an_empty_answer(cut, release_name)
    assert ("SHR-155", "behind a batch that the log start cuts") in found
    assert (len(found) > 1) is (release_name != "4.1"), found


BESIDE_ABORTED = Partition(
    (
        (
            Batch(101, records=5, txn=0),
            Marker(0, commit=True),
            Batch(100, txn=1),
            Marker(1, commit=False),
            Batch(100, records=3, txn=2),
            Marker(2, commit=True),
        ),
    )
)
"""Offsets 0 to 4 and 8 to 10 committed, 6 aborted, markers at 5, 7 and 11."""


def test_a_cached_batch_that_begins_with_aborted_records_is_cut_like_any_other() -> None:
    """Seen on 4.1.2 in every play: the batch from 5 to 11 is cached as one, though 6 is archived
    since it was aborted, and the log start at 7 cuts it.
    """
    released = tuple([AcknowledgementBatch(first, last, (2,)) for first, last in ((0, 5), (7, 11))])
    cut = history(
        (BESIDE_ABORTED,),
        COMMITTED,
        fetch(0, actor=1, max_records=5, version=1),
        fetch(actor=1, version=1),
        DeleteRecords(0, 7),
        ShareAcknowledge((SharePartition(0, released),), version=1, actor=1),
        fetch(0, version=1, patience_ms=0),
        fetch(version=1),
    )
    found = breaks_of_an_empty_answer(cut, "4.1")
    assert found == {("SHR-155", "behind deleted records")}


def test_a_read_may_begin_at_what_an_earlier_log_start_cut_off_though_it_moved_past_the_batch() -> (
    None
):
    """Seen on 4.1.2 in every play: the first fetch after the second deletion acquires nothing, the
    next one all that is there.
    """
    rest = AcknowledgementBatch(0, 4, (0, 2, 2, 2, 2))
    cut = history(
        (plain(5, 5),),
        fetch(0, max_records=5, version=1),
        fetch(0, actor=1, max_records=5, version=1),
        DeleteRecords(0, 9),
        ShareAcknowledge((SharePartition(0, (rest,)),), version=1),
        ShareFetch(release(5, 6).partitions, actor=1, version=1),
        DeleteRecords(0, 10),
        Append(0, Batch(101, records=5)),
        fetch(actor=1, version=1, patience_ms=0),
        fetch(actor=1, version=1),
    )

    def acquired(release_name: str) -> list[list[int]]:
        answers = [one.outcome for one in answer_all(cut, semantics_for(release_name)).exchanges]
        return [
            [one.first for part in answer.partitions for one in part.acquired]
            for answer in answers[-2:]
            if isinstance(answer, ShareFetchAnswer)
        ]

    assert acquired("4.1") == [[], [10]]
    assert acquired("4.3")[0] == [10]


def test_what_stays_away_after_a_closed_session_may_hide_a_moved_log_start() -> None:
    """Seen on 4.1.2: acknowledgements of deleted records were INVALID_RECORD_STATE, so that their
    share partition still began before them.
    """
    hidden = history(
        (plain(5, 5),),
        fetch(0, version=1),
        ShareFetch(epoch=FINAL_EPOCH, version=1),
        Pause(4_000),
        fetch(0, actor=1, version=1, patience_ms=0),
        DeleteRecords(0, 10),
        ShareFetch(max_records=1, actor=1, version=1),
        ShareAcknowledge(release(0, 4).partitions, version=1, actor=1),
    )

    def breaks_of(release_name: str) -> set[str]:
        semantics = semantics_for(release_name)
        observation = answer_all(hidden, semantics)
        *before, stuck, deleted, nothing, acknowledged = observation.exchanges
        assert isinstance(stuck.outcome, ShareFetchAnswer)
        assert isinstance(acknowledged.outcome, ShareAcknowledgeAnswer)
        empty = replace(
            stuck, outcome=replace(stuck.outcome, partitions=(ShareAnswerPartition(0),))
        )
        wrong = ((0, int(Error.INVALID_RECORD_STATE)),)
        refused = replace(acknowledged, outcome=replace(acknowledged.outcome, partitions=wrong))
        played = replace(observation, exchanges=(*before, empty, deleted, nothing, refused))
        return {verdict.clause for verdict in judge(hidden, played, semantics).breaks}

    assert breaks_of("4.1") == set()
    assert "SHR-312" in breaks_of("4.3")
