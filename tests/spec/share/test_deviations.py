"""A legal broker that differs from Apache Kafka in one reference clause is never said to break a
promise.

Each deviation is planted alone, in the machine only: the judge knows nothing of it. What follows
from it in a history must be followed too, whatever the clause that calls it a deviation.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import pytest

from conformance.subjects.share.faults.answers import malformed_partitions
from generators.drawing import collect, collect_evenly
from generators.share.histories import (
    FEW_LOCKS,
    compacted_histories,
    expiring_histories,
    restarting_histories,
    share_histories,
)
from spec.catalogue import examples
from spec.judge import judge
from spec.kafka import READ_COMMITTED, Error
from spec.layout import Batch, Marker, Partition
from spec.log import Log
from spec.outcomes import Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.share.chapters import CLAUSES
from spec.share.dry_run import answer_all
from spec.share.examples import fetch, fetch_again, history
from spec.share.model import fetching, machine
from spec.share.model.acknowledge import Acknowledged, acknowledge, shape_fault
from spec.share.model.acquire import AcquireRequest, Acquisition
from spec.share.model.fetching import Rules, acquire_from
from spec.share.model.machine import Decision
from spec.share.model.partition import ShareState, archive, change_records
from spec.share.model.records import Cached, Lock
from spec.share.model.seams import REFERENCE, Sharing
from spec.share.model.session import ShareSession
from spec.share.model.settings import Settings
from spec.share.outcomes import Acquired, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import BaseAdjustment, ClosedCount, RangeReport, Slicing, Throttling
from spec.share.steps import (
    OWN,
    RECORD_LIMIT,
    AcknowledgementBatch,
    DropConnection,
    ShareAcknowledge,
    ShareFetch,
)
from spec.steps import DeleteRecords, Step
from spec.verdict import Outcome as Word
from spec.verdict import Strength
from tests.judged import judge_once

KAFKA = semantics_for("4.3")
LISTED = {
    ("SHR-127", "inverted range"),
    ("SHR-128", "deleted offsets"),
    ("SHR-155", "behind deleted records"),
    ("SHR-322", "whole request"),
    ("SHR-013", "whole request"),
}
"""What Apache Kafka itself breaks."""
ALWAYS_WITH_A_PROMISE = {
    "SHR-502": "what it says of a start offset past the end, SHR-128, SHR-155 and SHR-503 promise",
}
"""Reference clauses of which no deviation keeps all promises, with the reason."""

Acquire = Callable[..., Acquisition]


@dataclass(frozen=True)
class Deviation:
    """One way to differ.

    Attributes:
        clause: the reference clause that says so.
        name: what the broker does.
        sharing: the seams at which it is planted, where they suffice.
        planted: plants it in the machine otherwise.
        shown: its clause says so in some history; otherwise only what follows from it is looked at.
    """

    clause: str
    name: str
    sharing: Sharing = REFERENCE
    planted: Callable[[], AbstractContextManager[Any]] = nullcontext
    shown: bool = True


def decided(**decisions: Any) -> Sharing:
    return Sharing(decided=lambda share: replace(share, **decisions))


def misread(change: Callable[[ShareFetch], ShareFetch]) -> Sharing:
    return Sharing(misread=lambda step: change(step) if isinstance(step, ShareFetch) else step)


def acquiring(acquire: Acquire) -> Callable[[], AbstractContextManager[Any]]:
    """Plant another way to acquire from a share partition."""
    return lambda: patch.object(fetching, "acquire_from", acquire)


def limited(
    when: Callable[[ShareState, Log, AcquireRequest, Rules], bool], most: int = 1
) -> Callable[[], AbstractContextManager[Any]]:
    """Acquire exactly so many offsets in some situation."""

    def acquire(
        records: ShareState,
        log: Log,
        wanted: AcquireRequest,
        max_bytes: int,
        rules: Rules,
        **reading: bool,
    ) -> Acquisition:
        if wanted.max_records > most and when(records, log, wanted, rules):
            wanted = replace(wanted, max_records=most, mode=RECORD_LIMIT)
        return acquire_from(records, log, wanted, max_bytes, rules, **reading)

    return acquiring(acquire)


def returned_batches(records: ShareState, *_: object) -> bool:
    return any(record.available for batch in records.cached for _, record in batch.offsets())


def starts_inside(records: ShareState, log: Log, _: AcquireRequest, rules: Rules) -> bool:
    read = log.readable(records.next_fetch_offset, rules.settings.isolation)
    return bool(read) and read[0].base < records.next_fetch_offset and not returned_batches(records)


def few_locks_left(records: ShareState, _: Log, wanted: AcquireRequest, rules: Rules) -> bool:
    return 0 < rules.settings.max_record_locks - records.in_flight < wanted.max_records


def without_control_records(
    records: ShareState,
    log: Log,
    wanted: AcquireRequest,
    max_bytes: int,
    rules: Rules,
    **reading: bool,
) -> Acquisition:
    found = acquire_from(records, log, wanted, max_bytes, rules, **reading)
    if rules.settings.isolation != READ_COMMITTED:
        return found
    gone = {
        offset
        for batch in found.read
        if batch.control
        for offset in range(batch.base, batch.last + 1)
    }
    kept = [
        (offset, one.count)
        for one in found.ranges
        for offset in range(one.first, one.last + 1)
        if offset not in gone
    ]
    lost = {offset for one in found.ranges for offset in range(one.first, one.last + 1)} & gone
    state = change_records(
        found.state, lambda offset, _: offset in lost, lambda _, record: archive(record)
    )
    return (
        replace(
            found,
            state=state,
            ranges=tuple([Acquired(offset, offset, count) for offset, count in kept]),
        )
        if lost
        else found
    )


def beyond_the_log_start_at_once(
    records: ShareState,
    log: Log,
    wanted: AcquireRequest,
    max_bytes: int,
    rules: Rules,
    **reading: bool,
) -> Acquisition:
    found = acquire_from(records, log, wanted, max_bytes, rules, **reading)
    return (
        acquire_from(found.state, log, wanted, max_bytes, rules, **reading)
        if found.failed
        else found
    )


def in_one_range(
    records: ShareState,
    log: Log,
    wanted: AcquireRequest,
    max_bytes: int,
    rules: Rules,
    **reading: bool,
) -> Acquisition:
    """Neighbours with one delivery count are acquired in one range, and cached as one batch."""
    found = acquire_from(records, log, wanted, max_bytes, rules, **reading)
    ranges: list[Acquired] = []
    for one in found.ranges:
        if ranges and (ranges[-1].last + 1, ranges[-1].count) == (one.first, one.count):
            ranges[-1] = replace(ranges[-1], last=one.last)
        else:
            ranges.append(one)
    cached: list[Cached] = []
    for batch in found.state.cached:
        before = cached[-1] if cached else None
        joins = any(one.first < batch.first <= one.last for one in ranges)
        if before is not None and joins and before.last + 1 == batch.first:
            united = (*before.split().records, *batch.split().records)
            records_of_all = united[:1] if len(set(united)) == 1 else united
            cached[-1] = Cached(before.first, batch.last, records_of_all)
        else:
            cached.append(batch)
    return replace(found, ranges=tuple(ranges), state=replace(found.state, cached=tuple(cached)))


@contextmanager
def uncounted_failures() -> Iterator[None]:
    """A request that fails after the session check leaves the session as it was."""
    real = machine._session_after

    def session_after(decision: Decision) -> ShareSession | None:
        return decision.admission.before if decision.error else real(decision)

    with patch.object(machine, "_session_after", session_after):
        yield


@contextmanager
def first_partition_only() -> Iterator[None]:
    """Once one partition gave something, the others of the answer give nothing."""
    real = fetching.fetch_partitions

    def fetch_partitions(state: Any, fetch: ShareFetch, partitions: Any, rules: Rules) -> Any:
        for count in range(1, len(partitions) + 1):
            found = real(state, fetch, partitions[:count], rules)
            if any(one.acquisition is not None and one.acquisition.ranges for one in found):
                break
        else:
            return real(state, fetch, partitions, rules)
        return found

    with patch.object(machine, "fetch_partitions", fetch_partitions):
        yield


def as_record_state(step: Step, outcome: Outcome) -> Outcome:
    """What reaches past the records in flight is INVALID_RECORD_STATE."""
    if not isinstance(step, ShareAcknowledge) or not isinstance(outcome, ShareAcknowledgeAnswer):
        return outcome
    formed = {
        part.partition
        for part in step.partitions
        if shape_fault(part.acknowledgements, step.version, renew=step.renew) is None
    }
    past = [
        (
            number,
            int(Error.INVALID_RECORD_STATE)
            if number in formed and error == Error.INVALID_REQUEST
            else error,
        )
        for number, error in outcome.partitions
    ]
    return replace(outcome, partitions=tuple(past))


@contextmanager
def acknowledged_batch_by_batch() -> Iterator[None]:
    """The batches in front of one that fails stay applied, though their partition has an error."""

    def acknowledge_some(
        state: ShareState,
        lock: Lock,
        batches: Sequence[AcknowledgementBatch],
        settings: Settings,
    ) -> Acknowledged:
        whole = acknowledge(state, lock, batches, settings)
        for length in range(len(batches) - 1, 0, -1) if whole.error else ():
            part = acknowledge(state, lock, batches[:length], settings)
            if not part.error:
                return replace(part, error=whole.error)
        return whole

    with patch.object(machine, "acknowledge", acknowledge_some):
        yield


def malformed_as_record_state(step: Step, outcome: Outcome) -> Outcome:
    """A fault of shape is INVALID_RECORD_STATE."""
    if not isinstance(step, ShareAcknowledge) or not isinstance(outcome, ShareAcknowledgeAnswer):
        return outcome
    malformed = malformed_partitions(step)
    changed = [
        (number, int(Error.INVALID_RECORD_STATE) if error and number in malformed else error)
        for number, error in outcome.partitions
    ]
    return replace(outcome, partitions=tuple(changed))


def takes_any_member(step: Step, outcome: Outcome) -> Outcome:
    """A member id of any length is answered as one that has no session and fetches nothing."""
    strange = isinstance(step, ShareFetch) and step.member != OWN
    return _empty_answer(outcome) if strange else outcome


def takes_no_group(step: Step, outcome: Outcome) -> Outcome:
    """A fetch without a group is answered with nothing."""
    return (
        _empty_answer(outcome) if isinstance(step, ShareFetch) and step.group is None else outcome
    )


def _empty_answer(outcome: Outcome) -> Outcome:
    if isinstance(outcome, ShareFetchAnswer) and outcome.error == Error.INVALID_REQUEST:
        return replace(outcome, error=0)
    return outcome


def as_invalid_request(step: Step, outcome: Outcome) -> Outcome:
    """An unknown acquire mode is INVALID_REQUEST."""
    unknown = (
        isinstance(step, ShareFetch)
        and step.mode > RECORD_LIMIT
        and isinstance(outcome, ShareFetchAnswer)
    )
    if (
        unknown
        and isinstance(outcome, ShareFetchAnswer)
        and outcome.error == Error.UNKNOWN_SERVER_ERROR
    ):
        return replace(outcome, error=Error.INVALID_REQUEST)
    return outcome


def some_without_max_records(step: ShareFetch) -> ShareFetch:
    return (
        replace(step, max_records=1)
        if step.max_records <= 0 and not step.mode and not step.renew
        else step
    )


OUTLIVES = decided(disconnect_closes=False)
DEVIATIONS = (
    Deviation(
        "SHR-006",
        "a request that fails late is not counted",
        planted=uncounted_failures,
        shown=False,
    ),
    Deviation(
        "SHR-009",
        "a delivery that ended with its session does not count",
        decided(closed_count=ClosedCount.TAKEN_BACK),
    ),
    Deviation("SHR-026", "a session outlives its connection", OUTLIVES, shown=False),
    Deviation(
        "SHR-012",
        "an unknown mode is batch_optimized",
        misread(lambda step: replace(step, mode=step.mode % 2)),
    ),
    Deviation(
        "SHR-012", "an unknown mode is an invalid request", Sharing(altered=as_invalid_request)
    ),
    Deviation(
        "SHR-408",
        "acknowledgements are applied batch by batch",
        planted=acknowledged_batch_by_batch,
    ),
    Deviation("SHR-017", "a member id may be of any length", Sharing(altered=takes_any_member)),
    Deviation("SHR-018", "a fetch without a group is empty", Sharing(altered=takes_no_group)),
    Deviation(
        "SHR-323",
        "a fault of shape is a record state",
        Sharing(altered=malformed_as_record_state),
    ),
    Deviation(
        "SHR-110", "one batch comes where no record is wanted", misread(some_without_max_records)
    ),
    Deviation("SHR-150", "all that was read comes back", decided(slicing=Slicing.READ)),
    Deviation(
        "SHR-312", "past the records in flight is a record state", Sharing(altered=as_record_state)
    ),
    Deviation(
        "SHR-421",
        "a read below the log start continues from it",
        planted=acquiring(beyond_the_log_start_at_once),
    ),
    Deviation(
        "SHR-142", "one partition of an answer gives something", planted=first_partition_only
    ),
    Deviation(
        "SHR-132", "one record comes where few locks are left", planted=limited(few_locks_left)
    ),
    Deviation(
        "SHR-425", "control records are left out", planted=acquiring(without_control_records)
    ),
    Deviation("SHR-170", "no throttling", decided(throttling=Throttling.NONE)),
    Deviation(
        "SHR-115",
        "what is delivered again is delivered one by one",
        planted=limited(returned_batches),
    ),
    Deviation("SHR-113", "the rest of a batch comes one by one", planted=limited(starts_inside)),
    Deviation(
        "SHR-123",
        "record_limit gives one record",
        planted=limited(lambda _, __, wanted, ___: wanted.is_limited),
    ),
    Deviation(
        "SHR-121",
        "batch_optimized gives MaxRecords",
        misread(lambda step: replace(step, mode=1) if step.mode == 0 else step),
    ),
    Deviation(
        "SHR-121",
        "one batch at a time",
        misread(lambda step: replace(step, max_records=min(step.max_records, 1))),
    ),
    Deviation(
        "SHR-122",
        "BatchSize is ignored",
        misread(lambda step: replace(step, batch_size=max(step.batch_size, 10_000))),
    ),
    Deviation(
        "SHR-122",
        "each batch is a range",
        misread(lambda step: replace(step, batch_size=min(step.batch_size, 1))),
    ),
    Deviation(
        "SHR-117",
        "what is delivered again in parts is reported record by record",
        decided(range_report=RangeReport.SINGLE),
    ),
    Deviation(
        "SHR-117",
        "what is delivered again is one range and cached batch where neighbours have one count",
        planted=acquiring(in_one_range),
    ),
    Deviation(
        "SHR-113",
        "a read below the start offset is raised to it",
        decided(base_adjustment=BaseAdjustment.ALWAYS),
        shown=False,
    ),
    Deviation(
        "SHR-145",
        "records that come don't end the wait of a fetch",
        Sharing(noticed=lambda _, unlocked: unlocked),
    ),
    Deviation(
        "SHR-146",
        "a lock that runs out doesn't end the wait of a fetch",
        Sharing(noticed=lambda changed, _: changed),
    ),
)


@pytest.fixture(scope="module")
def histories() -> list[Scenario]:
    """Worked examples of share groups, and drawn histories of each kind."""
    worked = [
        one.scenario
        for some in examples().values()
        for one in some
        if one.scenario.subject == "share"
    ]
    few = [
        replace(one, config=FEW_LOCKS) for one in collect(share_histories(KAFKA, FEW_LOCKS), 2, 25)
    ]
    drawn = [
        *collect(share_histories(KAFKA), 1, 120),
        *collect_evenly(expiring_histories(KAFKA), 3, 15),
        *collect(restarting_histories(KAFKA), 4, 25),
        *collect(compacted_histories(KAFKA), 5, 25),
    ]
    return [*worked, *few, *drawn]


@pytest.mark.parametrize(
    "deviation", DEVIATIONS, ids=[f"{one.clause}: {one.name}" for one in DEVIATIONS]
)
def test_a_deviation_alone_breaks_no_promise(
    deviation: Deviation, histories: list[Scenario]
) -> None:
    found: dict[tuple[str, str], tuple[Scenario, str]] = {}
    deviates = False
    for scenario in histories:
        with deviation.planted():
            played = answer_all(scenario, KAFKA, deviation.sharing)
        for verdict in judge_once(scenario, played, KAFKA).breaks:
            deviates = deviates or verdict.clause == deviation.clause
            if (
                verdict.outcome is not Word.DEVIATES
                and (verdict.clause, verdict.signature) not in LISTED
            ):
                found.setdefault((verdict.clause, verdict.signature), (scenario, verdict.why))
    assert found == {}
    assert deviates or not deviation.shown


def test_records_of_a_session_that_outlives_its_connection_may_wait_for_its_locks(
    histories: list[Scenario],
) -> None:
    """SHR-155 doesn't rest on SHR-026: a proxy may not pass the loss of a connection on."""
    losing = [
        one for one in histories if any(isinstance(step, DropConnection) for step in one.steps)
    ]
    found = [
        verdict
        for scenario in losing
        for verdict in judge_once(
            scenario, answer_all(scenario, KAFKA, OUTLIVES, patient=True), KAFKA
        ).breaks
    ]
    assert "SHR-026" in {verdict.clause for verdict in found}
    assert {
        (verdict.clause, verdict.signature) for verdict in found if verdict.outcome is Word.VIOLATES
    } <= LISTED


