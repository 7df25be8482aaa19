"""Subjects: everything that the rest of the project asks of one, in one object."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from spec.clause import Chapter
from spec.frozen import frozen
from spec.judgement import Judgement
from spec.observation import Observation
from spec.outcomes import Outcome
from spec.ranges import Fields, Range, Words
from spec.readings import Axis, axis_of_clause
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step


@frozen
class Subject:
    """One area of Kafka's limits, with its vocabulary, model and clauses.

    Attributes:
        name: as it stands in scenarios, logs and on the command line, `fetch`.
        prefix: what the ids of its clauses begin with, `FET`.
        steps: the classes of the steps that a scenario of it may have, its own and shared ones.
        outcomes: the classes of its own outcomes.
        numbers: the range of each number of each of its classes, by the field.
        words: the words that may stand where a number may.
        configs: the broker configs that a scenario may ask for, with the range of each: those that
            its model knows. A scenario file comes from anywhere, and a broker is started with what
            it says.
        chapters: its clauses, in the order in which a break is diagnosed.
        releases: its part of the semantics for each Kafka release that it knows.
        judge: what each clause says of one play.
        answer_all: what the model answers to a scenario, in virtual time.
        frozen: the digest of each requirement set of its clauses that was ever published, by name.
        timing_signatures: signatures of breaks that, whatever the clause, depend on the clock.
    """

    name: str
    prefix: str
    steps: tuple[type[Step], ...]
    outcomes: tuple[type[Outcome], ...]
    numbers: Mapping[type, Fields]
    words: Mapping[type, Words]
    chapters: tuple[Chapter[Any], ...]
    releases: Mapping[str, object]
    judge: Callable[[Scenario, Observation, Semantics], Judgement]
    answer_all: Callable[[Scenario, Semantics], Observation]
    frozen: Mapping[str, str] = field(default_factory=dict)
    timing_signatures: frozenset[str] = frozenset()
    configs: Mapping[str, Range] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Its clauses with readings, each as an axis."""
        clauses = [
            clause for chapter in self.chapters for clause in chapter.clauses if clause.readings
        ]
        return tuple([axis_of_clause(clause) for clause in clauses])
