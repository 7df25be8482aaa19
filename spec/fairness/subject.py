"""Fair consumption as a subject."""

from spec.fairness.bounds import NUMBERS
from spec.fairness.chapters import CHAPTERS
from spec.fairness.dry_run import answer_all
from spec.fairness.observer import judge
from spec.fairness.outcomes import (
    CommitReturned,
    PollReturned,
    PositionReturned,
    RecordsSent,
    StepDone,
)
from spec.fairness.releases import FAIRNESS_RELEASES
from spec.fairness.requirements import FROZEN
from spec.fairness.steps import (
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    CloseClient,
    CommitPositions,
    CutResponse,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    Idle,
    LimitMessages,
    MoveLeader,
    PausePartitions,
    Poll,
    RefuseMembers,
    ResumePartitions,
    SeekTo,
    SendRecords,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.steps import Append, DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="fairness",
    prefix="FAI",
    steps=(
        StartClient,
        AssignPartitions,
        SubscribeTopics,
        Poll,
        PausePartitions,
        ResumePartitions,
        SeekTo,
        AskPosition,
        CommitPositions,
        AcknowledgeRecords,
        Idle,
        SendRecords,
        LimitMessages,
        CloseClient,
        DamageBatch,
        CutResponse,
        FailPartition,
        FailSessions,
        GiveOtherwise,
        MoveLeader,
        TruncateLog,
        EndLocks,
        RefuseMembers,
        Append,
        DeleteRecords,
    ),
    outcomes=(PollReturned, PositionReturned, CommitReturned, RecordsSent, StepDone),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=FAIRNESS_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
