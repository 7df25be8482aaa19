"""Which profile of a draft a broker follows: questions are asked until those that are left can't be
distinguished.

Each question is a small layout with fetches without the draft's fields and fetches with them. What
holds under every reading is judged too; the answers make the set of profiles smaller.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from conformance.identify.candidates import ProfileClass
    from conformance.identify.inquiry import Inquiry
    from spec.judgement import Judgement
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics

    Play = Callable[[Scenario], tuple[Observation, Judgement]]
    """Plays a scenario and judges it by the clauses of its subject."""

P = TypeVar("P")

LOOKED_AT = 40
"""How many questions are looked at for the next one, unless none of those splits the profiles."""
SAMPLE = 40
"""Profiles by which the next question is chosen."""
ROUNDS = 60


@frozen
class Asked(Generic[P]):
    """One question and what it left.

    Attributes:
        scenario: as it was played.
        observation: what came back.
        judgement: by the clauses that hold under every reading.
        left: the profiles after it.
        ruled_out: how many profiles, or readings of a question apart, it ruled out.
    """

    scenario: Scenario
    observation: Observation
    judgement: Judgement
    left: ProfileClass[P]
    ruled_out: int


def identify(
    inquiry: Inquiry[P],
    play: Play,
    carrier: P,
    semantics: Semantics,
    *,
    crafted: bool,
    seed: int = 1,
) -> Iterator[Asked[P]]:
    """Ask until one class of profiles is left, or none.

    Args:
        inquiry: of the draft.
        play: plays and judges.
        carrier: a profile by whose message definitions the fields are sent.
        semantics: of the release, for what the draft does not touch.
        crafted: whether layouts can be placed that only compaction leaves.
        seed: of the choice among questions.
    """
    rng = random.Random(seed)  # noqa: S311 - choosing questions, not secrets
    left = inquiry.space.everything(crafted=crafted)
    for name in inquiry.carried:
        left = left.with_readings(name, (getattr(carrier, name),))
    known = semantics
    for name, scenario in inquiry.settled(carrier):
        observation, judgement = play(scenario)
        before = len(left.apart[name])
        left = left.with_readings(
            name, inquiry.fitting(name, scenario, observation, semantics, carrier)
        )
        yield Asked(scenario, observation, judgement, left, before - len(left.apart[name]))
    pool = inquiry.pool(carrier, crafted)
    for _ in range(ROUNDS):
        best = _best(inquiry, left.counting, pool, semantics, rng)
        if best is None:
            break
        asked, known = _ask(inquiry, play, best, left, known)
        left = asked.left
        yield asked
    for question in inquiry.closing(rng, carrier, crafted):
        asked, known = _ask(inquiry, play, question, left, known)
        left = asked.left
        yield asked


def _ask(
    inquiry: Inquiry[P], play: Play, question: Scenario, before: ProfileClass[P], known: Semantics
) -> tuple[Asked[P], Semantics]:
    """Ask one question: what it left, and the semantics after it."""
    observation, judgement = play(question)
    known = inquiry.learned(question, observation, known)
    left = before.keep_fitting(_fits(inquiry, question, observation, known))
    return Asked(
        question, observation, judgement, left, len(before.counting) - len(left.counting)
    ), known


def _fits(
    inquiry: Inquiry[P], question: Scenario, observation: Observation, semantics: Semantics
) -> Callable[[P], bool]:
    """Whether a profile explains the answers."""
    seen = inquiry.seen(question, observation)
    return lambda profile: (
        seen is not None and _predict(inquiry, question, profile, semantics) == seen
    )


@lru_cache(maxsize=200_000)
def _predict(
    inquiry: Inquiry[Any], question: Scenario, profile: Any, semantics: Semantics
) -> Hashable:
    return inquiry.predicted(question, profile, semantics)


def _best(
    inquiry: Inquiry[P],
    left: Sequence[P],
    pool: Sequence[Scenario],
    semantics: Semantics,
    rng: random.Random,
) -> Scenario | None:
    """The question that leaves the fewest profiles, as far as a sample shows; None where no
    question distinguishes two of them.
    """
    if len(left) < 2:
        return None
    few = left if len(left) <= SAMPLE else rng.sample(left, SAMPLE)
    some = rng.sample(pool, LOOKED_AT) if len(pool) > LOOKED_AT else pool
    return _splitting(inquiry, few, some, semantics) or _splitting(inquiry, few, pool, semantics)


def _splitting(
    inquiry: Inquiry[P], few: Sequence[P], among: Sequence[Scenario], semantics: Semantics
) -> Scenario | None:
    """The question that splits some profiles most evenly; None where none splits them."""
    best, least = None, len(few) ** 2
    for scenario in among:
        groups = Counter(_predict(inquiry, scenario, profile, semantics) for profile in few)
        weight = sum(count * count for count in groups.values())
        if weight < least:
            best, least = scenario, weight
    return best
