"""The model: what the reference answers to lookups, and what writes make of a partition."""

from collections.abc import Callable, Mapping

from spec.frozen import frozen
from spec.kafka import Error
from spec.offsets.outcomes import Committed, EpochEndAnswer, Found, ListOffsetsAnswer
from spec.offsets.releases import DeletedRecords, MetadataUnit, OffsetSemantics
from spec.offsets.steps import (
    EARLIEST,
    EARLIEST_LOCAL,
    EARLIEST_PENDING,
    EPOCH_SINCE,
    LARGEST,
    LATEST,
    LATEST_TIERED,
    SPECIALS,
    AppendTimed,
    Commit,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetForLeaderEpoch,
    Text,
)
from spec.offsets.timeline import TimedRecord, Timeline, first_since, largest_of, target_of
from spec.outcomes import Outcome
from spec.steps import DeleteRecords

Timelines = tuple[Timeline, ...]
"""The partitions of a layout, by number."""


def is_known(lookup: Lookup, version: int) -> bool:
    """Whether a version of ListOffsets has what is asked for: every timestamp from 0 on, and the
    special ones that it came with.
    """
    if not lookup.is_special:
        return True
    return lookup.timestamp in SPECIALS and version >= SPECIALS[lookup.timestamp][1]


def is_named_twice(request: ListOffsets, partition: int) -> bool:
    """Whether a request names a partition more than once."""
    return [lookup.partition for lookup in request.lookups].count(partition) > 1


def look_up(
    timelines: Timelines, lookup: Lookup, request: ListOffsets, semantics: OffsetSemantics
) -> Found:
    """The reference's answer to one lookup of a request.

    Source: KafkaApis.scala, handleListOffsetRequest; ReplicaManager.scala, fetchOffset;
    UnifiedLog.java, fetchOffsetByTimestamp, of Kafka 4.3.1.
    """
    error = _refusal(timelines, lookup, request)
    if error:
        return Found(lookup.partition, error)
    timeline = timelines[lookup.partition]
    epoch = 0 if request.version >= EPOCH_SINCE else None
    if not lookup.is_special or lookup.timestamp == LARGEST:
        stamp = _by_time(timeline, lookup, semantics)
        if stamp is None or stamp.offset >= _bound(timeline, request.isolation, semantics):
            return Found(lookup.partition)
        return Found(lookup.partition, 0, stamp.offset, stamp.time, epoch)
    return _at_an_end(timeline, lookup, _bound(timeline, request.isolation, semantics), epoch)


def _bound(timeline: Timeline, isolation: int, semantics: OffsetSemantics) -> int:
    return (
        timeline.batch_bound(isolation) if semantics.stable_in_batch else timeline.bound(isolation)
    )


def _refusal(timelines: Timelines, lookup: Lookup, request: ListOffsets) -> Error:
    if is_named_twice(request, lookup.partition):
        return Error.INVALID_REQUEST
    if not is_known(lookup, request.version):
        return Error.UNSUPPORTED_VERSION
    if lookup.partition >= len(timelines):
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if request.version < EPOCH_SINCE or not lookup.leader_epoch:
        return Error.NONE
    return Error.FENCED_LEADER_EPOCH if lookup.leader_epoch < 0 else Error.UNKNOWN_LEADER_EPOCH


def _at_an_end(timeline: Timeline, lookup: Lookup, bound: int, epoch: int | None) -> Found:
    if lookup.timestamp in {LATEST_TIERED, EARLIEST_PENDING}:
        return Found(lookup.partition)
    if lookup.timestamp == LATEST:
        return Found(lookup.partition, 0, bound, None, epoch)
    assert lookup.timestamp in {EARLIEST, EARLIEST_LOCAL}
    return Found(lookup.partition, 0, timeline.start, None, epoch)


def _by_time(timeline: Timeline, lookup: Lookup, semantics: OffsetSemantics) -> TimedRecord | None:
    by_segment = semantics.deleted is DeletedRecords.BY_SEGMENT
    if lookup.timestamp == LARGEST and lookup.is_special:
        return largest_of(iter(timeline.stamps) if by_segment else timeline.kept_stamps())
    target = target_of(lookup.timestamp, relative=lookup.relative)
    found = first_since(timeline, target, timeline.end)
    return found if not by_segment else first_in_its_segment(timeline, target)


def first_in_its_segment(timeline: Timeline, target: float) -> TimedRecord | None:
    """The first record from the log start on that is late enough, of the first segment that ever
    held one that is; None where that segment holds none any more.
    """
    ever = next(
        (one for one in timeline.stamps if one.time is not None and one.time >= target), None
    )
    found = first_since(timeline, target, timeline.end)
    return (
        found if ever is not None and found is not None and ever.segment == found.segment else None
    )


