"""Answers to share groups that are written down, and what the judge makes of them."""

from typing import Any

from spec.judge import judge
from spec.layout import Partition
from spec.log import log_of
from spec.observation import Exchange, Observation
from spec.outcomes import Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.semantics import Semantics
from spec.share.examples import (
    fetch_again,
    release,
)
from spec.share.outcomes import (
    Acquired,
    GroupChanged,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.releases import ShareSemantics
from spec.verdict import Outcome as Word
from tests.spec.share.mutants import FIRST, SECOND, THIRD

KAFKA = semantics_for("4.4")


def violations(
    scenario: Scenario, observation: Observation, semantics: Semantics = KAFKA
) -> dict[str, str]:
    return {
        v.clause: v.why
        for v in judge(scenario, observation, semantics).breaks
        if v.outcome is not Word.DEVIATES
    }


def deviations(scenario: Scenario, observation: Observation) -> set[str]:
    return {v.clause for v in judge(scenario, observation, KAFKA).breaks}


def otherwise(**decisions: Any) -> Semantics:
    """A broker that decides what is open in another way than Apache Kafka."""
    return KAFKA.with_decisions(ShareSemantics, **decisions)


def observed(*outcomes: Outcome, gap_ms: float = 1.0) -> Observation:
    """Exchanges one after the other, a millisecond each."""
    return Observation(
        tuple(
            [
                Exchange(number, one, number * gap_ms, number * gap_ms + 1)
                for number, one in enumerate(outcomes)
            ]
        )
    )


def answered(
    *ranges: tuple[int, ...], epoch: int = 0, error: int = 0, **fields: Any
) -> ShareFetchAnswer:
    acquired = tuple([Acquired(*one) for one in ranges])
    batches = tuple(
        [
            one
            for one in (FIRST, SECOND, THIRD)
            if any(a.first <= one.last and a.last >= one.base for a in acquired)
        ]
    )
    return ShareFetchAnswer(
        epoch, 0, (ShareAnswerPartition(0, error, 0, acquired, batches, **fields),), 30000
    )


OK = GroupChanged()


ROUNDS = [step for _ in range(6) for step in (fetch_again(), release(0, 7))]


def seen(partition: Partition, number: int) -> tuple[SeenBatch, ...]:
    """One of its batches, as an answer has it."""
    stored = log_of(partition).batches[number]
    return (SeenBatch(stored.base, stored.last, stored.size, stored.last - stored.base + 1),)
