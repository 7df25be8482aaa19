"""An unanswered request is named by the situation that it met, so that a finding covers no other."""

from dataclasses import replace

from generators.layouts import collect
from generators.share.histories import share_histories
from spec.judge import judge
from spec.layout import Batch, Layout, Marker, Partition
from spec.model import answer_all
from spec.outcomes import Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.examples import fetch, fetch_again, history, plain, release
from spec.share.steps import (
    AcknowledgementBatch,
    AlterGroupConfig,
    ShareFetch,
    SharePartition,
)
from spec.steps import DeleteRecords

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
