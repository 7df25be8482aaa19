"""Possible next actions in a share group's history, a function for each.

Each adds steps to the script, about what the model's members hold by then; one that finds nothing
to be about fetches instead. To confirm is to acknowledge with types of any kind.
"""

from collections.abc import Callable
from enum import Enum, auto

from hypothesis.strategies import SearchStrategy

from generators.share.layouts import RECORDS, batch_of_size
from generators.share.script import EVERYTHING, ShareScript
from generators.weighted import weighted
from spec.frozen import replace
from spec.kafka import INT32_MAX
from spec.share.releases import ShareSemantics, UnknownTopic
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    FINAL_EPOCH,
    OPENING_EPOCH,
    RECORD_LIMIT,
    RENEW_SINCE,
    AcknowledgementBatch,
    AcknowledgeType,
    DropConnection,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords

BYTES = (INT32_MAX, 1, 100, 99, 200, 250)
"""MaxBytes; most batches have 100."""
WAITS_MS = (600, 200)
"""Two settings of the MaxWaitMs of a fetch that waits."""
RELEASE = (AcknowledgeType.RELEASE.value,)
MOST_ACTIONS = 9
MOST_CLOSES = 2
"""Sessions closed in one history beside another partition."""


class Awaited(Enum):
    """What a fetch that is parked waits for, or what keeps it from waiting."""

    RECORDS = auto()
    ROOM = auto()
    """Its MaxBytes have room for one byte, or none."""
    BYTES = auto()
    """Exactly the bytes that come, or one more."""


_awaited = weighted((Awaited.RECORDS, 4), (Awaited.ROOM, 1), (Awaited.BYTES, 1))


def fetch(script: ShareScript) -> None:
    """MaxRecords around the ends of batches."""
    script.add(script.fetch(script.member(), max_records=script.fence()))


def fetch_sized(script: ShareScript) -> None:
    """BatchSize around the ends of batches, in both modes."""
    fields = {
        "batch_size": script.fence(),
        "max_records": EVERYTHING if script.bit() else script.fence(),
    }
    if script.chance(1, 2):
        size = script.one_of((0, -5))
        fields["batch_size"] = 1 if script.has_aborted_to_filter else size
    script.add(script.fetch(script.member(), **fields))


def fetch_in_other_mode(script: ShareScript) -> None:
    """A fetch in the other acquire mode than most."""
    mode = RECORD_LIMIT - script.mode if script.version >= ACQUIRE_MODE_SINCE else 0
    script.add(script.fetch(script.member(), max_records=script.fence(), mode=mode))


def confirm(script: ShareScript) -> None:
    """Parts of what a member holds, one or two of them."""
    member = script.member()
    held = script.held_runs(member) or script.held_runs(script.other_member(member))
    if not held:
        return fetch(script)
    run = script.one_of(held)
    first, last = script.part(run)
    batches = [(run[0], AcknowledgementBatch(first, last, script.kinds(last - first + 1)))]
    if last < run[2] and script.bit():
        batches.append(
            (run[0], AcknowledgementBatch(last + 1, run[2], script.kinds(run[2] - last)))
        )
    owner = member if script.held_runs(member) else script.other_member(member)
    script.add(script.confirm(owner, *batches))
    if any(len(batch.types) > 1 for _, batch in batches):
        fetch(script)  # whether each offset got its own type shows in what is delivered again
    return None


def release_all(script: ShareScript) -> None:
    """All that a member holds is given back, and fetched again by one of both."""
    member = script.member()
    if not script.held_runs(member):
        script.add(script.fetch(member))
    batches = [
        (number, AcknowledgementBatch(first, last, RELEASE))
        for number, first, last in script.held_runs(member)
    ]
    if batches:
        script.add(script.confirm(member, *batches))
    script.add(script.fetch(script.member(), max_records=script.fence()))


def raise_delivery_counts(script: ShareScript) -> None:
    """All that a member holds is given back and fetched again, until the delivery count is near its
    limit.
    """
    member = script.member()
    for _ in range(2 + script.number(4)):
        if not script.held_runs(member):
            script.add(script.fetch(member))
        for number, first, last in script.held_runs(member)[:1]:
            script.add(script.confirm(member, (number, AcknowledgementBatch(first, last, RELEASE))))
    script.add(script.fetch(script.member(), max_records=script.fence()))


