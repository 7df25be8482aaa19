"""How it is found which profile of the draft a broker follows."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

from conformance.identify.inquiry import Inquiry, answer_contents
from drafts.max_records import walk
from drafts.max_records.axes import QUESTIONS
from drafts.max_records.change import DRAFT_VERSION, draft_change, limit_in, limited_to, profile_of
from drafts.max_records.draft import DRAFT
from drafts.max_records.observer import NOT_KNOWN
from drafts.max_records.profile import Encoding, Negative, Profile, Zero
from drafts.max_records.questions import LIMITS, STRATEGIES, scenarios
from drafts.max_records.space import SPACE
from drafts.max_records.typical_costs import READINGS, costs
from generators.distinguishing import Search, answers
from generators.small_scope import OLD_VERSION, SIZE, Bounds
from spec.fetch.model.request import ask_of
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import Crossing, FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import replace
from spec.layout import Batch, Layout, Partition
from spec.log import log_of
from spec.model import answer_all
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.identify.candidates import ProfileClass
    from spec.events import Event
    from spec.observation import Observation
    from spec.semantics import Semantics

POOL = 400
"""Questions to choose from."""
RISING = 12
"""Layouts that are asked under all limits in turn at the end, for what holds under every reading.
"""
HELD_MS = 3000
"""How long a fetch may be held back where that is asked about: far longer than an answer at once
takes on a loaded machine.
"""

Shares = tuple[tuple[int, int, int], ...]
"""Error, whole batches and bytes of each partition."""


def shares(
    scenario: Scenario, profile: Profile, semantics: FetchSemantics, number: int = -1
) -> Shares:
    """The answer for each partition of the one fetch of a scenario, a sessionless one."""
    fetch = scenario.steps[number]
    assert isinstance(fetch, Fetch)
    logs = {
        number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)
    }
    asks = [ask_of(part, fetch.version) for part in fetch.partitions]
    walked = walk.read_all(
        asks, logs, fetch.max_bytes, fetch.isolation, semantics, limit_in(fetch), profile
    )
    return tuple([(read.error, read.whole, read.size) for read in walked.reads])


def quick_answers(scenario: Scenario, semantics: Semantics) -> object:
    """The answer of the model; of one counted fetch only what its reads give."""
    fetch, profile = scenario.steps[0], profile_of(semantics)
    if (
        len(scenario.steps) == 1
        and isinstance(fetch, Fetch)
        and (limit_in(fetch) or 0) > 0
        and profile is not None
    ):
        known = semantics.of(FetchSemantics)
        if not fetch.max_wait_ms and fetch.epoch < 0 and fetch.version == known.newest_fetch:
            return shares(scenario, profile, known)
    return answers(scenario, semantics)


def in_turn(scenario: Scenario, carrier: Profile, limits: Sequence[int | None] = ()) -> Scenario:
    """A question as it is played: without the field by today's version and by the draft's, then
    under its limit, or under these.
    """
    fetch = scenario.steps[0]
    assert isinstance(fetch, Fetch)
    version = _version(carrier)
    plain = [replace(fetch, version=one, extra=()) for one in (OLD_VERSION, version)]
    asked = [
        replace(fetch, version=version, extra=limited_to(limit))
        for limit in limits or (limit_in(fetch),)
    ]
    return Scenario(scenario.layout, (*plain, *asked))


def _version(carrier: Profile) -> int:
    return OLD_VERSION if carrier.encoding is Encoding.UNVERSIONED else DRAFT_VERSION


def crossing_learned(played: Scenario, observation: Observation, semantics: Semantics) -> Semantics:
    """Whether the broker cuts the batch at a byte limit, by its answer without the field: as
    FET-102 it may do either.
    """
    answer = observation.exchanges[0].outcome if observation.exchanges else None
    cutting = semantics.with_decisions(FetchSemantics, crossing=Crossing.CUT)
    expected = answer_all(Scenario(played.layout, played.steps[:1]), cutting).exchanges[0].outcome
    if (
        not isinstance(answer, FetchAnswer)
        or not isinstance(expected, FetchAnswer)
        or not any(got.tail for got in expected.partitions)
    ):
        return semantics
    crossing = Crossing.CUT if any(got.tail for got in answer.partitions) else Crossing.LEFT_OUT
    return (
        semantics
        if semantics.of(FetchSemantics).crossing is crossing
        else semantics.with_decisions(FetchSemantics, crossing=crossing)
    )


def _limited_fetches(played: Scenario) -> list[int]:
    """The numbers of the fetches that carry the field."""
    return [
        number for number, step in enumerate(played.steps) if isinstance(step, Fetch) and step.extra
    ]


def _predict(played: Scenario, profile: Profile, semantics: Semantics) -> tuple[Shares, ...]:
    known = semantics.of(FetchSemantics)
    return tuple([shares(played, profile, known, number) for number in _limited_fetches(played)])


def _seen_shares(
    played: Scenario, observation: Observation
) -> tuple[tuple[tuple[int, int, int] | None, ...], ...] | None:
    """The answer to each fetch with the field; None where one of them was not, or was
    refused as a whole.
    """
    by_step = {exchange.step: exchange.outcome for exchange in observation.exchanges}
    found = []
    for number in _limited_fetches(played):
        answer = by_step.get(number)
        if not isinstance(answer, FetchAnswer) or answer.error:
            return None
        evidence = {
            got.partition: (got.error, len(got.batches), got.size) for got in answer.partitions
        }
        found.append(
            tuple([evidence.get(partition) for partition in range(len(played.layout.partitions))])
        )
    return tuple(found)


@cache
def _small(*, crafted: bool) -> tuple[Scenario, ...]:
    """Small scenarios of every size, evenly from the smallest to the largest: the same ones in each
    run.
    """
    found = list(scenarios(Bounds(crafted=crafted)))
    rng = random.Random(len(found))  # noqa: S311 - choosing questions, not secrets
    return tuple(rng.sample(found, POOL))


@cache
def _pool(carrier: Profile, crafted: bool) -> tuple[Scenario, ...]:
    return tuple([in_turn(scenario, carrier) for scenario in _small(crafted=crafted)])


def _closing(rng: random.Random, carrier: Profile, crafted: bool) -> Iterator[Scenario]:
    for scenario in rng.sample(_small(crafted=crafted), RISING):
        yield in_turn(scenario, carrier, LIMITS)


def inseparable(left: Sequence[Profile], bounds: Bounds, semantics: Semantics) -> Scenario | None:
    """The first scenario within the bounds on which two of the profiles differ; None: they are
    equal within the bounds.
    """
    known = semantics.of(FetchSemantics)
    for scenario in scenarios(bounds):
        if len({shares(scenario, profile, known) for profile in left}) > 1:
            return scenario
    return None


def _settling_scenarios(carrier: Profile) -> Iterator[tuple[str, Scenario]]:
    """One scenario for each question that is not about counting."""
    version = _version(carrier)
    one = Layout((Partition((tuple([Batch(SIZE)] * 3),)),))
    part = FetchPartition(0, 0)
    plain = Fetch((part,), version=version)
    yield "zero", Scenario(one, (replace(plain, extra=limited_to(0)),))
    yield "negative", Scenario(one, (replace(plain, extra=limited_to(-2)),))
    yield (
        "min_bytes",
        Scenario(
            one, (replace(plain, extra=limited_to(2), min_bytes=3 * SIZE, max_wait_ms=HELD_MS),)
        ),
    )
    full = replace(plain, epoch=0, extra=limited_to(1))
    yield "session", Scenario(one, (full, Fetch((part,), version=version, session=OWN, epoch=1)))


def _fitting(
    name: str, scenario: Scenario, observation: Observation, semantics: Semantics, carrier: Profile
) -> tuple[str, ...]:
    """The readings of a question that explain an observation."""
    waiting = name == "min_bytes"
    seen = _evidence(observation, waiting=waiting)
    found = []
    for reading in QUESTIONS.axis(name).readings:
        profile = QUESTIONS.profile_where(name, reading.name, Profile(encoding=carrier.encoding))
        if (
            _evidence(answer_all(scenario, draft_change(profile)(semantics)), waiting=waiting)
            == seen
        ):
            found.append(reading.name)
    return tuple(found)


def _evidence(observation: Observation, *, waiting: bool) -> object:
    """What of an observation a question apart is settled by: errors, batches, and where it is about
    waiting, whether it was held back.
    """
    evidence = []
    for exchange in observation.exchanges:
        answer = exchange.outcome
        if not isinstance(answer, FetchAnswer):
            return None
        parts = tuple(
            [(got.partition, got.error, len(got.batches), got.tail) for got in answer.partitions]
        )
        evidence.append((answer.error, parts, waiting and exchange.elapsed_ms >= HELD_MS * 0.9))
    return tuple(evidence)


def probe(carrier: Profile) -> Scenario:
    """Scenarios that show whether a limit is felt: three batches, asked as today, then by the
    version with the field, with none and with 1.
    """
    one = Layout((Partition((tuple([Batch(SIZE)] * 3),)),))
    return in_turn(Scenario(one, (Fetch((FetchPartition(0, 0),), extra=limited_to(1)),)), carrier)


def shows_a_limit_of_one(observation: Observation) -> bool:
    """Whether the answers to `probe` show that a limit of one record was felt, and nothing else."""
    return [batches for _, batches in answer_contents(observation)] == [(3,), (3,), (1,)]


def _with_default(encoding: Encoding, zero: Zero, negative: Negative) -> Profile:
    return Profile(encoding=encoding, zero=zero, negative=negative)


_TAGGED = _with_default(Encoding.TAGGED, Zero.INVALID, Negative.INVALID)
_UNVERSIONED = _with_default(Encoding.UNVERSIONED, Zero.INVALID, Negative.INVALID)
"""Definitions whose default is the largest limit, so that every other value is sent."""
_PLAIN = (
    _with_default(Encoding.PLAIN, Zero.UNLIMITED, Negative.UNLIMITED),
    _with_default(Encoding.PLAIN, Zero.INVALID, Negative.UNLIMITED),
    _with_default(Encoding.PLAIN, Zero.INVALID, Negative.INVALID),
)
"""Definitions with the defaults 0, -1 and the largest limit."""


def _ways(newest: int) -> tuple[Profile, ...]:
    """Where Fetch v19 is advertised it may have the field tagged or plain; where it is not, only as
    a tagged field of an old version.

    A plain field is never absent: what means no limit is tried too (MXR-A21).
    """
    return (_TAGGED, *_PLAIN) if newest >= DRAFT_VERSION else (_UNVERSIONED,)


def _summing_up(left: ProfileClass[Profile] | None) -> Iterator[Event]:
    """The bytes that a consumer discards, today and under the readings that fit."""
    alone = left.counting if left is not None and len(left.counting) == 1 else ()
    named = [str(profile) for profile in alone if profile != Profile()]
    return costs(readings=tuple(dict.fromkeys((*READINGS, *named))))


INQUIRY: Inquiry[Profile] = Inquiry(
    draft=DRAFT,
    space=SPACE,
    search=Search(
        scenarios,
        STRATEGIES,
        quick_answers,
        {
            frozenset(
                {"tagged", "plain"}
            ): "the answers are the same: the bytes of the request differ"
        },
    ),
    ways=_ways,
    probe=probe,
    feels=shows_a_limit_of_one,
    not_known=NOT_KNOWN,
    pool=_pool,
    predicted=_predict,
    seen=_seen_shares,
    inseparable=inseparable,
    carried=("encoding",),
    closing=_closing,
    settled=_settling_scenarios,
    fitting=_fitting,
    learned=crossing_learned,
    summing_up=_summing_up,
)
