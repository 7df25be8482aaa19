"""The record of what a share group's history has tried, read from its layout and steps alone."""

from itertools import accumulate

from generators.fetch.relations import side_name
from spec.kafka import INT32_MAX
from spec.log import log_of
from spec.scenario import Scenario
from spec.share.steps import (
    FINAL_EPOCH,
    OPENING_EPOCH,
    RECORD_LIMIT,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DropConnection,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)
from spec.steps import Append, DeleteRecords

SIDES = ("below", "at", "above")
MODES = ("batch_optimized", "record_limit", "unknown")
KINDS = tuple([kind.name.lower() for kind in AcknowledgeType])
STEPS = {
    Append: "between=append",
    DeleteRecords: "between=delete_records",
    DropConnection: "session=dropped",
    AlterGroupConfig: "between=alter_config",
    Pause: "between=pause",
    RestartBroker: "between=restart_broker",
}


def all_share_relations() -> frozenset[str]:
    """Every relation that a share group's history can have."""
    return frozenset(
        [
            *[f"max_records={where}-a-batch-end" for where in SIDES],
            *[f"batch_size={where}-a-batch-end" for where in SIDES],
            *[
                "max_records=0",
                "max_records=negative",
                "batch_size=not-positive",
                "max_bytes=small",
            ],
            *[f"acquire_mode={mode}" for mode in MODES],
            *[f"acknowledge={kind}" for kind in KINDS],
            *[
                "acknowledge=unknown-type",
                "acknowledge=no-type",
                "acknowledge=each-its-own",
                "acknowledge=sent-along",
            ],
            *["acknowledge=inverted", "acknowledge=several-batches"],
            *[
                "session=opened",
                "session=opened-again",
                "session=closed",
                "session=wrong-epoch",
                "session=forgets",
                "session=adds-unknown",
            ],
            *[
                "fetch=parked",
                "versions=mixed",
                "members=one",
                "members=two",
                "partitions=one",
                "partitions=two",
            ],
            *STEPS.values(),
        ]
    )


def share_relations(scenario: Scenario) -> tuple[str, ...]:
    """The relations of a history, each once, sorted."""
    start = next(
        (
            first
            for step in scenario.steps
            if isinstance(step, AlterShareGroupOffsets)
            for _, first in step.starts
        ),
        0,
    )
    ends = {
        end
        for partition in scenario.layout.partitions
        for end in accumulate(
            [
                batch.last - max(batch.base, start) + 1
                for batch in log_of(partition).batches
                if batch.last >= start
            ]
        )
    }
    found = {"partitions=one" if len(scenario.layout.partitions) == 1 else "partitions=two"}
    opened: set[int] = set()
    for step in scenario.steps:
        if type(step) in STEPS:
            found.add(STEPS[type(step)])
        if isinstance(step, ShareFetch | ShareAcknowledge):
            found |= _acknowledging(step) | _session(
                step, step.actor in opened, len(scenario.layout.partitions)
            )
            opened.add(step.actor)
        if isinstance(step, ShareFetch):
            found |= _limits(step, ends)
    if (
        len(
            {
                step.version
                for step in scenario.steps
                if isinstance(step, ShareFetch | ShareAcknowledge)
            }
        )
        > 1
    ):
        found.add("versions=mixed")
    found.add("members=two" if len(opened) > 1 else "members=one")
    return tuple(sorted(found))


def _limits(fetch: ShareFetch, ends: set[int]) -> set[str]:
    found = {f"acquire_mode={MODES[fetch.mode] if 0 <= fetch.mode <= RECORD_LIMIT else MODES[-1]}"}
    found |= {
        f"max_records={side_name(fetch.max_records, end)}-a-batch-end"
        for end in ends
        if abs(fetch.max_records - end) <= 1
    }
    found |= {
        f"batch_size={side_name(fetch.batch_size, end)}-a-batch-end"
        for end in ends
        if abs(fetch.batch_size - end) <= 1
    }
    if fetch.max_records <= 0:
        found.add("max_records=0" if fetch.max_records == 0 else "max_records=negative")
    if fetch.batch_size <= 0:
        found.add("batch_size=not-positive")
    if fetch.max_bytes < INT32_MAX:
        found.add("max_bytes=small")
    if fetch.parked:
        found.add("fetch=parked")
    return found


def _acknowledging(step: ShareFetch | ShareAcknowledge) -> set[str]:
    found: set[str] = set()
    for part in step.partitions:
        if part.acknowledgements and isinstance(step, ShareFetch):
            found.add("acknowledge=sent-along")
        if len(part.acknowledgements) > 1:
            found.add("acknowledge=several-batches")
        for batch in part.acknowledgements:
            found |= {
                f"acknowledge={KINDS[kind] if 0 <= kind < len(KINDS) else 'unknown-type'}"
                for kind in batch.types
            }
            if not batch.types:
                found.add("acknowledge=no-type")
            if len(batch.types) > 1:
                found.add("acknowledge=each-its-own")
            if batch.first > batch.last:
                found.add("acknowledge=inverted")
    return found


def _session(step: ShareFetch | ShareAcknowledge, opened: bool, partitions: int) -> set[str]:
    found = set()
    if not opened:
        found.add("session=opened")
    elif step.epoch == OPENING_EPOCH:
        found.add("session=opened-again")
    if step.epoch == FINAL_EPOCH:
        found.add("session=closed")
    if step.skew:
        found.add("session=wrong-epoch")
    if isinstance(step, ShareFetch) and step.forgotten:
        found.add("session=forgets")
    if any(part.partition >= partitions for part in step.partitions):
        found.add("session=adds-unknown")
    return found