def confirm_along(script: ShareScript) -> None:
    """Acknowledgements sent along with a fetch; also of what another holds, or nobody."""
    member = script.member()
    held = script.held_runs(1 - member if script.chance(1, 3) else member)
    if not held or script.opens(member):
        return fetch(script)
    run = script.one_of(held)
    first, last = script.part(run)
    part = SharePartition(
        run[0], (AcknowledgementBatch(first, last, script.kinds(last - first + 1)),)
    )
    return script.add(replace(script.fetch(member, max_records=script.fence()), partitions=(part,)))


def confirm_mistakenly(script: ShareScript) -> None:
    """Acknowledgements of what is not the member's, reaches too far, lies below the start, or has a
    wrong shape.
    """
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=script.fence()))
    held = script.held_runs(member) or [(0, 0, 4)]
    number, first, last = held[0]
    wrong = (
        [(number, AcknowledgementBatch(first, last + 1))],
        [(number, AcknowledgementBatch(last + 1, last + 3))],
        [(number, AcknowledgementBatch(0, last))],
        [
            (number, AcknowledgementBatch(first, last)),
            (number, AcknowledgementBatch(last, last + 1)),
        ],
        [(number, AcknowledgementBatch(first, last)), (number, AcknowledgementBatch(first, first))],
        [(number, AcknowledgementBatch(last + 1, first))],
        [(number, AcknowledgementBatch(first, last, ()))],
        [(number, AcknowledgementBatch(first, last + 2, (1, 1)))],
        [(number, AcknowledgementBatch(first, last, (5,)))],
        [(number, AcknowledgementBatch(first, last, (4,)))],
        [(script.count, AcknowledgementBatch(first, last))],
        [(script.count + 1, AcknowledgementBatch(first, last))],
    )
    owner = member if script.bit() else script.other_member(member)
    script.add(script.confirm(owner, *script.one_of(wrong)))


def renew(script: ShareScript) -> None:
    """Locks renewed, where the release knows it."""
    member = script.member()
    held = script.held_runs(member)
    if not held or script.version < RENEW_SINCE:
        return confirm(script)
    first, last = script.part(held[0])
    renewed = AcknowledgementBatch(first, last, (AcknowledgeType.RENEW.value,))
    if not script.chance(1, 2):
        return script.add(script.confirm(member, (held[0][0], renewed), renew=True))
    none = script.bit()
    limits = {"max_records": 0, "max_bytes": 0, "min_bytes": 0, "max_wait_ms": none}
    return script.add(
        replace(
            script.fetch(member, **limits),
            partitions=(SharePartition(held[0][0], (renewed,)),),
            renew=True,
        )
    )


def append(script: ShareScript) -> None:
    """Records come; not to a log that was placed as files, whose segments are as they are."""
    if not script.appends:
        return fetch(script)
    return script.add(Append(script.number(script.count), batch_of_size(script.draw(RECORDS))))


def delete(script: ShareScript) -> None:
    """The log start moves to the end of a batch or into one; or into one that is still to be
    acquired, and fetches find that out.

    Not beside another partition, nor before a reload: no answer reports what of it an earlier read
    has found.
    """
    if script.count > 1 or script.gone is not None or script.play.scenario.layout.is_crafted:
        return fetch(script)
    log, state = script.play.state.logs[0], script.records(0)
    fresh = [
        batch
        for batch in log.batches
        if state is not None and state.cached and batch.base > state.end
    ]
    if fresh and script.bit():
        member = script.member()
        script.add(DeleteRecords(0, max(script.one_of(fresh).last, log.start)))
        script.add(script.fetch(member))
        return script.add(script.fetch(member, max_records=script.fence()))
    offset = script.one_of(log.batches).last + 1 - script.bit() if log.batches else 0
    return script.add(DeleteRecords(0, min(max(offset, log.start), log.end)))


def confirm_across(script: ShareScript) -> None:
    """An acknowledgement across the share-partition start offset where nothing is in flight any
    more.
    """
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=0))
    for owner in dict.fromkeys((member, script.other_member(member))):
        held = [
            (number, AcknowledgementBatch(first, last))
            for number, first, last in script.held_runs(owner)
            if not number
        ]
        if held:
            script.add(script.confirm(owner, *held))
    state = script.records(0)
    if state is None or state.cached or not state.start:
        return fetch(script)
    return script.add(
        script.confirm(
            member, (0, AcknowledgementBatch(state.start - 1, state.start + script.number(12)))
        )
    )


