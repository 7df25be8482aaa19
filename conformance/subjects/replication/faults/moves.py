"""Ways to be wrong about leaders that move and about followers, and ways to be right otherwise."""

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
from spec.outcomes import Closed
from spec.replication.dry_run import Served
from spec.replication.model import MODEL_BROKERS, State, answer, selected_replica
from spec.replication.outcomes import (
    NO_BROKER,
    EpochEnd,
    LatestAnswer,
    Moved,
    NamedLeader,
    ReadResult,
    WriteAnswer,
)
from spec.replication.steps import (
    FOLLOWER,
    PRODUCE_LEADER_SINCE,
    RACK_SINCE,
    REPLICAS,
    STRANGER,
    Asked,
    AskEpochEnd,
    AskLatest,
    Read,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.outcomes import Outcome


def _stranger_hangs_up(state: State, step: Asked) -> Outcome:
    return Closed("reset") if step.actor == STRANGER else answer(state, step)


def _former_leader_writes(state: State, step: Asked) -> Outcome:
    if isinstance(step, Write) and step.actor == state.follower and state.epoch:
        return WriteAnswer(0, state.end)
    return answer(state, step)


def _new_leader_takes_none(state: State, step: Asked) -> Outcome:
    if isinstance(step, Write) and step.actor == state.leader and state.epoch:
        return WriteAnswer(Error.NOT_LEADER_OR_FOLLOWER)
    return answer(state, step)


def _old_versions_read_anywhere(state: State, step: Asked) -> Outcome:
    if isinstance(step, Read) and step.version < RACK_SINCE and step.actor in REPLICAS:
        return answer(state, replace(step, actor=state.leader))
    return answer(state, step)


def _epoch_stays(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    return replace(found, epoch=state.epoch) if isinstance(found, Moved) else found


def _epoch_by_two(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    return replace(found, epoch=state.epoch + 2) if isinstance(found, Moved) else found


def _follower_checks_no_epoch(state: State, step: Asked) -> Outcome:
    if isinstance(step, Read) and step.actor == state.follower and step.version >= RACK_SINCE:
        return answer(state, replace(step, epoch=None))
    return answer(state, step)


def _older_epochs_pass(state: State, step: Asked) -> Outcome:
    if isinstance(step, Read) and step.epoch is not None and step.epoch < 0:
        return answer(state, replace(step, epoch=0))
    return answer(state, step)


def _rename_leader(
    change: Callable[[State, NamedLeader], NamedLeader | None],
) -> Callable[..., Outcome]:
    """Name the current leader otherwise."""

    def answering(state: State, step: Asked) -> Outcome:
        found = answer(state, step)
        if isinstance(found, WriteAnswer | ReadResult) and found.leader is not None:
            return replace(found, leader=change(state, found.leader))
        return found

    return answering


def _first_leader(state: State, leader: NamedLeader) -> NamedLeader:
    del state
    return replace(leader, broker=0)


def _older_epoch(state: State, leader: NamedLeader) -> NamedLeader:
    return replace(leader, epoch=max(0, state.epoch - 1))


def _only_newest_produce(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if (
        isinstance(step, Write)
        and isinstance(found, WriteAnswer)
        and step.version == PRODUCE_LEADER_SINCE
    ):
        return replace(found, leader=None)
    return found


def _last_record_lost(state: State, step: Asked) -> Outcome:
    """The newest record of an older epoch is gone once the leader has moved."""
    lost = state.epoch > 0 and bool(state.values) and dict(state.starts).get(state.epoch) is None
    if not lost:
        return answer(state, step)
    return answer(replace(state, values=state.values[:-1]), step)


def _ends_stay(state: State, step: Asked) -> Outcome:
    """The new leader gives offsets from 0 on again."""
    found = answer(state, step)
    if isinstance(found, WriteAnswer) and not found.error and state.epoch not in dict(state.starts):
        return replace(found, offset=0)
    return found


def _follower_is_ahead(state: State, step: Read, found: ReadResult) -> ReadResult:
    return replace(found, high_watermark=state.end + 1) if step.actor == state.follower else found


def _watermark_behind(state: State, step: Read, found: ReadResult) -> ReadResult:
    last = step.offset + len(found.records)
    return replace(found, high_watermark=min(state.ceiling, last))


def _follower_returns_the_first(state: State, step: Read, found: ReadResult) -> ReadResult:
    if step.actor == state.follower and found.records:
        return replace(found, records=tuple(enumerate(state.values)))
    return found


def _new_leader_is_empty(state: State, step: Read, found: ReadResult) -> ReadResult:
    return replace(found, records=()) if step.actor == state.leader and state.epoch else found


def _end_refused(state: State, step: Read, found: ReadResult) -> ReadResult:
    if step.actor == state.leader and step.offset == state.end and state.epoch:
        return ReadResult(Error.OFFSET_OUT_OF_RANGE)
    return found


def _sent_to(role: Callable[[State, Read], int]) -> Callable[[State, Asked], Outcome]:
    """Name another broker as the preferred replica."""

    def change(state: State, step: Read, found: ReadResult) -> ReadResult:
        sent = role(state, step)
        if step.version < RACK_SINCE or sent == found.preferred:
            return found
        records = records_from(state, step) if sent == NO_BROKER else ()
        return replace(found, preferred=sent, records=records)

    return alter_reads(change)


def _any_broker_of_the_rack(state: State, step: Read) -> int:
    del state
    return step.rack if 0 <= step.rack <= STRANGER and step.rack != step.actor else NO_BROKER


def _first_follower_for_ever(state: State, step: Read) -> int:
    if step.actor != state.leader or step.rack != FOLLOWER:
        return selected_replica(state, step)
    return FOLLOWER


def _nobody(state: State, step: Read) -> int:
    del state, step
    return NO_BROKER


def _with_records(state: State, step: Read, found: ReadResult) -> ReadResult:
    return (
        found if found.preferred == NO_BROKER else replace(found, records=records_from(state, step))
    )


def _latest_of_before(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(found, LatestAnswer) and not found.error and state.epoch and state.end:
        return replace(found, offset=state.end - 1)
    return found


def _epochs_end_at_the_end(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(found, EpochEnd) and found.offset is not None:
        return replace(found, offset=state.end)
    return found


def _end_of_newer_epochs(state: State, step: Asked) -> Outcome:
    if isinstance(step, AskEpochEnd) and step.epoch > 0:
        return answer(state, replace(step, epoch=0))
    return answer(state, step)


def _epoch_as_asked(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(step, AskEpochEnd) and isinstance(found, EpochEnd) and found.epoch is not None:
        return replace(found, epoch=state.epoch + step.epoch)
    return found


def _ends_from_anybody(state: State, step: Asked) -> Outcome:
    if isinstance(step, AskLatest) and step.actor in REPLICAS:
        return answer(state, replace(step, actor=state.leader))
    return answer(state, step)


def _followers_do_not_serve(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(step, Read) and step.actor == state.follower and not step.epoch:
        return ReadResult(Error.NOT_LEADER_OR_FOLLOWER, leader=_named_leader(state, step))
    return found


def _named_leader(state: State, step: Read) -> NamedLeader | None:
    found = answer(state, replace(step, actor=STRANGER))
    return found.leader if isinstance(found, ReadResult) else None


def _other_code(state: State, step: Asked) -> Outcome:
    found = answer(state, step)
    if isinstance(found, ReadResult) and found.error == Error.NOT_LEADER_OR_FOLLOWER:
        return replace(found, error=Error.UNKNOWN_TOPIC_OR_PARTITION, leader=None)
    return found


FAULTS: tuple[ReplicationFault, ...] = (
    violates(
        "stranger-hangs-up",
        "REP-001",
        "A broker without a replica closes the connection.",
        _stranger_hangs_up,
    ),
    violates(
        "former-leader-takes-records",
        "REP-002",
        "The leader of before still takes records.",
        _former_leader_writes,
    ),
    violates(
        "new-leader-takes-no-records",
        "REP-111",
        "A leader that was elected says that it does not lead.",
        _new_leader_takes_none,
    ),
    violates(
        "old-versions-read-at-followers",
        "REP-003",
        "A follower serves a Fetch request that is older than follower fetching.",
        _old_versions_read_anywhere,
    ),
    violates(
        "leader-epoch-stays",
        "REP-004",
        "Another leader has the leader epoch of the one before.",
        _epoch_stays,
    ),
    violates(
        "follower-checks-no-epoch",
        "REP-005",
        "A follower does not look at the leader epoch that a consumer knows.",
        _follower_checks_no_epoch,
    ),
    violates(
        "epoch-of-before-passes",
        "REP-005",
        "A leader epoch of before is taken for the current one.",
        _older_epochs_pass,
    ),
    violates(
        "names-the-first-leader",
        "REP-006",
        "An answer names the broker that led the partition first.",
        _rename_leader(_first_leader),
    ),
    violates(
        "names-an-older-epoch",
        "REP-006",
        "An answer names the current leader with the leader epoch of the one before.",
        _rename_leader(_older_epoch),
    ),
    violates(
        "names-no-endpoint",
        "REP-112",
        "An answer names the current leader and not where it is.",
        _rename_leader(lambda _, leader: replace(leader, reachable=False)),
    ),
    violates(
        "offsets-begin-again",
        "REP-007",
        "A new leader gives the first record that it takes the offset 0.",
        _ends_stay,
    ),
    violates(
        "last-record-lost",
        "REP-010",
        "A new leader lacks the last record that was acknowledged, until it takes one.",
        _last_record_lost,
    ),
    violates(
        "follower-ahead-of-its-leader",
        "REP-110",
        "A follower reports a high watermark past the leader's.",
        alter_reads(_follower_is_ahead),
    ),
    violates(
        "follower-ignores-the-offset",
        "REP-008",
        "A follower returns all records whatever the fetch offset is.",
        alter_reads(_follower_returns_the_first),
    ),
    violates(
        "new-leader-returns-nothing",
        "REP-009",
        "A leader that was elected returns no records.",
        alter_reads(_new_leader_is_empty),
    ),
    violates(
        "end-refused-after-a-move",
        "REP-010",
        "A new leader refuses a fetch from the end of the log.",
        alter_reads(_end_refused),
    ),
    violates(
        "sent-to-any-broker-of-the-rack",
        "REP-011",
        "A consumer is sent to the broker of its rack, whether or not that has a replica.",
        _sent_to(_any_broker_of_the_rack),
    ),
    violates(
        "sent-to-the-first-follower",
        "REP-011",
        "A consumer is sent to the replica that followed first, though it leads now.",
        _sent_to(_first_follower_for_ever),
    ),
    violates(
        "latest-offset-behind",
        "REP-012",
        "A leader that was elected gives an end before the last record.",
        _latest_of_before,
    ),
    violates(
        "epochs-end-at-the-end",
        "REP-013",
        "Each leader epoch ends at the end of the log.",
        _epochs_end_at_the_end,
    ),
    deviates(
        "ends-from-followers",
        "REP-101",
        "A follower answers ListOffsets as the leader does.",
        _ends_from_anybody,
    ),
    deviates(
        "other-code-for-reads",
        "REP-102",
        "A read that is refused has UNKNOWN_TOPIC_OR_PARTITION.",
        _other_code,
    ),
    deviates("leader-epoch-by-two", "REP-103", "Each election is two epochs.", _epoch_by_two),
    deviates(
        "names-no-leader",
        "REP-104",
        "No answer names the current leader.",
        _rename_leader(lambda _, __: None),
    ),
    deviates(
        "names-no-leader-at-first",
        "REP-104",
        "The first version of Produce that can name the current leader does not.",
        _only_newest_produce,
    ),
    deviates(
        "followers-do-not-serve",
        "REP-105",
        "A follower serves no consumer.",
        _followers_do_not_serve,
    ),
    deviates(
        "racks-ignored",
        "REP-106",
        "The leader serves every consumer itself, whatever its selector is.",
        _sent_to(_nobody),
    ),
    deviates(
        "sent-away-with-records",
        "REP-107",
        "An answer that names a preferred replica has the records too.",
        alter_reads(_with_records),
    ),
    deviates(
        "newer-epoch-ends-at-the-end",
        "REP-109",
        "A leader epoch that is newer than the current one ends at the end of the log.",
        _end_of_newer_epochs,
    ),
    deviates(
        "epoch-as-asked",
        "REP-108",
        "The end of an epoch comes with the epoch that was asked for.",
        _epoch_as_asked,
    ),
)


def _without_selector(state: State, step: Asked) -> Outcome:
    return answer(replace(state, brokers=replace(state.brokers, selector="")), step)


def _newer_epochs_put_off(state: State, step: Asked) -> Outcome:
    if isinstance(step, AskEpochEnd) and step.epoch > 0 and step.actor == state.leader:
        return EpochEnd(Error.OFFSET_NOT_AVAILABLE)
    return answer(state, step)


VARIANTS: tuple[ReplicationFault, ...] = (
    ReplicationFault(
        "no-replica-selector",
        "",
        Expected.CONFORMS,
        "The cluster has no replica selector: the leader serves all.",
        Served(_without_selector, replace(MODEL_BROKERS, selector="")),
    ),
    ReplicationFault(
        "one-rack",
        "",
        Expected.CONFORMS,
        "All brokers are in one rack: the leader serves its consumers.",
        Served(brokers=replace(MODEL_BROKERS, racks=("a", "a", "a"))),
    ),
    ReplicationFault(
        "high-watermark-behind",
        "",
        Expected.CONFORMS,
        "A high watermark is no further than the records of the answer.",
        Served(alter_reads(_watermark_behind)),
    ),
    ReplicationFault(
        "newer-epochs-put-off",
        "",
        Expected.CONFORMS,
        "A leader puts off the end of an epoch that it has not heard of.",
        Served(_newer_epochs_put_off),
    ),
    ReplicationFault(
        "no-racks",
        "",
        Expected.CONFORMS,
        "No broker has a rack.",
        Served(brokers=replace(MODEL_BROKERS, racks=("", "", ""))),
    ),
)