def deleted_to(timeline: Timeline, offset: int) -> tuple[Timeline, Error]:
    """A partition after DeleteRecords to an offset; -1 stands for the high watermark."""
    wanted = timeline.end if offset == -1 else offset
    if not 0 <= wanted <= timeline.end:
        return timeline, Error.OFFSET_OUT_OF_RANGE
    return timeline.deleted_to(wanted), Error.NONE


def epoch_end(timeline: Timeline, step: OffsetForLeaderEpoch) -> EpochEndAnswer:
    """The end of a leader epoch: of the current one the log end; of an older one, under which
    nothing lies here, the log start, where the current one begins; of a newer one nothing.

    Source: LeaderEpochFileCache.java, endOffsetFor, of Kafka 4.3.1.
    """
    if step.current:
        older = step.current < 0
        return EpochEndAnswer(Error.FENCED_LEADER_EPOCH if older else Error.UNKNOWN_LEADER_EPOCH)
    if step.epoch > 0:
        return EpochEndAnswer()
    return EpochEndAnswer(0, step.epoch, timeline.start if step.epoch else timeline.end)


Commits = Mapping[int, Commit]
"""The last commit of each partition, in the scenario's group."""


def measure(commit: Commit, unit: MetadataUnit) -> int:
    """The size of a commit's metadata in some unit."""
    sizes = {
        MetadataUnit.UTF16: commit.units,
        MetadataUnit.BYTES: commit.size,
        MetadataUnit.CHARACTERS: commit.length,
    }
    return sizes[unit]


def commit_error(commit: Commit, partitions: int, semantics: OffsetSemantics) -> Error:
    """The error of one partition's commit.

    Source: KafkaApis.scala, handleOffsetCommitRequest; OffsetMetadataManager.java,
    isMetadataInvalid, of Kafka 4.3.1.
    """
    if commit.partition >= partitions:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    too_large = measure(commit, semantics.metadata_unit) > semantics.metadata_max
    return Error.OFFSET_METADATA_TOO_LARGE if too_large else Error.NONE


def committed_offset(commits: Commits, partition: int) -> Committed:
    """What OffsetFetch answers of one partition."""
    commit = commits.get(partition)
    if commit is None:
        return Committed(partition)
    text = commit.text if commit.length else Text.ASCII
    return Committed(partition, 0, commit.offset, commit.length, text)


Committing = Callable[[OffsetCommit, int, OffsetSemantics], tuple[Error, ...]]
Recalling = Callable[[Commits, int], Committed]


def commit_errors(
    step: OffsetCommit, partitions: int, semantics: OffsetSemantics
) -> tuple[Error, ...]:
    """The error of each partition's commit; each is decided by itself."""
    return tuple([commit_error(commit, partitions, semantics) for commit in step.commits])


EndingEpoch = Callable[[Timeline, OffsetForLeaderEpoch], EpochEndAnswer]
LookingUp = Callable[[Timelines, Lookup, ListOffsets, OffsetSemantics], Found]
Deleting = Callable[[Timeline, int], tuple[Timeline, Error]]
Altering = Callable[[ListOffsets, tuple[Found, ...]], Outcome]


def as_it_is(request: ListOffsets, found: tuple[Found, ...]) -> Outcome:
    """The answer to a request: what was found, in the order of the lookups, each partition once."""
    del request
    return ListOffsetsAnswer(tuple(dict.fromkeys(found)))


@frozen
class Broker:
    """Everything that decides, so that a planted fault can take the place of each part.

    Attributes:
        looking_up: what is found.
        deleting: how far the log start moves.
        altering: what becomes of what was found.
        ending_epoch: where a leader epoch ends.
        low_on_refusal: whether a refused DeleteRecords has a low watermark.
        committing: which commits are taken.
        recalling: what is remembered of them.
        lists_refused: whether a refused commit has an entry in the answer.
    """

    looking_up: LookingUp = look_up
    deleting: Deleting = deleted_to
    altering: Altering = as_it_is
    ending_epoch: EndingEpoch = epoch_end
    low_on_refusal: bool = False
    committing: Committing = commit_errors
    recalling: Recalling = committed_offset
    lists_refused: bool = True


REFERENCE = Broker()


def timelines_after(
    timelines: Timelines, step: object, deleting: Deleting = deleted_to
) -> Timelines:
    """The partitions after a write that was done; the same after any other step."""
    if isinstance(step, AppendTimed):
        changed = timelines[step.partition].with_batch(step.times)
    elif isinstance(step, DeleteRecords):
        changed, _ = deleting(timelines[step.partition], step.offset)
    else:
        return timelines
    return (*timelines[: step.partition], changed, *timelines[step.partition + 1 :])
