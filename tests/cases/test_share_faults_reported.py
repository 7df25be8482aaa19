"""What a broker with a reported fault of share groups answers is caught by the clause that is about
it; no broker is needed.
"""

from dataclasses import replace
from typing import Any

import pytest

from generators.layouts import collect
from generators.share.histories import FEW_LOCKS, in_known_version, share_histories
from spec.catalogue import examples
from spec.judge import judge
from spec.judgement import Judgement
from spec.kafka import Error
from spec.model import answer_all
from spec.releases import semantics_for
from spec.requirements import requirement_set
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.share.examples import FIVES, PATIENCE_MS, confirm, fetch, history, plain
from spec.share.outcomes import Acquired, GroupChanged
from spec.share.releases import LockBudget, RangeReport, ShareSemantics, Throttling
from spec.share.steps import RECORD_LIMIT, RestartBroker, ShareAcknowledge, ShareFetch
from spec.verdict import Outcome
from tests.cases.share_histories import (
    ACKS_AT_EPOCH_ZERO,
    ACKS_BELOW_THE_LOG_START,
    ACKS_DOWNWARDS,
    ACKS_THAT_FAIL_AS_ONE,
    CLOSING_WITH_PARTITIONS,
    COLON,
    COORDINATOR_OF_COLON,
    FORGOTTEN_AND_ACKNOWLEDGED,
    FULL_CACHE,
    GONE,
    LATE_ACK,
    NAMED_TO_ACKNOWLEDGE,
    ONE_LARGE,
    RELEASED_AT_THE_LIMIT,
    TENS,
    THIRTY_OF_A_HUNDRED,
    WAITING_AT_THE_LIMIT,
    WORN,
)
from tests.spec.share.mutants import Edit, Mutant, acknowledged, instead, part, ranges, top

KAFKA = semantics_for("4.3")


def answered(
    scenario: Scenario,
    step: int,
    edit: Edit,
    tried_ms: float | None = None,
    elapsed_ms: float | None = None,
) -> Judgement:
    """The judgement of a history whose answer to one step is changed: now and after a while, or
    after it took so long.
    """
    return judge(
        scenario, Mutant("", scenario, step, edit, elapsed_ms, tried_ms).observation(KAFKA), KAFKA
    )


def decided(scenario: Scenario, **decisions: Any) -> Judgement:
    """The judgement of a history that is answered by another decision than Apache Kafka's."""
    return judge(
        scenario, answer_all(scenario, KAFKA.with_decisions(ShareSemantics, **decisions)), KAFKA
    )


def broken(judgement: Judgement) -> dict[str, Outcome]:
    """The clauses that are broken."""
    return {verdict.clause: verdict.outcome for verdict in judgement.breaks}


def test_s01_a_reader_that_stands_still_before_a_large_batch_is_caught() -> None:
    found = answered(ONE_LARGE, 1, part(acquired=(), batches=()), PATIENCE_MS)
    assert broken(found)["SHR-140"] is Outcome.VIOLATES


@pytest.mark.parametrize(
    "scenario",
    [history((TENS,), fetch(0, max_records=1000), config=FEW_LOCKS), RELEASED_AT_THE_LIMIT],
)
def test_s02_a_lock_limit_that_is_looked_at_before_reading_alone_is_caught(
    scenario: Scenario,
) -> None:
    found = decided(scenario, lock_budget=LockBudget.GATE)
    assert broken(found)["SHR-112"] is Outcome.VIOLATES
    assert ("SHR-112", "batch", False) in found.readings


def test_s04_a_batch_that_comes_whole_until_its_last_delivery_is_noticed() -> None:
    found = decided(WORN, throttling=Throttling.NONE)
    assert broken(found)["SHR-170"] is Outcome.DEVIATES
    assert ("SHR-170", "halved", False) in found.readings


def test_s05_a_fetch_that_fails_for_a_colon_in_the_groups_name_is_caught() -> None:
    found = answered(
        COLON, 2, part(error=int(Error.UNKNOWN_SERVER_ERROR), acquired=(), batches=()), PATIENCE_MS
    )
    assert broken(found)["SHR-503"] is Outcome.VIOLATES


def test_s05_a_coordinator_that_is_not_found_for_a_colon_in_the_groups_name_is_caught() -> None:
    found = answered(COORDINATOR_OF_COLON, 2, instead(GroupChanged(int(Error.INVALID_REQUEST))))
    assert broken(found) == {"SHR-504": Outcome.VIOLATES}


def test_s07_a_fetch_that_sleeps_on_although_locks_are_free_is_measured() -> None:
    found = answered(WAITING_AT_THE_LIMIT, 2, top(), elapsed_ms=5000)
    assert ("SHR-144", "woken", False) in found.readings
    assert broken(found) == {}


def test_s09_a_start_offset_that_stays_before_what_compaction_took_out_is_caught() -> None:
    found = answered(
        replace(GONE, steps=GONE.steps[:6]), 5, part(acquired=(), batches=()), PATIENCE_MS
    )
    assert broken(found)["SHR-155"] is Outcome.VIOLATES


def test_s11_a_session_that_acks_at_epoch_zero_have_destroyed_is_caught() -> None:
    found = answered(
        ACKS_AT_EPOCH_ZERO, 3, top(error=int(Error.SHARE_SESSION_NOT_FOUND), partitions=())
    )
    assert broken(found) == {"SHR-003": Outcome.VIOLATES}


def test_s11_a_late_acknowledgement_that_is_taken_is_caught() -> None:
    assert broken(answered(LATE_ACK, 5, acknowledged((0, 0))))["SHR-316"] is Outcome.VIOLATES


