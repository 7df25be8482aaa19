"""The picture of a step of limits: the numbers that an administrator asks for among the bounds that
all releases give them, a page of a topic's partitions, the connections of an address or a listener.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache

from results.ladder import Asked, answer_words, ladder
from results.shapes import Box, Fence, Ladder, Panel, Row
from results.text import count_of
from spec.frozen import frozen, replace
from spec.kafka import INT32_MAX, Error, error_name
from spec.limits.config_table import VERSIONS
from spec.limits.configs import Range, configs
from spec.limits.connections import PER_ADDRESS
from spec.limits.listener import OF_LISTENER
from spec.limits.model import LONGEST_NAME
from spec.limits.outcomes import (
    OF_TOPIC,
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    ListenerConnections,
    PartitionPage,
    TopicEntry,
    TopicsAnswer,
)
from spec.limits.releases import LIMIT_RELEASES
from spec.limits.setting import PLANES
from spec.limits.steps import (
    AlterConfigs,
    CloseConnection,
    CloseOnListener,
    ConnectionStep,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    Growth,
    LimitConnections,
    LimitListener,
    LimitStep,
    ListenerStep,
    ListPartitions,
    Name,
    NewTopic,
    OpenConnection,
    OpenOnListener,
    Resource,
)
from spec.outcomes import Outcome
from spec.steps import Step

_MOST_NAMED = 8
"""Configs, or partitions, that are named in words."""
_NAME_CHARACTERS = 40
"""Characters of a name that are shown."""
_NEAR_TOTAL = 1000
"""The total of a request from which on it is put beside its bound."""
_NEAR_NAME = 200
"""The length of a name from which on it is put beside its bound."""
_NAMES = Range(1, LONGEST_NAME)
_FROM_ONE = Range(1, None, -1)
_TOTAL = Range(None, max(one.most_partitions for one in LIMIT_RELEASES.values()))


_TOO_MANY = {Error.POLICY_VIOLATION, Error.UNKNOWN_SERVER_ERROR}
"""The errors of too many partitions, or of too many new ones."""


@frozen
class Before:
    """What a history has made of topics and connections before a step, as the answers show it.

    Attributes:
        partitions: how many a topic has, by its name.
        limits: of addresses.
        held: the connections that an address has.
        of_listener: the limit of the listener.
    """

    partitions: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[int, int] = field(default_factory=dict)
    held: Mapping[int, int] = field(default_factory=dict)
    of_listener: int = OF_LISTENER

    def after(self, step: Step, outcome: Outcome | None) -> "Before":
        """It after a step and its outcome."""
        match step, outcome:
            case CreateTopics() | CreatePartitions() | DescribeTopics(), TopicsAnswer():
                return replace(self, partitions={**self.partitions, **_counts(step, outcome)})
            case LimitConnections() | OpenConnection() | CloseConnection(), ConnectionsHeld():
                limits = {step.address: step.limit} if isinstance(step, LimitConnections) else {}
                held = {step.address: outcome.answered + outcome.served}
                return replace(self, limits={**self.limits, **limits}, held={**self.held, **held})
            case LimitListener(limit=limit), _:
                return replace(self, of_listener=limit)
        return self


def _counts(
    step: CreateTopics | CreatePartitions | DescribeTopics, answer: TopicsAnswer
) -> Mapping[str, int]:
    """The partitions of topics that an answer speaks of."""
    if not isinstance(step, DescribeTopics) and step.validate_only:
        return {}
    found = {}
    for place, name in enumerate(step.asked_names):
        entry = _entry(answer, place)
        if entry is None or entry.error:
            continue
        asked = step.topics[place].count if isinstance(step, CreatePartitions) else None
        count = entry.partitions if asked is None else asked
        if count is not None:
            found[name.whole] = count
    return found


def limit_panel(
    before: Before, number: int, step: LimitStep, outcome: Outcome | None, other: str
) -> Panel:
    """One step of a history of limits.

    Args:
        before: what the step meets.
        number: the step's.
        step: what is done.
        outcome: what came back; None where it was not played.
        other: what to say of an outcome that is none of limits'.
    """
    return Panel(
        f"step {number}: {_words(step)}",
        tuple(_rows(step, outcome, before)),
        _outcome(step, outcome, other),
        tuple([one for one in _ladders(step, outcome, before) if one is not None]),
    )


def _words(step: LimitStep) -> str:
    match step:
        case CreateTopics() | CreatePartitions():
            validated = ", only validated" if step.validate_only else ""
            return f"{type(step).__name__} v{step.version}{validated}"
        case DescribeTopics():
            return f"Metadata v{step.version}"
        case AlterConfigs(resource=resource, changes=changes):
            whose = "all brokers" if resource is Resource.BROKERS else f"{resource.value} "
            whose += "" if resource is Resource.BROKERS else _name(step.target)
            validated = ", only validated" if step.validate_only else ""
            values = ", ".join(
                [
                    f"{one.config} is taken away"
                    if one.value is None
                    else f"{one.config}={one.value}"
                    for one in changes
                ]
            )
            return f"IncrementalAlterConfigs v{step.version} of {whose}{validated}: {values}"
        case DescribeConfigs(target=target):
            return f"DescribeConfigs v{step.version} of topic {_name(target)}"
        case ListPartitions(target=target, start=start):
            cursor = "" if start is None else f", from partition {start} on"
            return f"DescribeTopicPartitions v{step.version} of topic {_name(target)}{cursor}"
    return _connection_words(step)


def _connection_words(step: ConnectionStep | ListenerStep) -> str:
    match step:
        case LimitConnections(limit=limit, address=address):
            return f"address {address} may have {count_of(limit, 'connection')}"
        case OpenConnection(address=address):
            return f"address {address} opens one more connection"
        case CloseConnection(address=address):
            return f"address {address} closes its last connection"
        case LimitListener(limit=limit):
            return f"the listener may have {count_of(limit, 'connection')}"
        case OpenOnListener():
            return "one more connection to the listener is opened"
        case CloseOnListener():
            return "the first connection of the listener that is served is closed by its client"


def _name(name: Name) -> str:
    """A name as it is asked for, without what all names of a play begin with."""
    length = len(name.whole)
    shown = name.text if len(name.text) <= _NAME_CHARACTERS else f"{name.text[:_NAME_CHARACTERS]}…"
    return f"'{shown}'" + (f" of {length} characters" if length >= _NEAR_NAME else "")


def _rows(step: LimitStep, outcome: Outcome | None, before: Before) -> Iterator[Row]:
    answer = outcome if isinstance(outcome, TopicsAnswer) else None
    match step:
        case CreateTopics(topics=topics):
            for place, topic in enumerate(topics):
                yield _entry_row(_topic(topic), answer, place)
        case CreatePartitions():
            for place, growth in enumerate(step.topics):
                title = f"{_name(growth.name)}: {_partitions(growth.count)}"
                yield _entry_row(title, answer, place)
        case DescribeTopics(names=names):
            for place, name in enumerate(names):
                yield _entry_row(_name(name), answer, place)
        case ListPartitions():
            yield _page(step, outcome, before)
        case LimitConnections() | OpenConnection() | CloseConnection():
            yield from _connections(step, outcome, before)
        case LimitListener() | OpenOnListener() | CloseOnListener():
            limit = before.after(step, outcome).of_listener
            yield from _connections_of_listener(outcome, limit)


def _topic(topic: NewTopic) -> str:
    words = [_partitions(topic.partitions)]
    words += [f"replication factor {topic.replication}"] if topic.replication != -1 else []
    words += [f"{name}={value}" for name, value in topic.configs[:_MOST_NAMED]]
    if len(topic.configs) > _MOST_NAMED:
        words.append(f"{len(topic.configs)} configs in all")
    return f"{_name(topic.name)}: {', '.join(words)}"


def _partitions(count: int) -> str:
    return count_of(count, "partition")


def _entry(answer: TopicsAnswer, place: int) -> TopicEntry | None:
    return next((one for one in answer.entries if one.topic == place), None)


def _entry_row(title: str, answer: TopicsAnswer | None, place: int) -> Row:
    words, refused = _entry_words(answer, place), bool(_error(answer, place))
    return Row(f"topic {title}", answer=words, refused=refused)


def _entry_words(answer: TopicsAnswer | None, place: int) -> str:
    if answer is None:
        return ""
    entry = _entry(answer, place)
    if entry is None:
        return "without an entry for it"
    words = [error_name(entry.error)] if entry.error else []
    if entry.partitions is not None:
        words.append(_partitions(entry.partitions))
    return ", ".join(words) or "without an error"


def _page(step: ListPartitions, outcome: Outcome | None, before: Before) -> Row:
    start, known = step.start or 0, before.partitions.get(step.target.whole)
    answer, answered = "", tuple[tuple[int, int], ...]()
    if isinstance(outcome, PartitionPage):
        numbers = outcome.partitions
        named = ", ".join(map(str, numbers[:_MOST_NAMED]))
        more = f", … {len(numbers)} in all" if len(numbers) > _MOST_NAMED else ""
        cursor = f", a cursor to {outcome.following}" if outcome.following is not None else ""
        error = error_name(outcome.error) if outcome.error else f"partitions {named or 'none'}"
        answer = f"{error}{more}{cursor}"
        answered = tuple([(one, 1) for one in numbers if 0 <= one < (known or 0)])
    return Row(
        "its partitions, by number",
        boxes=() if not known else (Box(0, known, None, "plain", f"{known} partitions"),),
        length=known or 0,
        reads_from=start if known and start <= known else None,
        fences=(Fence(start + max(step.limit, 0), f"limit={step.limit}"),) if known else (),
        answered=answered,
        answer=answer,
    )


def _connections(
    step: LimitConnections | OpenConnection | CloseConnection,
    outcome: Outcome | None,
    before: Before,
) -> Iterator[Row]:
    """The connections of an address, those that answered in green, beside its limit."""
    if not isinstance(outcome, ConnectionsHeld):
        return
    held, opens = before.held.get(step.address, 0), isinstance(step, OpenConnection)
    count = held + opens
    own = step.limit if isinstance(step, LimitConnections) else before.limits.get(step.address)
    words = [f"{outcome.answered} of those before it"] if held else []
    words += [f"the new one was {'served' if outcome.served else 'closed'}"] if opens else []
    boxes = [Box(place, 1, None, "plain", f"connection {place}") for place in range(count)]
    yield Row(
        f"connections of address {step.address}",
        boxes=tuple(boxes),
        length=count,
        fences=(
            Fence(PER_ADDRESS, f"max.connections.per.ip={PER_ADDRESS}")
            if own is None
            else Fence(own, f"its limit of {own}"),
        ),
        answered=((0, outcome.answered), *(((held, 1),) if outcome.served else ())),
        answer=", ".join(words),
    )


def _connections_of_listener(outcome: Outcome | None, limit: int) -> Iterator[Row]:
    """The connections of a listener after a step, those that are served in green first, beside its
    limit.
    """
    if not isinstance(outcome, ListenerConnections):
        return
    count = outcome.served + outcome.waiting
    words = [f"{outcome.served} are served"]
    words += [f"{outcome.waiting} wait"] if outcome.waiting else []
    words += [f"{outcome.closed} were closed by the broker"] if outcome.closed else []
    boxes = [Box(place, 1, None, "plain", f"connection {place}") for place in range(count)]
    yield Row(
        "connections of the listener",
        boxes=tuple(boxes),
        length=count,
        fences=(Fence(limit, f"max.connections={limit}"),),
        answered=((0, outcome.served),),
        answer=", ".join(words),
    )


def _ladders(step: LimitStep, outcome: Outcome | None, before: Before) -> Iterator[Ladder | None]:
    answer = outcome if isinstance(outcome, TopicsAnswer) else None
    match step:
        case CreateTopics(topics=topics):
            for place, topic in enumerate(topics):
                yield from _of_topic(topic, _error(answer, place))
            total = sum([max(topic.partitions, 0) for topic in topics])
            yield _total("partitions of the request", total, answer)
        case CreatePartitions():
            new = 0
            for place, growth in enumerate(step.topics):
                present = before.partitions.get(growth.name.whole)
                if present is not None:
                    new += max(growth.count - present, 0)
                    yield _growth(growth, present, _error(answer, place))
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
    title = f"partitions of topic {_name(growth.name)}"
    return ladder(title, Range(present + 1, None), (Asked(str(growth.count), error),))


def _of_topic(topic: NewTopic, error: int | None) -> Iterator[Ladder | None]:
    """The numbers of a new topic that lie at a bound, or beyond it."""
    length = len(topic.name.whole)
    if not 1 <= length < _NEAR_NAME:
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


def _error(answer: TopicsAnswer | None, place: int) -> int | None:
    entry = None if answer is None else _entry(answer, place)
    return None if entry is None else entry.error


def _outcome(step: LimitStep, outcome: Outcome | None, other: str) -> str:
    match outcome:
        case None | TopicsAnswer() | PartitionPage() | ConnectionsHeld() | ListenerConnections():
            return ""
        case ConfigsAltered(error=error):
            return f"answered {answer_words(error)}"
        case ConfigsDescribed(error=error) if error:
            return f"answered {error_name(error)}"
        case ConfigsDescribed(configs=found):
            return f"answered {_configs_text(step, outcome)}" if found else "answered no configs"
    return other


def _configs_text(step: LimitStep, answer: ConfigsDescribed) -> str:
    """The configs that are set, and, where few were asked for, all of them."""
    few = isinstance(step, DescribeConfigs) and 0 < len(step.configs) <= _MOST_NAMED // 2
    shown = [one for one in answer.configs if few or one.source == OF_TOPIC]
    words = [
        f"{one.config}={one.value}{'' if one.source == OF_TOPIC else ' by default'}"
        for one in shown[:_MOST_NAMED]
    ]
    left = len(answer.configs) - len(words)
    return ", ".join([*words, *([f"{left} others"] if left else [])])
