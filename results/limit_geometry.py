"""The picture of a step of limits: what topics are asked for and get, a page of a topic's
partitions, and, of modules of their own, ladders of numbers and connections.
"""

from collections.abc import Iterator

from results.connection_rows import connection_rows, connection_words, listener_rows
from results.ladder import answer_words
from results.limit_ladders import limit_ladders
from results.limit_state import Before, entry_error, entry_of, shown_name
from results.shapes import Box, Fence, Panel, Row
from results.text import count_of
from spec.kafka import error_name
from spec.limits.outcomes import (
    OF_TOPIC,
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    ListenerConnections,
    PartitionPage,
    TopicsAnswer,
)
from spec.limits.steps import (
    AlterConfigs,
    CloseConnection,
    CloseOnListener,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    LimitConnections,
    LimitListener,
    LimitStep,
    ListPartitions,
    NewTopic,
    OpenConnection,
    OpenOnListener,
    Resource,
)
from spec.outcomes import Outcome

_MOST_NAMED = 8
"""Configs, or partitions, that are named in words."""


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
        tuple([one for one in limit_ladders(step, outcome, before) if one is not None]),
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
            whose += "" if resource is Resource.BROKERS else shown_name(step.target)
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
            return f"DescribeConfigs v{step.version} of topic {shown_name(target)}"
        case ListPartitions(target=target, start=start):
            cursor = "" if start is None else f", from partition {start} on"
            return f"DescribeTopicPartitions v{step.version} of topic {shown_name(target)}{cursor}"
    return connection_words(step)


def _rows(step: LimitStep, outcome: Outcome | None, before: Before) -> Iterator[Row]:
    answer = outcome if isinstance(outcome, TopicsAnswer) else None
    match step:
        case CreateTopics(topics=topics):
            for place, topic in enumerate(topics):
                yield _entry_row(_topic(topic), answer, place)
        case CreatePartitions():
            for place, growth in enumerate(step.topics):
                title = f"{shown_name(growth.name)}: {_partitions(growth.count)}"
                yield _entry_row(title, answer, place)
        case DescribeTopics(names=names):
            for place, name in enumerate(names):
                yield _entry_row(shown_name(name), answer, place)
        case ListPartitions():
            yield _page(step, outcome, before)
        case LimitConnections() | OpenConnection() | CloseConnection():
            yield from connection_rows(step, outcome, before)
        case LimitListener() | OpenOnListener() | CloseOnListener():
            limit = before.after(step, outcome).of_listener
            yield from listener_rows(outcome, limit)


def _topic(topic: NewTopic) -> str:
    words = [_partitions(topic.partitions)]
    words += [f"replication factor {topic.replication}"] if topic.replication != -1 else []
    words += [f"{name}={value}" for name, value in topic.configs[:_MOST_NAMED]]
    if len(topic.configs) > _MOST_NAMED:
        words.append(f"{len(topic.configs)} configs in all")
    return f"{shown_name(topic.name)}: {', '.join(words)}"


def _partitions(count: int) -> str:
    return count_of(count, "partition")


def _entry_row(title: str, answer: TopicsAnswer | None, place: int) -> Row:
    words, refused = _entry_words(answer, place), bool(entry_error(answer, place))
    return Row(f"topic {title}", answer=words, refused=refused)


def _entry_words(answer: TopicsAnswer | None, place: int) -> str:
    if answer is None:
        return ""
    entry = entry_of(answer, place)
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