def test_s11_ranges_that_go_down_and_are_taken_are_caught() -> None:
    assert broken(answered(ACKS_DOWNWARDS, 2, acknowledged((0, 0))))["SHR-302"] is Outcome.VIOLATES


def test_s14_records_that_older_state_hides_are_caught() -> None:
    three = history((plain(3),), fetch(0))
    assert (
        broken(answered(three, 1, part(acquired=(), batches=()), PATIENCE_MS))["SHR-155"]
        is Outcome.VIOLATES
    )
    assert (
        broken(answered(three, 1, part(acquired=(Acquired(0, 2, 2),))))["SHR-400"]
        is Outcome.VIOLATES
    )


def test_s15_ranges_of_one_offset_differ_in_nothing_but_how_they_are_reported() -> None:
    found = decided(THIRTY_OF_A_HUNDRED, range_report=RangeReport.SINGLE)
    assert broken(found) == {"SHR-117": Outcome.DEVIATES}
    assert {
        verdict.clause for verdict in found.verdicts if verdict.outcome is Outcome.CONFORMS
    } >= {"SHR-115", "SHR-400"}


def test_a01_record_limit_that_takes_the_batch_whole_is_caught() -> None:
    limited = history((FIVES,), fetch(0, max_records=6, batch_size=2, mode=RECORD_LIMIT))
    assert broken(answered(limited, 1, ranges((0, 4), (5, 9))))["SHR-126"] is Outcome.VIOLATES


def test_a02_offsets_before_the_start_that_come_after_a_restart_are_caught() -> None:
    ask = fetch(0, max_records=5, mode=RECORD_LIMIT)
    restarted = history((plain(100),), ask, confirm(0, 4), RestartBroker(), ask)
    found = answered(restarted, 4, part(acquired=(Acquired(0, 4),)))
    assert broken(found)["SHR-128"] is Outcome.VIOLATES


def test_a06_a_range_that_ends_before_it_begins_is_caught() -> None:
    none = history((FIVES,), fetch(0, batch_size=0))
    assert broken(judge(none, answer_all(none, KAFKA), KAFKA)) == {"SHR-127": Outcome.VIOLATES}


def test_a08_more_offsets_than_the_limit_are_caught_though_the_records_are_fewer() -> None:
    example = next(
        one.scenario for one in examples()["SHR-123"] if not one.scenario.layout.is_crafted
    )
    limited = replace(example, steps=example.steps[:2])
    assert broken(answered(limited, 1, ranges((0, 9))))["SHR-126"] is Outcome.VIOLATES


def test_a09_record_limit_is_not_asked_of_a_release_before_it_and_does_not_count_there() -> None:
    assert not {"SHR-123", "SHR-126", "SHR-012"} & {*requirement_set("share", "4.1").clauses}
    drawn = [
        step for one in collect(share_histories(semantics_for("4.1")), 9, 30) for step in one.steps
    ]
    known = in_known_version(
        history((FIVES,), fetch(0, mode=RECORD_LIMIT)),
        semantics_for("4.1").of(ShareSemantics).newest_fetch,
    ).steps
    requests = [
        step for step in (*drawn, *known) if isinstance(step, ShareFetch | ShareAcknowledge)
    ]
    assert {step.version for step in requests} <= {0, 1}
    asked = history((FIVES,), fetch(0, mode=RECORD_LIMIT))
    found = judge(asked, answer_all(asked, KAFKA), semantics_for("4.1"))
    assert broken(found)["SHR-020"] is Outcome.VIOLATES


def test_t06_what_is_acquired_without_its_records_is_caught() -> None:
    full = replace(FULL_CACHE, config=FEW_LOCKS)
    found = answered(full, 3, part(acquired=(Acquired(0, 119, 2),)))
    assert broken(found)["SHR-153"] is Outcome.VIOLATES


def test_t11_a_partition_that_stays_forgotten_is_caught() -> None:
    found = answered(NAMED_TO_ACKNOWLEDGE, 4, part(1, acquired=(), batches=()), PATIENCE_MS)
    assert broken(found)["SHR-155"] is Outcome.VIOLATES


def test_t11_a_partition_that_is_answered_after_it_was_forgotten_is_caught() -> None:
    ten = SeenBatch(10, 19, 131, 10)
    found = answered(
        FORGOTTEN_AND_ACKNOWLEDGED, 4, part(1, acquired=(Acquired(10, 19),), batches=(ten,))
    )
    assert broken(found)["SHR-023"] is Outcome.VIOLATES


def test_t13_a_closing_request_that_acquires_is_caught() -> None:
    ten = SeenBatch(10, 19, 131, 10)
    found = answered(CLOSING_WITH_PARTITIONS, 2, part(acquired=(Acquired(10, 19),), batches=(ten,)))
    assert broken(found)["SHR-007"] is Outcome.VIOLATES


def test_t13_an_acknowledgement_before_the_log_start_that_fails_is_caught() -> None:
    refused = acknowledged((0, int(Error.INVALID_RECORD_STATE)))
    assert broken(answered(ACKS_BELOW_THE_LOG_START, 3, refused))["SHR-309"] is Outcome.VIOLATES


def test_t13_a_request_that_fails_in_part_alone_is_caught() -> None:
    refused = acknowledged((0, int(Error.INVALID_RECORD_STATE)))
    assert broken(answered(ACKS_THAT_FAIL_AS_ONE, 3, refused)) == {"SHR-408": Outcome.DEVIATES}
