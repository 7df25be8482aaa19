"""Several brokers as a subject."""

from spec.replication.bounds import NUMBERS
from spec.replication.chapters import CHAPTERS
from spec.replication.dry_run import answer_all
from spec.replication.model import ReplicationSemantics
from spec.replication.observer import judge
from spec.replication.outcomes import (
    Brokers,
    EpochEnd,
    LatestAnswer,
    Moved,
    NotMoved,
    ReadResult,
    Replicas,
    WriteAnswer,
)
from spec.replication.requirements import FROZEN
from spec.replication.steps import (
    AskEpochEnd,
    AskLatest,
    ElectLeader,
    KillBroker,
    LookAtBrokers,
    Read,
    StartBroker,
    StopBroker,
    Write,
)
from spec.subject import Subject

RELEASES = ("4.0", "4.1", "4.2", "4.3", "4.4")

SUBJECT = Subject(
    name="replication",
    prefix="REP",
    steps=(
        LookAtBrokers,
        Write,
        Read,
        AskLatest,
        AskEpochEnd,
        ElectLeader,
        StopBroker,
        KillBroker,
        StartBroker,
    ),
    outcomes=(Brokers, WriteAnswer, ReadResult, LatestAnswer, EpochEnd, Moved, NotMoved, Replicas),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=dict.fromkeys(RELEASES, ReplicationSemantics()),
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
