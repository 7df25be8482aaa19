"""The names of what a client's history has tried."""

from collections.abc import Iterator

from spec.fairness.steps import (
    ClientStep,
    CutResponse,
    Damage,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    Giving,
    MoveLeader,
    StageStep,
    StartClient,
)
from spec.kafka import READ_COMMITTED
from spec.layout import Batch, Marker
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords, in_words

LIMITS = ("below", "at", "above")
OPTIONS = (
    "max_poll_records",
    "fetch_max_bytes",
    "partition_max_bytes",
    "fetch_min_bytes",
    "max_wait_ms",
    "check_crcs",
)
OTHERS = ("partition fails", "session is refused", "response is cut", "leader moves")
TYPES = ("committed", "aborted")
LEFT_OUT = ("start client", "acknowledge records", "idle")
DONE = [
    name
    for name in map(in_words, (*ClientStep.__args__, Append, DeleteRecords))
    if name not in LEFT_OUT
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
            *[f"given={name}" for name in OPTIONS],
            *[f"transaction={kind}, {level}" for kind in TYPES for level in ("all", "committed")],
            *[f"damage={damage}" for damage in Damage],
            *[f"given {giving}" for giving in Giving],
            *OTHERS,
            *DONE,
        ]
    )


def _relations(scenario: Scenario) -> Iterator[str]:
    partitions = scenario.layout.partitions
    yield f"partitions={len(partitions)}"
    for step in scenario.steps:
        if isinstance(step, StartClient):
            yield from _of_options(scenario, step)
        elif isinstance(step, StageStep):
            yield _of_script(step)
        else:
            yield step.name


def _of_options(scenario: Scenario, start: StartClient) -> Iterator[str]:
    for name in OPTIONS:
        if getattr(start, name) is not None:
            yield f"given={name}"
    for partition in scenario.layout.partitions:
        entries = [*partition.entries()]
        first = next((one for one in entries if isinstance(one, Batch)), None)
        for name in OPTIONS[1:3]:
            limit = getattr(start, name)
            if first is not None and limit is not None:
                where = (first.size > limit) - (first.size < limit)
                yield f"first batch {LIMITS[where + 1]} {name}"
        level = "committed" if start.isolation == READ_COMMITTED else "all"
        for one in entries:
            if isinstance(one, Marker):
                yield f"transaction={TYPES[not one.commit]}, {level}"


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
        case EndLocks():
            return step.name
