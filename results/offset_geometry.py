"""The picture of a step about offsets: what is looked up, in words, and where in the offsets of its
partition the answer lies.
"""

from collections.abc import Sequence

from results.shapes import Box, Panel, Row
from results.text import count_of
from spec.kafka import READ_COMMITTED, error_name
from spec.layout import Codec
from spec.log import Log, Stored
from spec.offsets.outcomes import (
    Committed,
    EpochEndAnswer,
    Found,
    ListOffsetsAnswer,
    OffsetCommitAnswer,
    OffsetFetchAnswer,
)
from spec.offsets.steps import (
    SPECIALS,
    AppendTimed,
    Commit,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
    OffsetStep,
)
from spec.outcomes import AppendAnswer, Outcome

_MOST_NAMED = 8
"""Times of records that are named in words."""


def offset_panel(
    logs: Sequence[Log], number: int, step: OffsetStep, outcome: Outcome | None, other: str
) -> Panel:
    """One step of a history about offsets.

    Args:
        logs: each partition's log as the step meets it.
        number: the step's.
        step: what is done.
        outcome: what came back; None where it was not played.
        other: what to say of an outcome that is none about offsets.
    """
    rows: tuple[Row, ...] = ()
    match step:
        case ListOffsets(lookups=lookups):
            found = outcome.found if isinstance(outcome, ListOffsetsAnswer) else None
            pairs = enumerate(lookups)
            rows = tuple([_lookup(logs, one, _answer_of(found, at, one)) for at, one in pairs])
        case OffsetForLeaderEpoch(partition=partition):
            end = outcome if isinstance(outcome, EpochEndAnswer) else None
            rows = (_end_of_epoch(logs, partition, end),)
        case OffsetCommit(commits=commits):
            errors = outcome.errors if isinstance(outcome, OffsetCommitAnswer) else None
            rows = tuple([_commit(one, errors) for one in commits])
        case OffsetFetch(partitions=partitions):
            known = outcome.committed if isinstance(outcome, OffsetFetchAnswer) else None
            rows = tuple([_commit_row(one, known) for one in partitions])
    return Panel(f"step {number}: {_words(step)}", rows, _outcome(outcome, other))


def _words(step: OffsetStep) -> str:
    match step:
        case AppendTimed(partition=partition, times=times):
            shown = ", ".join(map(str, times[:_MOST_NAMED]))
            more = ", …" if len(times) > _MOST_NAMED else ""
            codec = "" if step.codec is Codec.NONE else f", {step.codec.value}"
            return (
                f"append {count_of(len(times), 'record')} to partition {partition}"
                f"{codec}, time{'s' * (len(times) != 1)} {shown}{more}"
            )
        case ListOffsets(version=version, isolation=isolation):
            named = {0: "read_uncommitted", READ_COMMITTED: "read_committed"}
            return f"ListOffsets v{version} {named.get(isolation, f'isolation={isolation}')}"
        case OffsetForLeaderEpoch(version=version, epoch=epoch, current=current):
            sent = "" if current is None else f", sent as current: {_epoch(current)}"
            return f"OffsetForLeaderEpoch v{version} of {_epoch(epoch)}{sent}"
        case OffsetCommit(version=version):
            return f"OffsetCommit v{version}"
        case OffsetFetch(version=version, require_stable=stable):
            return f"OffsetFetch v{version}{' require_stable' if stable else ''}"
    return step.name


def _lookup(logs: Sequence[Log], lookup: Lookup, found: Found | None) -> Row:
    wanted = _lookup_words(lookup)
    if lookup.leader_epoch is not None:
        wanted += f", sent as current: {_epoch(lookup.leader_epoch)}"
    answer, offset, refused = "", None, False
    if found is not None:
        offset, refused = found.offset, bool(found.error)
        words = [error_name(found.error)] if found.error else []
        words += ["no offset"] if offset is None and not refused else []
        words += [f"offset {offset}"] if offset is not None else []
        words += [f"time {found.timestamp}"] if found.timestamp is not None else []
        words += [_epoch(found.leader_epoch)] if found.leader_epoch else []
        answer = ", ".join(words)
    return _over_offsets(logs, lookup.partition, wanted, answer, offset, refused=refused)


