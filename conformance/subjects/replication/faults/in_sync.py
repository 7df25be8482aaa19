"""Ways to be wrong about replicas in sync and stopped brokers, and a way to be right otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.replication.faults.fault import (
    ReplicationFault,
    alter_reads,
    deviates,
    records_from,
    violates,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.replication.dry_run import Served
from spec.replication.model import State, answer
from spec.replication.outcomes import NO_BROKER, ReadResult, Replicas, WriteAnswer
from spec.replication.steps import ALL, Asked, Read, Write

if TYPE_CHECKING:
    from spec.outcomes import Outcome


def _whole_log_is_visible(state: State, step: Read, found: ReadResult) -> ReadResult:
    if step.actor != state.leader or found.preferred != NO_BROKER:
        return found
    return replace(found, high_watermark=state.end, records=records_from(state, step))


def _takes_when_short(state: State, step: Asked) -> Outcome:
    if isinstance(step, Write) and step.acks == ALL:
        return answer(replace(state, minimum=0), step)
    return answer(state, step)


def _needs_more_than_the_minimum(state: State, step: Asked) -> Outcome:
    if isinstance(step, Write) and step.acks == ALL and step.actor == state.leader:
        short = len(state.in_sync) <= min(state.minimum, 1)
        return WriteAnswer(Error.NOT_ENOUGH_REPLICAS) if short else answer(state, step)
    return answer(state, step)


def _refuses_after_append(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(found, WriteAnswer) and found.error == Error.NOT_ENOUGH_REPLICAS:
        return replace(found, error=Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    return found


def _refused_in_the_log(state: State, step: Read, found: ReadResult) -> ReadResult:
    """The last record that was refused stands behind all others."""
    del step
    if found.preferred != NO_BROKER or state.is_short or not state.refused or not found.records:
        return found
    return replace(found, records=(*found.records, (state.end, state.refused[-1])))


def _minimum_for_every_write(state: State, step: Asked) -> Outcome:
    if isinstance(step, Write) and step.actor == state.leader and state.is_short:
        return WriteAnswer(Error.NOT_ENOUGH_REPLICAS)
    return answer(state, step)


def _minimum_as_it_stands(state: State, step: Asked) -> Outcome:
    if (
        isinstance(step, Write)
        and step.acks == ALL
        and step.actor == state.leader
        and len(state.in_sync) < state.minimum
    ):
        return WriteAnswer(Error.NOT_ENOUGH_REPLICAS)
    return answer(state, step)


def _hidden_for_ever(state: State, step: Read, found: ReadResult) -> ReadResult:
    """What the leader took by itself stays hidden until another record comes with acks=all."""
    if step.actor != state.leader or not state.outages:
        return found
    records = tuple(enumerate(state.values))[step.offset : state.committed]
    kept = records if found.preferred == NO_BROKER else ()
    return replace(found, records=kept, high_watermark=state.committed)


def _lost_with_its_leader(state: State, step: Asked) -> Outcome:
    """The records of a leader that was stopped are gone, but for the first."""
    found = answer(state, step)
    lost = state.outages and state.epoch not in dict(state.starts)
    if lost and isinstance(found, ReadResult) and not found.error:
        return replace(found, records=tuple([one for one in found.records if not one[0]]))
    return found


def _epoch_of_the_stopped(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    return replace(found, epoch=state.epoch) if isinstance(found, Replicas) else found


def _lags_while_short(state: State, step: Read, found: ReadResult) -> ReadResult:
    """A leader that was elected while too few were in sync shows nothing until enough are."""
    del step
    return replace(found, records=(), high_watermark=0) if state.lags else found


FAULTS: tuple[ReplicationFault, ...] = (
    violates(
        "takes-records-when-too-few-are-in-sync",
        "REP-113",
        "A write with acks=all is taken however few replicas are in sync.",
        _takes_when_short,
    ),
    violates(
        "needs-one-more-than-the-minimum",
        "REP-113",
        "A leader that is alone in sync refuses acks=all though one replica is enough.",
        _needs_more_than_the_minimum,
    ),
    deviates(
        "refuses-after-append",
        "REP-114",
        "A write that finds too few replicas in sync has the code for one that is stored.",
        _refuses_after_append,
    ),
    violates(
        "refused-record-is-served",
        "REP-115",
        "A record that was refused is read behind the others, once enough replicas are in sync.",
        alter_reads(_refused_in_the_log),
    ),
    violates(
        "minimum-for-acks-1",
        "REP-116",
        "A write with acks=1 is refused too while too few replicas are in sync.",
        _minimum_for_every_write,
    ),
    violates(
        "whole-log-is-visible",
        "REP-117",
        "A leader serves its whole log while too few replicas are in sync.",
        alter_reads(_whole_log_is_visible),
    ),
    deviates(
        "more-than-there-are",
        "REP-118",
        "A write is refused while all replicas are in sync, but fewer than min.insync.replicas.",
        _minimum_as_it_stands,
    ),
    deviates(
        "hidden-for-ever",
        "REP-119",
        "What a leader took by itself is hidden until a record with acks=all follows.",
        alter_reads(_hidden_for_ever),
    ),
    violates(
        "lost-with-its-leader",
        "REP-009",
        "The leader that follows a stopped one has the first record alone, until it takes one.",
        _lost_with_its_leader,
    ),
    violates(
        "epoch-of-the-stopped-leader",
        "REP-004",
        "The leader that follows a stopped one has its leader epoch.",
        _epoch_of_the_stopped,
    ),
)
VARIANTS: tuple[ReplicationFault, ...] = (
    ReplicationFault(
        "high-watermark-waits-for-the-minimum",
        "",
        Expected.CONFORMS,
        "A leader that was elected while too few replicas were in sync serves nothing until enough "
        "are.",
        Served(alter_reads(_lags_while_short)),
    ),
)
