"""What can come back of a step of segments. Offsets are relative to the layout's base, times to the
partition's.
"""

from spec.frozen import frozen
from spec.outcomes import Outcome


@frozen
class SegmentsReady(Outcome):
    """The layout's partition belongs to such a topic."""


@frozen
class LogDirAnswer(Outcome):
    """The answer to DescribeLogDirs.

    Attributes:
        error: the error code of the log directory.
        size: bytes of the partition; None where the answer does not have it.
    """

    error: int = 0
    size: int | None = None


@frozen
class OffsetAnswer(Outcome):
    """The answer to ListOffsets: the error code and the offset, None where it is -1."""

    error: int = 0
    offset: int | None = None


@frozen
class SegmentBatch:
    """A batch as it lies in the log.

    Attributes:
        base, last: its first and last offset.
        size: bytes of the whole batch.
        time: the largest timestamp of its header; None where that is -1.
    """

    base: int
    last: int
    size: int
    time: int | None


@frozen
class SegmentsRead(Outcome):
    """What was fetched, answer by answer.

    Attributes:
        error: the error code of the last answer.
        high_watermark: where the readable part ends.
        runs: the batches of each answer that had some.
    """

    error: int = 0
    high_watermark: int = 0
    runs: tuple[tuple[SegmentBatch, ...], ...] = ()


@frozen
class SegmentFiles:
    """The files of a segment.

    Attributes:
        base: the offset by which they are named.
        size: bytes of the .log up to the end of its last whole batch.
        batches: what the .log holds.
        offsets: the entries of the .index: offsets relative to the base, with positions.
        times: the entries of the .timeindex: times, with offsets relative to the base.
        index_size, time_index_size: bytes of these files; 0 where there is none.
        log_size: bytes of the .log, what lies behind its last whole batch included; None where that
            was not looked at.
    """

    base: int
    size: int = 0
    batches: tuple[SegmentBatch, ...] = ()
    offsets: tuple[tuple[int, int], ...] = ()
    times: tuple[tuple[int, int], ...] = ()
    index_size: int = 0
    time_index_size: int = 0
    log_size: int | None = None


@frozen
class FileBreak:
    """A rule of data folders that a file breaks: its id, and what was expected and found."""

    rule: str
    what: str


@frozen
class FilesSeen(Outcome):
    """The files of the partition.

    Attributes:
        segments: in order, the active one last.
        looked: the ids of the rules of data folders for which there was a file.
        broken: those that a file breaks.
    """

    segments: tuple[SegmentFiles, ...] = ()
    looked: tuple[str, ...] = ()
    broken: tuple[FileBreak, ...] = ()
