"""An answer that one reading of a clause permits and another forbids, for readings that the model
does not follow: found among answers to the clause's worked examples, by the clause's own condition
for each reading.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from generators.distinguishing import RELEASE
from spec.clause import Reading
from spec.frozen import frozen
from spec.judge import judge
from spec.model import answer_all
from spec.observation import Observation
from spec.readings import Axis
from spec.scenario import Scenario
from spec.worked import semantics_of


@frozen
class PermittedAnswer:
    """Answers to a scenario that two readings judge differently.

    Attributes:
        scenario: a worked example of the clause.
        observation: the answers.
        answered_as: the reading that answers so; empty where Apache Kafka does.
        permits, forbids: the two readings.
        tried: how many answers were judged until these were found.
    """

    scenario: Scenario
    observation: Observation
    answered_as: str
    permits: str
    forbids: str
    tried: int


def unmodelled_pairs(axis: Axis) -> tuple[tuple[str, str], ...]:
    """Each two readings of which the model does not follow both."""
    names = [reading.name for reading in axis.readings]
    return tuple([pair for pair in combinations(names, 2) if not {*pair} <= axis.ways.keys()])


def find_permitted_answer(
    axis: Axis, pair: tuple[str, str], worked: Sequence[Scenario]
) -> PermittedAnswer | None:
    """The first answer that one of the two readings permits and the other forbids; None where the
    readings agree on every answer that is tried.

    Apache Kafka's answers are tried first, then those by each of the two.

    Args:
        axis: a clause with readings.
        pair: the names of two of them.
        worked: the scenarios that are tried.
    """
    readings = [reading for reading in axis.readings if reading.name in pair]
    tried = 0
    for scenario in worked:
        for answered_as, observation in _answers(scenario, readings):
            tried += 1
            fits = _fits(axis.id, scenario, observation)
            one, other = [fits.get(name) for name in pair]
            if one is None or other is None or one == other:
                continue
            permits, forbids = pair if one else pair[::-1]
            return PermittedAnswer(scenario, observation, answered_as, permits, forbids, tried)
    return None


def _answers(scenario: Scenario, readings: Sequence[Reading]) -> Iterator[tuple[str, Observation]]:
    semantics = semantics_of(scenario, RELEASE)
    yield "", answer_all(scenario, semantics)
    for reading in readings:
        if reading.way is not None:
            yield reading.name, answer_all(scenario, reading.way(semantics))
        elif reading.answered is not None:
            yield (
                reading.name,
                reading.answered(scenario, lambda other: answer_all(other, semantics)),
            )


def _fits(clause: str, scenario: Scenario, observation: Observation) -> dict[str, bool]:
    judgement = judge(scenario, observation, semantics_of(scenario, RELEASE))
    return {reading: fits for name, reading, fits in judgement.readings if name == clause}
