"""Which profile of the draft a broker follows: questions are asked until those that are left can't be told apart.

Each question is a small layout with a fetch as of today, one of the draft's version without the field, and one with a limit. What holds
under every reading is judged by the way; the last answer makes the set of profiles smaller.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from conformance.draft.candidates import ProfileClass, counting_profiles
from generators.small_scope import LIMITS, OLD_VERSION, SIZE, Bounds, scenarios
from generators.telling_apart import shares
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import Crossing, FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.max_records.axes import axis_of
from spec.max_records.draft import DRAFT_VERSION, drafted, limit_in, limited_to
from spec.max_records.profile import Encoding, Profile
from spec.model import answer_all
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spec.judgement import Judgement
    from spec.observation import Observation
    from spec.semantics import Semantics

    Play = Callable[[Scenario], tuple[Observation, Judgement]]
    """Plays a scenario and judges it by the clauses of `max_records`."""

POOL = 400
"""Questions to choose from."""
LOOKED_AT = 40
"""How many of them are looked at for the next one, unless none of those splits the profiles."""
SAMPLE = 40
"""Profiles by which the next question is chosen."""
RISING = 12
"""Layouts that are asked under all limits in turn at the end, for what holds under every reading."""
ROUNDS = 60
HELD_MS = 3000
"""How long a fetch may be held back where that is asked about: far longer than an answer at once takes on a loaded machine."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what it left.

    Attributes:
        scenario: as it was played.
        observation: what came back.
        judgement: by the clauses that hold under every reading.
        left: the profiles after it.
        ruled_out: how many ways of counting, or readings of a question apart, it ruled out.
    """

    scenario: Scenario
    observation: Observation
    judgement: Judgement
    left: ProfileClass
    ruled_out: int


def identify(play: Play, encoding: Encoding, semantics: Semantics, *, crafted: bool, seed: int = 1) -> Iterator[Asked]:
    """Ask until one class of profiles is left, or none.

    Args:
        play: plays and judges.
        encoding: how the field is carried; see `conformance.draft.asking`.
        semantics: of the release, for what the field does not touch.
        crafted: whether layouts can be placed that only compaction leaves.
        seed: of the choice among questions.
    """
    rng = random.Random(seed)  # noqa: S311 - choosing questions, not secrets
    left = everything(crafted=crafted).answered("encoding", (encoding,))
    crossing = Crossing.CUT
    for name, scenario in _apart(encoding):
        observation, judgement = play(scenario)
        before = len(left.apart[name])
        left = left.answered(name, _fitting(name, scenario, observation, semantics, encoding))
        yield Asked(scenario, observation, judgement, left, before - len(left.apart[name]))
    pool = _pool(crafted=crafted)
    for _ in range(ROUNDS):
        best = _best(left.counting, pool, rng)
        if best is None:
            break
        played = in_turn(best, encoding)
        observation, judgement = play(played)
        crossing = crossing_of(played, observation, semantics, crossing)
        before = len(left.counting)
        left = left.counted(_fits_shares(best, observation, crossing))
        yield Asked(played, observation, judgement, left, before - len(left.counting))
    for scenario in rng.sample(pool, RISING):
        played = in_turn(scenario, encoding, LIMITS)
        observation, judgement = play(played)
        before = len(left.counting)
        for number, limit in enumerate(LIMITS):
            part = replace(observation, exchanges=observation.exchanges[: number + 3])
            left = left.counted(_fits_shares(_limited(scenario, limit), part, crossing))
        yield Asked(played, observation, judgement, left, before - len(left.counting))


def everything(*, crafted: bool) -> ProfileClass:
    """All profiles, before anything is asked; `crafted` as for `identify`."""
    return ProfileClass(counting_profiles(crafted=crafted), crafted=crafted)


def in_turn(scenario: Scenario, encoding: Encoding, limits: Sequence[int | None] = ()) -> Scenario:
    """A question as it is played: without the field by today's version and by the draft's, then under its limit, or under these."""
    fetch = scenario.steps[0]
    assert isinstance(fetch, Fetch)
    version = OLD_VERSION if encoding is Encoding.UNVERSIONED else DRAFT_VERSION
    plain = [replace(fetch, version=one, extra=()) for one in (OLD_VERSION, version)]
    asked = [replace(fetch, version=version, extra=limited_to(limit)) for limit in limits or (limit_in(fetch),)]
    return Scenario(scenario.layout, (*plain, *asked))


def _limited(scenario: Scenario, limit: int) -> Scenario:
    fetch = scenario.steps[0]
    assert isinstance(fetch, Fetch)
    return Scenario(scenario.layout, (replace(fetch, extra=limited_to(limit)),))


def crossing_of(played: Scenario, observation: Observation, semantics: Semantics, known: Crossing) -> Crossing:
    """Whether the broker cuts the batch at a byte limit, by its answer without the field: as FET-102 it may do either."""
    answer = observation.exchanges[0].outcome if observation.exchanges else None
    expected = answer_all(Scenario(played.layout, played.steps[:1]), semantics).exchanges[0].outcome
    if not isinstance(answer, FetchAnswer) or not isinstance(expected, FetchAnswer) or not any(got.tail for got in expected.partitions):
        return known
    return Crossing.CUT if any(got.tail for got in answer.partitions) else Crossing.LEFT_OUT


def _fits_shares(scenario: Scenario, observation: Observation, crossing: Crossing) -> Callable[[Profile], bool]:
    """Whether a profile explains the last answer."""
    answer = observation.exchanges[-1].outcome if observation.exchanges else None
    if not isinstance(answer, FetchAnswer) or answer.error:
        return lambda _: False
    told = {got.partition: (got.error, len(got.batches), got.size) for got in answer.partitions}
    seen = tuple([told.get(number) for number in range(len(scenario.layout.partitions))])
    return lambda profile: _predicted(scenario, profile, crossing) == seen


@cache
def _predicted(scenario: Scenario, profile: Profile, crossing: Crossing) -> tuple[tuple[int, int, int], ...]:
    return shares(scenario, profile, _CROSSING[crossing])


_CROSSING = {crossing: FetchSemantics(crossing=crossing) for crossing in Crossing}


@cache
def _pool(*, crafted: bool) -> tuple[Scenario, ...]:
    """Small scenarios of every size, evenly from the smallest to the largest: the same ones in each run."""
    found = list(scenarios(Bounds(crafted=crafted)))
    rng = random.Random(len(found))  # noqa: S311 - choosing questions, not secrets
    return tuple(rng.sample(found, POOL))


def _best(left: Sequence[Profile], pool: Sequence[Scenario], rng: random.Random) -> Scenario | None:
    """The question that leaves the fewest profiles, as far as a sample tells; None where no question tells two of them apart."""
    if len(left) < 2:
        return None
    few = left if len(left) <= SAMPLE else rng.sample(left, SAMPLE)
    return _splitting(few, rng.sample(pool, LOOKED_AT)) or _splitting(few, pool)


def _splitting(few: Sequence[Profile], among: Sequence[Scenario]) -> Scenario | None:
    """The question that splits some profiles most evenly; None where none splits them."""
    best, least = None, len(few) ** 2
    for scenario in among:
        groups = Counter(_predicted(scenario, profile, Crossing.CUT) for profile in few)
        weight = sum(count * count for count in groups.values())
        if weight < least:
            best, least = scenario, weight
    return best


def inseparable(left: Sequence[Profile], bounds: Bounds) -> Scenario | None:
    """The first scenario within the bounds on which two of the profiles differ; None: they are equal within the bounds."""
    for scenario in scenarios(bounds):
        if len({shares(scenario, profile, _CROSSING[Crossing.CUT]) for profile in left}) > 1:
            return scenario
    return None


def _apart(encoding: Encoding) -> Iterator[tuple[str, Scenario]]:
    """One scenario for each question that is not about counting."""
    version = OLD_VERSION if encoding is Encoding.UNVERSIONED else DRAFT_VERSION
    one = Layout((Partition((tuple([Batch(SIZE)] * 3),)),))
    part = FetchPartition(0, 0)
    plain = Fetch((part,), version=version)
    yield "zero", Scenario(one, (replace(plain, extra=limited_to(0)),))
    yield "negative", Scenario(one, (replace(plain, extra=limited_to(-2)),))
    yield "min_bytes", Scenario(one, (replace(plain, extra=limited_to(2), min_bytes=3 * SIZE, max_wait_ms=HELD_MS),))
    full = replace(plain, epoch=0, extra=limited_to(1))
    yield "session", Scenario(one, (full, Fetch((part,), version=version, session=OWN, epoch=1)))


def _fitting(name: str, scenario: Scenario, observation: Observation, semantics: Semantics, encoding: Encoding) -> tuple[str, ...]:
    """The readings of a question that explain an observation."""
    waiting = name == "min_bytes"
    seen = _told(observation, waiting=waiting)
    found = []
    for reading in axis_of(name).readings:
        profile = axis_of(name).on(reading.name, Profile(encoding=encoding))
        if _told(answer_all(scenario, drafted(profile)(semantics)), waiting=waiting) == seen:
            found.append(reading.name)
    return tuple(found)


def _told(observation: Observation, *, waiting: bool) -> object:
    """What of an observation a question apart is settled by: errors, batches, and where it is about waiting, whether it was held back."""
    told = []
    for exchange in observation.exchanges:
        answer = exchange.outcome
        if not isinstance(answer, FetchAnswer):
            return None
        parts = tuple([(got.partition, got.error, len(got.batches), got.tail) for got in answer.partitions])
        told.append((answer.error, parts, waiting and exchange.elapsed_ms >= HELD_MS * 0.9))
    return tuple(told)


def probe(encoding: Encoding) -> Scenario:
    """What shows whether a limit is felt: three batches, asked as today, then by the version with the field, with none and with 1."""
    one = Layout((Partition((tuple([Batch(SIZE)] * 3),)),))
    return in_turn(Scenario(one, (Fetch((FetchPartition(0, 0),), extra=limited_to(1)),)), encoding)


def feels(observation: Observation) -> bool:
    """Whether the answers to `probe` show that a limit of one record was felt, and nothing else."""
    return [batches for _, batches in _probed(observation)] == [(3,), (3,), (1,)]


def differs(observation: Observation) -> tuple[object, ...]:
    """The answers to `probe` where all came and are not alike: the broker does something about the field, right or wrong. Else empty."""
    answers = _probed(observation)
    return tuple(answers) if len(answers) == 3 and len(set(answers)) > 1 else ()


def _probed(observation: Observation) -> list[tuple[object, tuple[int, ...]]]:
    """The errors of each answer, and its batches by partition."""
    answers = [exchange.outcome for exchange in observation.exchanges if isinstance(exchange.outcome, FetchAnswer)]
    return [
        ((answer.error, *[got.error for got in answer.partitions]), tuple([len(got.batches) for got in answer.partitions]))
        for answer in answers
    ]
