"""Offsets as a subject."""

from spec.offsets.bounds import NUMBERS
from spec.offsets.chapters import CHAPTERS
from spec.offsets.dry_run import answer_all
from spec.offsets.observer import judge
from spec.offsets.outcomes import (
    EpochEndAnswer,
    ListOffsetsAnswer,
    OffsetCommitAnswer,
    OffsetFetchAnswer,
)
from spec.offsets.releases import OFFSET_RELEASES
from spec.offsets.requirements import FROZEN
from spec.offsets.steps import (
    AppendTimed,
    ListOffsets,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
from spec.steps import DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="offsets",
    prefix="OFF",
    steps=(
        ListOffsets,
        AppendTimed,
        OffsetForLeaderEpoch,
        OffsetCommit,
        OffsetFetch,
        DeleteRecords,
    ),
    outcomes=(ListOffsetsAnswer, EpochEndAnswer, OffsetCommitAnswer, OffsetFetchAnswer),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=OFFSET_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