def send_wrong_epoch(script: ShareScript) -> None:
    """A wrong epoch, or one where there is no session."""
    member = script.member()
    skew = script.one_of((1, -1, 2))
    if script.bit():
        return script.add(replace(script.fetch(member), skew=skew))
    return script.add(replace(script.confirm(member), skew=skew))


def open_again(script: ShareScript) -> None:
    """A session is opened again, with what it held still held; or opened with acknowledgements,
    which is refused.
    """
    member = script.member()
    parts = script.every_partition
    if script.chance(1, 3):
        parts = (SharePartition(0, (AcknowledgementBatch(0, 0),)), *parts[1:])
    script.add(
        replace(
            script.fetch(member, max_records=script.fence()), epoch=OPENING_EPOCH, partitions=parts
        )
    )


def close(script: ShareScript) -> None:
    """A session is closed, with a last acknowledgement or without, and another member comes for
    what it held.

    Beside another partition no more than twice: the states that are possible grow too many, as
    those of a lost connection do.
    """
    if script.count > 1 and script.closes >= MOST_CLOSES:
        return fetch(script)
    member = script.member()
    held = script.held_runs(member)
    accept = AcknowledgementBatch(*script.part(held[0])) if held and script.bit() else None
    if script.chance(1, 3):
        script.add(
            replace(
                script.confirm(member, *([(held[0][0], accept)] if accept else [])),
                epoch=FINAL_EPOCH,
            )
        )
    else:
        named = (SharePartition(held[0][0], (accept,)),) if accept else ()
        script.add(ShareFetch(named, epoch=FINAL_EPOCH, version=script.version, actor=member))
    return script.add(script.fetch(script.other_member(member), max_records=script.fence()))


def lose_connection(script: ShareScript) -> None:
    """A connection is lost, and the other member comes for what was held on it.

    Not beside another partition: the broker notices it in each at a moment of its own, and the
    states that are possible grow too many.
    """
    if script.count > 1 or script.gone is not None or script.has(DeleteRecords):
        return fetch(script)
    script.gone = script.member()
    script.add(DropConnection(script.gone))
    return script.add(script.fetch(1 - script.gone, max_records=script.fence()))


def change_partitions(script: ShareScript) -> None:
    """Partitions forgotten and added, some of which do not exist."""
    member = script.member()
    number = script.one_of((0, script.count, script.count + 1, script.count - 1))
    if number > script.count and fails_on_unknown_topic(script):
        return fail_on_unknown_topic(script, member, number)
    added = (SharePartition(number),)
    forgotten = (script.number(script.count),) if script.chance(2, 1) else ()
    return script.add(
        replace(
            script.fetch(member, max_records=script.fence()), partitions=added, forgotten=forgotten
        )
    )


def fails_on_unknown_topic(script: ShareScript) -> bool:
    """Whether a topic id that no topic has fails the whole request."""
    semantics = script.play.semantics.of(ShareSemantics)
    return semantics.unknown_topic is UnknownTopic.REQUEST


def fail_on_unknown_topic(script: ShareScript, member: int, number: int) -> None:
    """A request that fails on an unknown topic after its session was looked at, an epoch that the
    session may not expect then, and the one that it expects (SHR-006), in a request that takes the
    topic out of the session again.

    The request that fails names nothing else: what it acquired elsewhere would be held, and no
    answer would show it (DIV-05).
    """
    every = tuple(range(script.count))
    named = script.fetch(member, max_records=script.fence())
    script.add(replace(named, partitions=(SharePartition(number),), forgotten=every))
    again = replace(named, partitions=script.every_partition, forgotten=(number,))
    if script.bit():
        script.add(replace(again, skew=script.one_of((-1, 1))))
    script.add(again)


def name_partition_again(script: ShareScript) -> None:
    """A partition is forgotten, named again, and served without being named once there is more."""
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=1))
    number = script.number(script.count)
    script.add(replace(script.fetch(member, max_records=script.fence()), forgotten=(number,)))
    again = (SharePartition(number),)
    script.add(replace(script.fetch(member, max_records=1), partitions=again))
    if script.appends:
        script.add(Append(number, batch_of_size(script.draw(RECORDS))))
    script.add(script.fetch(member))