def _lookup_words(lookup: Lookup) -> str:
    if lookup.relative:
        return f"the first offset from the time {lookup.timestamp} on"
    if lookup.timestamp in SPECIALS:
        return f"the {SPECIALS[lookup.timestamp][0]} offset"
    return f"timestamp {lookup.timestamp}"


def _epoch(relative: int) -> str:
    """A leader epoch, by the partition's current one."""
    return f"the current epoch{f' {relative:+d}' if relative else ''}"


def _answer_of(found: Sequence[Found] | None, place: int, lookup: Lookup) -> Found | None:
    """The answer to a lookup: that of its place, or another one for its partition."""
    if found is None:
        return None
    if place < len(found) and found[place].partition == lookup.partition:
        return found[place]
    return next((one for one in found if one.partition == lookup.partition), None)


def _end_of_epoch(logs: Sequence[Log], partition: int, end: EpochEndAnswer | None) -> Row:
    if end is None:
        return _over_offsets(logs, partition, "the end of the epoch", "", None)
    words = [error_name(end.error)] if end.error else []
    words += [] if end.epoch is None else [_epoch(end.epoch)]
    words += ["no offset" if end.offset is None else f"end offset {end.offset}"]
    wanted, refused = "the end of the epoch", bool(end.error)
    return _over_offsets(logs, partition, wanted, ", ".join(words), end.offset, refused=refused)


def _over_offsets(
    logs: Sequence[Log],
    partition: int,
    wanted: str,
    answer: str,
    offset: int | None,
    *,
    refused: bool = False,
) -> Row:
    """A partition's log by offsets, with a mark where the answer lies, if it is in the log or at
    its end.
    """
    if not 0 <= partition < len(logs):
        title = f"partition {partition}, which does not exist: {wanted}"
        return Row(title, answer=answer, refused=refused)
    log = logs[partition]
    near = offset is not None and 0 <= offset <= log.end
    return Row(
        f"partition {partition}, by offsets: {wanted}",
        boxes=tuple([_box(batch, log) for batch in log.batches]),
        length=log.end,
        log_start=log.start or None,
        answered=((offset, 1),) if near and offset is not None else (),
        answer=answer,
        refused=refused,
    )


def _box(batch: Stored, log: Log) -> Box:
    kind = "plain" if batch.txn is None else "txn"
    if batch.control:
        kind = "abort" if batch.txn in {one.txn for one in log.aborted} else "commit"
    label = f"offsets {batch.base} to {batch.last}"
    return Box(batch.base, batch.last - batch.base + 1, batch.base, kind, label)


def _commit(commit: Commit, errors: Sequence[tuple[int, int]] | None) -> Row:
    metadata = f", {commit.size} bytes of metadata" if commit.length else ""
    error = next((code for number, code in errors or () if number == commit.partition), None)
    answer = "" if errors is None else "without an entry for it"
    if error is not None:
        answer = error_name(error) if error else "without an error"
    title = f"partition {commit.partition}: offset {commit.offset}{metadata}"
    return Row(title, answer=answer, refused=bool(error))


def _commit_row(partition: int, known: Sequence[Committed] | None) -> Row:
    if known is None:
        return Row(f"partition {partition}")
    found = next((one for one in known if one.partition == partition), None)
    if found is None:
        return Row(f"partition {partition}", answer="without an entry for it")
    words = [error_name(found.error)] if found.error else []
    words += ["no offset" if found.offset is None else f"offset {found.offset}"]
    words += [f"{found.length} characters of metadata"] if found.length else []
    return Row(f"partition {partition}", answer=", ".join(words), refused=bool(found.error))


def _outcome(outcome: Outcome | None, other: str) -> str:
    match outcome:
        case None | ListOffsetsAnswer() | OffsetCommitAnswer() | EpochEndAnswer():
            return ""
        case OffsetFetchAnswer(error=error):
            return f"answered {error_name(error)}" if error else ""
        case AppendAnswer(error=0, offset=offset):
            return f"answered offset {offset}"
    return other
