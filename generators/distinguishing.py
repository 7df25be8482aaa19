"""The smallest layout and request on which two ways of the model differ, or that there is none
within bounds: exhaustive search.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations

from generators.small_scope import Bounds, of_every_version
from spec.fetch.steps import Fetch
from spec.frozen import frozen
from spec.model import answer_all
from spec.outcomes import Outcome
from spec.readings import Axis
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.subject import Subject

RELEASE = "4.3"
Strategy = Callable[[Bounds], Iterator[Scenario]]
"""Scenarios within bounds, the smallest first."""
Answers = Callable[[Scenario, Semantics], object]
"""The compared part of the model's answers to a scenario."""


def answers(scenario: Scenario, semantics: Semantics) -> object:
    """The model's answer to each step, and whether it held the answer back."""
    observation = answer_all(scenario, semantics)
    return tuple(
        [_comparable(exchange.outcome, exchange.elapsed_ms) for exchange in observation.exchanges]
    )


def _comparable(outcome: Outcome, elapsed_ms: float) -> tuple[Outcome, bool]:
    return outcome, elapsed_ms >= 1


@frozen
class Search:
    """How the readings of one text are distinguished.

    Attributes:
        strategy: where they are looked for.
        strategies: the same for single axes, by name.
        answers: what is compared.
        same: two readings that no answer can distinguish, and why not.
    """

    strategy: Strategy = of_every_version
    strategies: Mapping[str, Strategy] = field(default_factory=dict)
    answers: Answers = answers
    same: Mapping[frozenset[str], str] = field(default_factory=dict)


@frozen
class Pair:
    """Two ways to be distinguished.

    Attributes:
        names: of the two.
        ways: the model in each.
        strategy: where they are looked for.
        same: why no answer of a broker distinguishes them; empty where they may be.
        answers: what is compared.
    """

    names: tuple[str, str]
    ways: tuple[Semantics, Semantics]
    strategy: Strategy = of_every_version
    same: str = ""
    answers: Answers = answers


@frozen
class SearchResult:
    """The result of a search.

    Attributes:
        scenario: the smallest on which the two differ; None where none does.
        tried: how many were tried.
    """

    scenario: Scenario | None
    tried: int


def find_distinguishing_scenario(pair: Pair, bounds: Bounds) -> SearchResult:
    """The first scenario within the bounds on which the two ways answer differently."""
    tried = 0
    for scenario in pair.strategy(bounds):
        tried += 1
        if pair.answers(scenario, pair.ways[0]) != pair.answers(scenario, pair.ways[1]):
            return SearchResult(scenario, tried)
    return SearchResult(None, tried)


def pairs_of(axis: Axis, search: Search) -> Iterator[Pair]:
    """Each two readings of an axis that the model can follow."""
    strategy = search.strategies.get(axis.name, search.strategy)
    released = semantics_for(RELEASE)
    for one, other in combinations(axis.ways, 2):
        ways = axis.ways[one](released), axis.ways[other](released)
        yield Pair(
            (one, other),
            ways,
            strategy,
            search.same.get(frozenset({one, other}), ""),
            search.answers,
        )


def all_pairs(axes: Iterable[Axis], search: Search) -> Iterator[Pair]:
    """Each two readings of each of the axes."""
    for axis in axes:
        yield from pairs_of(axis, search)


def pair_of_releases(one: str, other: str) -> Pair:
    """Two releases, on fetches. What the model knows of share groups differs by more."""
    return Pair((one, other), (semantics_for(one), semantics_for(other)))


def search_of(subject: Subject, worked: Sequence[Scenario]) -> Search:
    """Where the readings of a subject's clause are looked for: small fetches, or for other subjects
    the clause's worked examples.
    """
    return Search() if Fetch in subject.steps else Search(lambda _: iter(worked))
