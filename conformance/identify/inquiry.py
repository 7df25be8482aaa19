"""How a broker's reading of a draft is found: what a draft's module `inquiry` says in its object
`INQUIRY`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spec.draft_registry import packages
from spec.fetch.outcomes import FetchAnswer
from spec.model import answer_all

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from conformance.identify.candidates import ProfileClass, Space
    from generators.distinguishing import Search, Strategy
    from generators.small_scope import Bounds
    from spec.draft import Draft
    from spec.events import Event
    from spec.observation import Observation
    from spec.readings import Questions
    from spec.scenario import Scenario
    from spec.semantics import Semantics

P = TypeVar("P")


def _as_before(played: Scenario, observation: Observation, semantics: Semantics) -> Semantics:
    del played, observation
    return semantics


def _nothing(*_: Any) -> Iterator[Any]:
    yield from ()


def differing_answers(scenario: Scenario, observation: Observation) -> tuple[object, ...]:
    """The answers where all came and are not alike: the broker does something about the fields,
    right or wrong. Otherwise empty.
    """
    answers = answer_contents(observation)
    return tuple(answers) if len(answers) == len(scenario.steps) and len(set(answers)) > 1 else ()


def answer_contents(observation: Observation) -> list[tuple[object, tuple[int, ...]]]:
    """The errors of each answer, and its batches by partition."""
    answers = [
        exchange.outcome
        for exchange in observation.exchanges
        if isinstance(exchange.outcome, FetchAnswer)
    ]
    return [
        (
            (answer.error, *[got.error for got in answer.partitions]),
            tuple([len(got.batches) for got in answer.partitions]),
        )
        for answer in answers
    ]


def seen_of_all(played: Scenario, observation: Observation) -> Hashable | None:
    """Errors, batches and bytes of each answer; None where one did not come."""
    found = []
    for exchange in observation.exchanges:
        answer = exchange.outcome
        if not isinstance(answer, FetchAnswer):
            return None
        parts = tuple(
            [(got.partition, got.error, len(got.batches), got.size) for got in answer.partitions]
        )
        found.append((answer.error, parts))
    return tuple(found) if len(found) == len(played.steps) else None


def by_model(questions: Questions[P]) -> Callable[[Scenario, P, Semantics], Hashable]:
    """The answers to a question of the model that follows a profile: the same as `seen_of_all`
    compares.
    """

    def predict(played: Scenario, profile: P, semantics: Semantics) -> Hashable:
        return seen_of_all(played, answer_all(played, questions.change(profile)(semantics)))

    return predict


def inseparable_by_model(
    questions: Questions[P], strategy: Strategy
) -> Callable[[Sequence[P], Bounds, Semantics], Scenario | None]:
    """The first scenario of a strategy on which two profiles differ."""
    predicted = by_model(questions)

    def inseparable(left: Sequence[P], bounds: Bounds, semantics: Semantics) -> Scenario | None:
        found = (
            scenario
            for scenario in strategy(bounds)
            if len({predicted(scenario, profile, semantics) for profile in left}) > 1
        )
        return next(found, None)

    return inseparable


@dataclass(frozen=True, slots=True, eq=False)
class Inquiry(Generic[P]):
    """The inquiry by which a broker's profile is found.

    A question is a scenario as it is played: fetches without the draft's fields, then with them.

    Attributes:
        draft: which.
        space: its profiles.
        search: how the smallest layout that distinguishes two readings is found.
        ways: profiles whose message definitions may be the broker's, for the newest Fetch version
            that it advertises.
        probe: what shows whether the draft's fields are felt, sent as a profile says.
        feels: whether the answers to it show that they are, as the draft has it.
        not_known: what is said of a broker that does not know the fields.
        carried: the questions that a way answers by itself.
        pool: the questions to choose from, for a way; with or without layouts that only compaction
            leaves.
        closing: what is asked at the end, for what holds under every reading.
        predicted: what a profile answers to a question, as far as it is compared.
        seen: the same, of an observation; None where there is too little of it.
        settled: one scenario for each question that is apart.
        fitting: the readings of such a question that explain an observation.
        learned: the semantics after what a question's fetches without the fields have shown.
        inseparable: the first scenario within bounds on which two profiles differ; None for none.
        summing_up: further events at the end, for the profiles that are left; None where the broker
            knows no field.
    """

    draft: Draft
    space: Space[P]
    search: Search
    ways: Callable[[int], tuple[P, ...]]
    probe: Callable[[P], Scenario]
    feels: Callable[[Observation], bool]
    not_known: str
    pool: Callable[[P, bool], Sequence[Scenario]]
    predicted: Callable[[Scenario, P, Semantics], Hashable]
    seen: Callable[[Scenario, Observation], Hashable | None]
    inseparable: Callable[[Sequence[P], Bounds, Semantics], Scenario | None]
    carried: tuple[str, ...] = ()
    closing: Callable[[random.Random, P, bool], Iterator[Scenario]] = _nothing
    settled: Callable[[P], Iterator[tuple[str, Scenario]]] = _nothing
    fitting: Callable[[str, Scenario, Observation, Semantics, P], tuple[str, ...]] = _nothing  # type: ignore[assignment]
    learned: Callable[[Scenario, Observation, Semantics], Semantics] = _as_before
    summing_up: Callable[[ProfileClass[P] | None], Iterator[Event]] = _nothing


def inquiry_of(draft: Draft) -> Inquiry[Any] | None:
    """How a broker's reading of a draft is found: `INQUIRY` in the module `inquiry` of its package;
    None where it has none.
    """
    package = next(one.package for one in packages() if one.draft is draft)
    if find_spec(f"{package}.inquiry") is None:
        return None
    inquiry: Inquiry[Any] = import_module(f"{package}.inquiry").INQUIRY
    return inquiry