def test_each_reference_clause_has_a_deviation() -> None:
    checked = {
        one.id
        for one in CLAUSES.values()
        if one.check is not None and one.strength is Strength.REFERENCE
    }
    assert checked - {one.clause for one in DEVIATIONS} == set(ALWAYS_WITH_A_PROMISE)


def test_records_below_a_moved_log_start_take_no_locks_once_a_broker_noticed_it() -> None:
    """SHR-112 doesn't rest on SHR-421, which says when Apache Kafka notices it."""
    transactions = [(Batch(301, 30, txn=txn), Marker(txn, commit=txn != 2)) for txn in range(5)]
    scenario = history(
        (Partition((tuple(item for pair in transactions for item in pair),)),),
        fetch(0, max_records=29),
        fetch_again(batch_size=61),
        DeleteRecords(0, 154),
        replace(fetch(0), actor=1, patience_ms=0),
        replace(fetch_again(max_records=1), actor=1, patience_ms=0),
        start=2,
        config=FEW_LOCKS,
    )
    sharing = misread(lambda step: replace(step, mode=RECORD_LIMIT))
    verdicts = judge(scenario, answer_all(scenario, KAFKA, sharing), KAFKA).breaks
    assert "SHR-421" in {verdict.clause for verdict in verdicts}
    assert Word.VIOLATES not in {verdict.outcome for verdict in verdicts}
