"""The smallest layout and request on which two ways of the model differ, or that there is none within bounds: exhaustive search."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, pairwise

from generators.small_scope import Bounds, by_version, in_session, scenarios, waiting, without_field
from spec.clause import Clause
from spec.fetch.model.request import ask_of
from spec.fetch.releases import AbortedExtent, Crossing, FetchSemantics
from spec.fetch.steps import Fetch
from spec.log import log_of
from spec.max_records import walk
from spec.max_records.axes import AXES, Axis
from spec.max_records.draft import drafted, limit_in, profile_of
from spec.max_records.profile import Profile
from spec.model import answer_all
from spec.outcomes import Outcome
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics

RELEASE = "4.3"
Family = Callable[[Bounds], Iterator[Scenario]]

_SPECIAL: Mapping[str, Family] = {
    "zero": partial(scenarios, limits=(0,)),
    "negative": partial(scenarios, limits=(-1,)),
    "min_bytes": waiting,
    "session": in_session,
    "encoding": by_version,
}
"""Where the questions that are not about counting are met."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ways to be told apart.

    Attributes:
        names: of the two.
        ways: the model in each.
        family: where they are looked for.
        same: why they can't be told apart by what a broker answers; empty where they may be.
    """

    names: tuple[str, str]
    ways: tuple[Semantics, Semantics]
    family: Family
    same: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What a search came to.

    Attributes:
        scenario: the smallest on which the two differ; None where none does.
        tried: how many were tried.
    """

    scenario: Scenario | None
    tried: int


def tell_apart(pair: Pair, bounds: Bounds) -> Told:
    """The first scenario within the bounds on which the two ways answer differently."""
    tried = 0
    for scenario in pair.family(bounds):
        tried += 1
        if answers(scenario, pair.ways[0]) != answers(scenario, pair.ways[1]):
            return Told(scenario, tried)
    return Told(None, tried)


def answers(scenario: Scenario, semantics: Semantics) -> object:
    """What the model answers to each step, and whether it held the answer back; of one counted fetch only what its reads give."""
    fetch = scenario.steps[0]
    if len(scenario.steps) == 1 and isinstance(fetch, Fetch) and (limit_in(fetch) or 0) > 0 and _quick(fetch, semantics):
        profile = profile_of(semantics)
        assert profile is not None
        return shares(scenario, profile, semantics.of(FetchSemantics))
    observation = answer_all(scenario, semantics)
    return tuple([_seen(exchange.outcome, exchange.elapsed_ms) for exchange in observation.exchanges])


def _seen(outcome: Outcome, elapsed_ms: float) -> tuple[Outcome, bool]:
    return outcome, elapsed_ms >= 1


def _quick(fetch: Fetch, semantics: Semantics) -> bool:
    newest = semantics.of(FetchSemantics).newest_fetch
    return profile_of(semantics) is not None and not fetch.max_wait_ms and fetch.epoch < 0 and fetch.version == newest


def shares(scenario: Scenario, profile: Profile, semantics: FetchSemantics) -> tuple[tuple[int, int, int], ...]:
    """Error, whole batches and bytes of each partition that the scenario's last fetch, a sessionless one, is answered with."""
    fetch = scenario.steps[-1]
    assert isinstance(fetch, Fetch)
    logs = {number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)}
    asks = [ask_of(part) for part in fetch.partitions]
    walked = walk.read_all(asks, logs, fetch.max_bytes, fetch.isolation, semantics, limit_in(fetch), profile)
    return tuple([(read.error, read.whole, read.size) for read in walked.reads])


def pairs_of_axis(axis: Axis) -> Iterator[Pair]:
    """Each two readings of an open question of the draft, in the default profile with what the question needs."""
    for one, other in combinations([reading.name for reading in axis.readings], 2):
        ways = drafted(axis.on(one))(semantics_for(RELEASE)), drafted(axis.on(other))(semantics_for(RELEASE))
        same = "the answers are the same: the bytes of the request differ" if {one, other} == {"tagged", "plain"} else ""
        yield Pair((one, other), ways, _SPECIAL.get(axis.name, scenarios), same)


_READINGS: Mapping[str, Mapping[str, Callable[[Semantics], Semantics]]] = {
    "FET-102": {reading.value: partial(Semantics.changed, kind=FetchSemantics, crossing=reading) for reading in Crossing},
    "FET-052": {
        "returned": partial(Semantics.changed, kind=FetchSemantics, aborted_extent=AbortedExtent.RETURNED),
        "beyond": partial(Semantics.changed, kind=FetchSemantics, aborted_extent=AbortedExtent.INDEXED),
    },
}
"""The readings of fetch clauses that the model can be made to follow."""


def pairs_of_clause(clause: Clause[object]) -> Iterator[Pair]:
    """Each two readings of a clause on fetches; none where the model follows one reading only."""
    changes = _READINGS.get(clause.id, {})
    for one, other in combinations(changes, 2):
        yield Pair((one, other), (changes[one](semantics_for(RELEASE)), changes[other](semantics_for(RELEASE))), without_field)


def pair_of_releases(one: str, other: str) -> Pair:
    """Two releases, on fetches. What the model knows of share groups differs by more."""
    ways = [replace(semantics_for(name), release="") for name in (one, other)]
    return Pair((one, other), (ways[0], ways[1]), without_field)


def all_pairs() -> Iterable[Pair]:
    """Every pair of readings of the draft, and of releases that follow each other."""
    following = list(RELEASES)
    return chain(*[pairs_of_axis(axis) for axis in AXES], [pair_of_releases(*two) for two in pairwise(following)])
