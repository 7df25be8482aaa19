"""The fence points of a layout, as stateless fetches: enumerated, not drawn, since asking changes
nothing.
"""

import random
from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace

from generators.fetch import frame_questions, hole_questions, limit_questions, position_questions
from generators.fetch.question_context import Question, QuestionContext, Strategy
from generators.fetch.relations import CLOSES, QUOTAS, WAITS, all_relations
from spec.layout import Layout
from spec.semantics import Semantics

__all__ = [
    "Question",
    "all_relations",
    "choose",
    "questions",
    "questions_at_the_same_fence",
    "sample",
]

STRATEGIES: tuple[Strategy, ...] = (
    limit_questions.partition_limits,
    position_questions.offsets,
    position_questions.kept_batches,
    position_questions.unstable_offsets,
    hole_questions.emptied_batches,
    hole_questions.old_messages,
    limit_questions.request_limits,
    limit_questions.segment_ends,
    limit_questions.first_batches,
    position_questions.partition_orders,
    limit_questions.later_partitions,
    limit_questions.both_limits,
    position_questions.progress,
    position_questions.duplicates,
    position_questions.unknown_partitions,
    position_questions.leader_epochs,
    frame_questions.unusual_fields,
    limit_questions.broker_limit,
    frame_questions.waiting_fetches,
    frame_questions.older_segment_waits,
    frame_questions.segment_edges,
    frame_questions.stable_offsets_at_an_edge,
    frame_questions.unstable_waits,
    limit_questions.quotas,
)

QUOTED = frozenset(QUOTAS.values())
WAITING_SHARE = 0.06
CLOSING_SHARE = 0.015
QUOTA_SHARE = 0.02
"""The most questions that may make the broker wait, close the connection, or need a quota of their
own: all are expensive.
"""


def questions(
    layout: Layout,
    semantics: Semantics,
    *,
    version: int | None = None,
    isolation: int | None = None,
) -> tuple[Question, ...]:
    """All questions about a layout, for shrinking: some hundreds to some thousands.

    Args:
        layout: what is asked about; valid.
        semantics: the broker's versions and its `fetch.max.bytes`.
        version: where given, the questions have it, but for those that are about another; otherwise
            they go through all.
        isolation: likewise; otherwise both levels are asked.
    """
    return _ask_all(
        QuestionContext(layout, semantics, version=version, isolation=isolation, complete=True)
    )


def questions_at_the_same_fence(
    layout: Layout, semantics: Semantics, question: Question
) -> tuple[Question, ...]:
    """All questions about a layout that are about the same fence as a question about another one,
    in its version and isolation.

    For shrinking a layout while what is asked of it stays the same in kind. Simple ones come first.
    """
    version, isolation = question.fetch.version, question.fetch.isolation
    main = question.relations[0]
    return tuple(
        [
            each
            for each in questions(layout, semantics, version=version, isolation=isolation)
            if each.relations[0] == main
        ]
    )


def sample(
    layout: Layout, semantics: Semantics, turn: int = 0, *, older_epochs: bool = True
) -> tuple[Question, ...]:
    """Up to some 150 of a layout's questions from all strategies; another `turn` gives others.

    Args:
        layout: what is asked about; valid.
        semantics: as for `questions`.
        turn: where the sample begins.
        older_epochs: whether the partitions have had a leader epoch before the current one, which
            an older one can be asked with.
    """
    context = QuestionContext(
        layout,
        semantics,
        version=None,
        isolation=None,
        complete=False,
        turn=turn,
        older_epochs=older_epochs,
    )
    return _ask_all(context)


def _ask_all(context: QuestionContext) -> tuple[Question, ...]:
    for strategy in STRATEGIES:
        strategy(context)
    return tuple(context.asked)


def choose(
    asked: Sequence[Question], seen: Counter[str], count: int, rng: random.Random
) -> list[Question]:
    """Pick up to `count` questions whose relations were hit least so far, and count them in `seen`.

    Few of them wait or close the connection (see `WAITING_SHARE`), over all calls with the same
    `seen`.
    """
    total = sum([hits for relation, hits in seen.items() if relation.startswith("version=")])
    heap = [
        (_worth(question, seen), rng.random(), question.relations, question) for question in asked
    ]
    heapify(heap)
    chosen: list[Question] = []
    while heap and len(chosen) < count:
        worth, tie, relations, question = heap[0]
        now = _worth(question, seen)
        if now > worth:
            heapreplace(heap, (now, tie, relations, question))
            continue
        heappop(heap)
        if _is_too_expensive(question, seen, total + len(chosen)):
            continue
        seen.update(relations)
        chosen.append(question)
    return chosen


def _worth(question: Question, seen: Counter[str]) -> float:
    """The less, the better: what its relations would add; by squares, so that one rare relation
    outweighs several common ones.
    """
    return -sum([1 / (1 + seen[relation]) ** 2 for relation in question.relations])


def _is_too_expensive(question: Question, seen: Counter[str], total: int) -> bool:
    if WAITS in question.relations:
        return seen[WAITS] >= WAITING_SHARE * total
    if not CLOSES.isdisjoint(question.relations):
        return sum([seen[relation] for relation in CLOSES]) >= CLOSING_SHARE * total
    if not QUOTED.isdisjoint(question.relations):
        return sum([seen[relation] for relation in QUOTED]) >= QUOTA_SHARE * total
    return False
