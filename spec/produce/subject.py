"""Produce as a subject."""

from spec.outcomes import AppendAnswer
from spec.produce.bounds import NUMBERS
from spec.produce.chapters import CHAPTERS
from spec.produce.dry_run import answer_all
from spec.produce.observer import judge
from spec.produce.outcomes import (
    EndOffsetsAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    TimeFound,
    TopicChanged,
    TopicReady,
)
from spec.produce.releases import PRODUCE_RELEASES
from spec.produce.requirements import FROZEN
from spec.produce.steps import (
    ChangeTopic,
    EndOffsets,
    InitProducer,
    LookUpTime,
    Produce,
    ReadBack,
    UseTopic,
)
from spec.steps import DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="produce",
    prefix="PRO",
    steps=(
        UseTopic,
        ChangeTopic,
        Produce,
        InitProducer,
        DeleteRecords,
        EndOffsets,
        LookUpTime,
        ReadBack,
    ),
    outcomes=(
        TopicReady,
        TopicChanged,
        ProduceAnswer,
        NoAnswer,
        ProducerGiven,
        AppendAnswer,
        EndOffsetsAnswer,
        TimeFound,
        ReadAnswer,
    ),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=PRODUCE_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
