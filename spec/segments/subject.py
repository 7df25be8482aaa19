"""Segments as a subject."""

from spec.segments.bounds import NUMBERS
from spec.segments.chapters import CHAPTERS
from spec.segments.dry_run import answer_all
from spec.segments.observer import judge
from spec.segments.outcomes import (
    FilesSeen,
    LogDirAnswer,
    OffsetAnswer,
    SegmentsRead,
    SegmentsReady,
)
from spec.segments.releases import SEGMENT_RELEASES
from spec.segments.requirements import FROZEN
from spec.segments.steps import (
    AlterSegments,
    AppendBatch,
    AskOffset,
    AskTime,
    AwaitRetention,
    DescribeLogDirs,
    LookAtFiles,
    ReadSegments,
    ResendBatch,
    UseSegments,
)
from spec.steps import DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="segments",
    prefix="SEG",
    steps=(
        UseSegments,
        AlterSegments,
        AppendBatch,
        ResendBatch,
        DescribeLogDirs,
        AskOffset,
        AskTime,
        ReadSegments,
        LookAtFiles,
        AwaitRetention,
        DeleteRecords,
    ),
    outcomes=(SegmentsReady, LogDirAnswer, OffsetAnswer, SegmentsRead, FilesSeen),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=SEGMENT_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
