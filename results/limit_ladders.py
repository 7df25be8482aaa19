"""The ladders of limits: the numbers that an administrator asks for, among the bounds that all
releases give them.
"""

from collections.abc import Iterator
from functools import cache

from results.ladder import Asked, ladder
from results.limit_state import NEAR_LONGEST_NAME, Before, entry_error, shown_name
from results.shapes import Ladder
from spec.kafka import INT32_MAX, Error
from spec.limits.config_table import VERSIONS
from spec.limits.configs import Range, configs
from spec.limits.model import LONGEST_NAME
from spec.limits.outcomes import ConfigsAltered, TopicsAnswer
from spec.limits.releases import LIMIT_RELEASES
from spec.limits.setting import PLANES
from spec.limits.steps import (
    AlterConfigs,
    CreatePartitions,
    CreateTopics,
    Growth,
    LimitStep,
    NewTopic,
    Resource,
)
from spec.outcomes import Outcome

_NEAR_TOTAL = 1000
"""The total of a request from which on it is put beside its bound."""
_NAMES = Range(1, LONGEST_NAME)
_FROM_ONE = Range(1, None, -1)
_TOTAL = Range(None, max(one.most_partitions for one in LIMIT_RELEASES.values()))
_TOO_MANY = {Error.POLICY_VIOLATION, Error.UNKNOWN_SERVER_ERROR}
"""The errors of too many partitions, or of too many new ones."""


def limit_ladders(
    step: LimitStep, outcome: Outcome | None, before: Before
) -> Iterator[Ladder | None]:
    """The numbers of a step that lie at a bound or beyond it; None for one that does not."""
    answer = outcome if isinstance(outcome, TopicsAnswer) else None
    match step:
        case CreateTopics(topics=topics):
            for place, topic in enumerate(topics):
                yield from _of_topic(topic, entry_error(answer, place))
            total = sum([max(topic.partitions, 0) for topic in topics])
            yield _total("partitions of the request", total, answer)
        case CreatePartitions():
            new = 0
            for place, growth in enumerate(step.topics):
                present = before.partitions.get(growth.name.whole)
                if present is not None:
                    new += max(growth.count - present, 0)
                    yield _growth(growth, present, entry_error(answer, place))
            yield _total("new partitions of the request", new, answer)
        case AlterConfigs(resource=resource, changes=changes):
            error = outcome.error if isinstance(outcome, ConfigsAltered) else None
            for one in changes:
                if one.value is not None:
                    yield _config(resource, one.config, one.value, error)


def _growth(growth: Growth, present: int, error: int | None) -> Ladder | None:
    """A new number of partitions at the present one, or below it."""
    if growth.count > present + 1:
        return None
    title = f"partitions of topic {shown_name(growth.name)}"
    return ladder(title, Range(present + 1, None), (Asked(str(growth.count), error),))


def _of_topic(topic: NewTopic, error: int | None) -> Iterator[Ladder | None]:
    """The numbers of a new topic that lie at a bound, or beyond it."""
    length = len(topic.name.whole)
    if not 1 <= length < NEAR_LONGEST_NAME:
        yield ladder("characters of the name", _NAMES, (Asked(str(length), error),))
    if topic.partitions < 1 and topic.partitions != _FROM_ONE.besides:
        yield ladder("partitions", _FROM_ONE, (Asked(str(topic.partitions), error),))
    if topic.replication < 1 and topic.replication != _FROM_ONE.besides:
        yield ladder("replication factor", _FROM_ONE, (Asked(str(topic.replication), error),))
    for name, value in topic.configs:
        yield _config(Resource.TOPIC, name, value, error)


def _config(resource: Resource, name: str, value: str, error: int | None) -> Ladder | None:
    bounds = _bounds_of(f"{PLANES[resource]}/{name}")
    return None if bounds is None else ladder(name, bounds, (Asked(value, error),))


@cache
def _bounds_of(key: str) -> Range | None:
    """The numbers that a config takes in all releases that have it; None where they differ in that,
    or it is not about numbers.
    """
    found = {
        one.bounds if one.numeric else None
        for version in VERSIONS
        if (one := configs(version).get(key)) is not None
    }
    return found.pop() if len(found) == 1 else None


def _total(title: str, total: int, answer: TopicsAnswer | None) -> Ladder | None:
    """A total that is near its bound; none past 32 bits, where releases differ."""
    if not _NEAR_TOTAL <= total <= INT32_MAX:
        return None
    return ladder(title, _TOTAL, (Asked(str(total), _error_of_total(answer)),))


def _error_of_total(answer: TopicsAnswer | None) -> int | None:
    """The error by which topics are refused for their number, otherwise one of all topics."""
    errors = [] if answer is None else [entry.error for entry in answer.entries]
    refused = [error for error in errors if error in _TOO_MANY]
    return next(iter([*refused, *([0] if 0 in errors else []), *errors]), None)
