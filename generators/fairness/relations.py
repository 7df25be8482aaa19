"""The names of what a client's history has tried."""

from collections.abc import Iterator
from itertools import pairwise

from spec.fairness.model.record_sizes import batch_size, estimated_size
from spec.fairness.steps import (
    Acknowledgement,
    AcknowledgeRecords,
    ClientStep,
    CutResponse,
    Damage,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    Idle,
    LimitMessages,
    MoveLeader,
    RefuseMembers,
    ResponseVariant,
    SendRecords,
    StageStep,
    StartClient,
    TruncateLog,
)
from spec.kafka import READ_COMMITTED
from spec.layout import Batch, Marker
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords, in_words

LIMITS = ("below", "at", "above")
PRODUCER_OPTIONS = ("batch_size", "max_request_size")
OPTIONS = (
    "max_poll_records",
    "fetch_max_bytes",
    "partition_max_bytes",
    "fetch_min_bytes",
    "max_wait_ms",
    "check_crcs",
)
OTHERS = (
    "partition fails",
    "session is refused",
    "response is cut",
    "leader moves",
    "log is truncated",
)
TYPES = ("committed", "aborted")
LEFT_OUT = (StartClient, AcknowledgeRecords, Idle)
DONE_BY_SERVER = (EndLocks, RefuseMembers, LimitMessages)
DONE = [
    in_words(kind)
    for kind in (*ClientStep.__args__, *DONE_BY_SERVER, Append, DeleteRecords)
    if kind not in LEFT_OUT
]


def client_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a history has tried, by name, each once, sorted."""
    return tuple(sorted({*_relations(scenario)} & all_client_relations()))


def all_client_relations() -> frozenset[str]:
    """Every relation that a history can have."""
    return frozenset(
        [
            *[f"partitions={count}" for count in (1, 2, 3, 4)],
            *[f"first batch {side} {limit}" for side in LIMITS for limit in OPTIONS[1:3]],
            *[f"given={name}" for name in (*OPTIONS, *PRODUCER_OPTIONS)],
            *[f"two records {side} batch_size" for side in LIMITS],
            *[f"record {side} max_request_size" for side in LIMITS],
            *[f"record {side} max.message.bytes" for side in LIMITS],
            *[f"acknowledged {way}" for way in Acknowledgement],
            *[f"transaction={kind}, {level}" for kind in TYPES for level in ("all", "committed")],
            *[f"damage={damage}" for damage in Damage],
            *[f"given {giving}" for giving in ResponseVariant],
            *OTHERS,
            *DONE,
        ]
    )


def _relations(scenario: Scenario) -> Iterator[str]:
    partitions = scenario.layout.partitions
    yield f"partitions={len(partitions)}"
    yield from _of_producers(scenario)
    for step in scenario.steps:
        if isinstance(step, StartClient):
            yield from _of_options(scenario, step)
        elif isinstance(step, StageStep):
            yield _of_script(step)
        elif isinstance(step, AcknowledgeRecords):
            yield f"acknowledged {step.way}"
        else:
            yield step.name


def _of_options(scenario: Scenario, start: StartClient) -> Iterator[str]:
    for name in (*OPTIONS, *PRODUCER_OPTIONS):
        if getattr(start, name) is not None:
            yield f"given={name}"
    for partition in scenario.layout.partitions:
        entries = [*partition.entries()]
        first = next((one for one in entries if isinstance(one, Batch)), None)
        for name in OPTIONS[1:3]:
            limit = getattr(start, name)
            if first is not None and limit is not None:
                yield f"first batch {_side(first.size, limit)} {name}"
        level = "committed" if start.isolation == READ_COMMITTED else "all"
        for one in entries:
            if isinstance(one, Marker):
                yield f"transaction={TYPES[not one.commit]}, {level}"


def _of_producers(scenario: Scenario) -> Iterator[str]:
    start = next((one for one in scenario.steps if isinstance(one, StartClient)), StartClient())
    topic: int | None = None
    for step in scenario.steps:
        if isinstance(step, LimitMessages):
            topic = step.size
        elif isinstance(step, SendRecords):
            for size in step.sizes:
                yield from _against("record", estimated_size(size), start, "max_request_size")
                if topic is not None:
                    yield f"record {_side(batch_size([size]), topic)} max.message.bytes"
            for pair in pairwise(step.sizes):
                yield from _against("two records", batch_size(pair), start, "batch_size")


def _against(what: str, size: int, start: StartClient, name: str) -> Iterator[str]:
    limit = getattr(start, name)
    if limit is not None:
        yield f"{what} {_side(size, limit)} {name}"


def _side(size: int, limit: int) -> str:
    return LIMITS[(size > limit) - (size < limit) + 1]


def _of_script(step: StageStep) -> str:
    match step:
        case DamageBatch():
            return f"damage={step.damage}"
        case GiveOtherwise():
            return f"given {step.giving}"
        case FailPartition():
            return OTHERS[0]
        case FailSessions():
            return OTHERS[1]
        case CutResponse():
            return OTHERS[2]
        case MoveLeader():
            return OTHERS[3]
        case TruncateLog():
            return OTHERS[4]
        case EndLocks() | RefuseMembers() | LimitMessages():
            return step.name