def forget_several(script: ShareScript) -> None:
    """Two partitions are forgotten at once, in either order; records come to both, and the session
    is fetched without naming them.
    """
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=1))
    first = script.number(script.count)
    second = (first + 1 + script.number(script.count - 1)) % script.count
    script.add(script.fetch(member, max_records=1))
    script.add(replace(script.fetch(member), forgotten=(first, second)))
    for number in (first, second):
        script.add(Append(number, batch_of_size(script.draw(RECORDS))))
    script.add(script.fetch(member))


def repeat(script: ShareScript) -> None:
    """A fetch waits, and its member sends it again over another connection; then records come."""
    member = script.member()
    script.add(script.fetch(member))
    session = script.play.state.session(member)
    if session is None:
        return fetch(script)
    waits = script.fetch(member, max_wait_ms=script.one_of(WAITS_MS), parked=True)
    script.add(waits)
    script.add(replace(waits, connection=1, epoch=session.epoch, parked=False))
    append(script)
    return script.add(script.fetch(member, max_records=script.fence()))


def fetch_bytes(script: ShareScript) -> None:
    """MaxBytes around the first batches."""
    script.add(script.fetch(script.member(), max_bytes=script.one_of(BYTES)))


def send_invalid_fetch(script: ShareScript) -> None:
    """No records wanted, fewer than none, or an acquire mode that does not exist."""
    if script.version >= ACQUIRE_MODE_SINCE and script.chance(1, 2):
        return script.add(script.fetch(script.member(), mode=2))
    return script.add(script.fetch(script.member(), max_records=script.one_of((0, -1))))


def fetch_in_another_version(script: ShareScript) -> None:
    """A fetch in another version of the request that the broker knows."""
    share = script.play.semantics.of(ShareSemantics)
    version = script.one_of(range(share.oldest_fetch, share.newest_fetch + 1))
    mode = script.mode if version >= ACQUIRE_MODE_SINCE else 0
    script.add(
        replace(
            script.fetch(script.member(), max_records=script.fence()), version=version, mode=mode
        )
    )


def park(script: ShareScript) -> None:
    """A fetch waits while records come, or the other member gives some back; by chance for exactly
    the bytes that come or one more, or with room for no byte or one.
    """
    member, waits_for = script.member(), script.draw(_awaited)
    come = batch_of_size(script.draw(RECORDS))
    fields = {}
    if waits_for is Awaited.ROOM:
        fields = {"max_bytes": script.one_of((1, 0))}
    elif waits_for is Awaited.BYTES and script.count == 1 and script.appends:
        fields = {"min_bytes": script.readable_bytes + come.size + script.bit()}
    script.add(script.fetch(member, max_wait_ms=script.one_of(WAITS_MS), parked=True, **fields))
    held = (
        script.held_runs(script.other_member(member)) if script.gone is None and not fields else []
    )
    if held and script.bit():
        number, first, last = held[0]
        return script.add(
            script.confirm(
                script.other_member(member),
                (number, AcknowledgementBatch(first, last, script.kinds(1))),
            )
        )
    if not script.appends:
        return fetch(script)
    return script.add(Append(script.number(script.count), come))


Action = Callable[[ShareScript], None]
_actions: SearchStrategy[Action | None] = weighted(
    (None, 6),
    (fetch, 14),
    (confirm, 14),
    (release_all, 12),
    (raise_delivery_counts, 3),
    (fetch_sized, 10),
    (fetch_in_other_mode, 5),
    (confirm_along, 8),
    (confirm_mistakenly, 11),
    (renew, 4),
    (append, 4),
    (delete, 7),
    (confirm_across, 3),
    (close, 6),
    (send_wrong_epoch, 3),
    (open_again, 3),
    (lose_connection, 3),
    (change_partitions, 5),
    (fetch_bytes, 4),
    (send_invalid_fetch, 3),
    (park, 5),
    (fetch_in_another_version, 3),
)


def act(script: ShareScript, most: int = MOST_ACTIONS) -> None:
    """Do one action after the other: so many at most, or until one ends the history."""
    for _ in range(most):
        action = script.draw(_actions)
        if action is None or script.ended:
            break
        action(script)
