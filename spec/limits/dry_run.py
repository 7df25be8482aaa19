"""The model's answers to a scenario of limits."""

from collections.abc import Iterable

from spec.kafka import Error
from spec.limits.connections import (
    Addresses,
    ConnectionRules,
    FromAddress,
    close_one,
    limit_address,
    open_one,
)
from spec.limits.listener import (
    Listener,
    ListenerRules,
    close_on,
    limit_listener,
    open_on,
)
from spec.limits.model import (
    REFERENCE,
    Controller,
    Errors,
    create_topics,
    grow_topics,
    topics_after_creation,
    topics_after_growth,
    total_of,
)
from spec.limits.outcomes import (
    BY_DEFAULT,
    OF_TOPIC,
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    Described,
    ListenerConnections,
    PartitionPage,
    TopicEntry,
    TopicsAnswer,
)
from spec.limits.releases import LimitSemantics
from spec.limits.setting import topic_configs
from spec.limits.steps import (
    AlterConfigs,
    CloseConnection,
    CloseOnListener,
    ConnectionStep,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    LimitConnections,
    LimitListener,
    ListenerStep,
    ListPartitions,
    NewTopic,
    Resource,
)
from spec.limits.topic import RequestedTopic, Topic, Topics
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Outcome
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step


def answer_all(
    scenario: Scenario, semantics: Semantics, controller: Controller = REFERENCE
) -> Observation:
    """What the model answers, in the order of the steps."""
    part = semantics.of(LimitSemantics)
    topics: Topics = {}
    addresses: Addresses = {}
    listener = Listener()
    exchanges = []
    for number, step in enumerate(scenario.steps):
        outcome: Outcome
        if isinstance(step, ConnectionStep):
            outcome, addresses = connection_step(addresses, step, controller.connections)
        elif isinstance(step, ListenerStep):
            outcome, listener = listener_step(listener, step, controller.listener)
        else:
            outcome, topics = _step(topics, step, part, controller)
        exchanges.append(Exchange(number, outcome))
    return Observation(tuple(exchanges))


def connection_step(
    addresses: Addresses, step: ConnectionStep, rules: ConnectionRules
) -> tuple[ConnectionsHeld, Addresses]:
    """The outcome of a step about connections, and the connections after it."""
    served = False
    if isinstance(step, LimitConnections):
        addresses = limit_address(addresses, step.address, step.limit, rules)
    elif isinstance(step, CloseConnection):
        addresses = close_one(addresses, step.address)
    else:
        served, addresses = open_one(addresses, step.address, rules)
    held = addresses.get(step.address, FromAddress()).held
    return ConnectionsHeld(held - served, served), addresses


def listener_step(
    listener: Listener, step: ListenerStep, rules: ListenerRules
) -> tuple[ListenerConnections, Listener]:
    """The outcome of a step about a listener's connections, and those after it."""
    total = listener.served + listener.waiting
    if isinstance(step, LimitListener):
        after = limit_listener(listener, step.limit, rules)
    elif isinstance(step, CloseOnListener):
        after = close_on(listener, rules)
        total -= bool(listener.served)
    else:
        after = open_on(listener, rules)
        total += 1
    closed = total - after.served - after.waiting
    return ListenerConnections(after.served, after.waiting, closed), after


def wanted_of(topics: Iterable[NewTopic]) -> tuple[RequestedTopic, ...]:
    """The topics of a step as the controller sees them."""
    return tuple(
        [
            RequestedTopic(one.name.whole, one.partitions, one.replication, one.configs)
            for one in topics
        ]
    )


def _step(
    topics: Topics, step: Step, semantics: LimitSemantics, controller: Controller
) -> tuple[Outcome, Topics]:
    """The answer to a step, and the topics after it."""
    if isinstance(step, DescribeTopics):
        names = [name.whole for name in step.names]
        errors: Errors = {
            name: Error.NONE if name in topics else Error.UNKNOWN_TOPIC_OR_PARTITION
            for name in names
        }
        return _answer(names, errors, topics, controller), topics
    if isinstance(step, AlterConfigs):
        return _alter(topics, step, semantics, controller)
    if isinstance(step, DescribeConfigs):
        return _describe(topics, step, semantics, controller), topics
    if isinstance(step, ListPartitions):
        return _page(topics, step, semantics, controller), topics
    makes = controller.makes_validated
    if isinstance(step, CreatePartitions):
        counts = {one.name.whole: one.count for one in step.topics}
        errors = grow_topics(topics, counts, semantics, controller)
        if makes or not step.validate_only:
            topics = topics_after_growth(topics, counts, errors, controller)
        return _answer(list(counts), errors, {}, controller), topics
    assert isinstance(step, CreateTopics)
    wanted = wanted_of(step.topics)
    if not controller.answers(total_of(wanted, semantics)):
        return Closed("it was closed"), topics
    errors = create_topics(topics, wanted, semantics, controller)
    after = topics_after_creation(topics, wanted, errors, semantics, controller)
    said = after if controller.says_partitions else {}
    answer = _answer([one.name for one in wanted], errors, said, controller)
    return answer, after if makes or not step.validate_only else topics


def _page(
    topics: Topics, step: ListPartitions, semantics: LimitSemantics, controller: Controller
) -> PartitionPage:
    topic = topics.get(step.target.whole)
    if topic is None:
        return PartitionPage(Error.UNKNOWN_TOPIC_OR_PARTITION)
    start = step.start or 0
    end = min(topic.partitions, start + controller.paging(step.limit, semantics))
    numbers = tuple(range(start, end))
    return PartitionPage(0, numbers, controller.following(start, len(numbers), topic.partitions))


def _alter(
    topics: Topics, step: AlterConfigs, semantics: LimitSemantics, controller: Controller
) -> tuple[Outcome, Topics]:
    """The answer to an alteration, and the topics after it."""
    name = step.target.whole
    topic = topics.get(name) if step.resource is Resource.TOPIC else None
    error = controller.altering(step.resource, topic, step.changes, semantics)
    takes = controller.sets_validated or not step.validate_only
    if topic is not None and takes and (controller.sets_refused or not error):
        topics = {**topics, name: controller.setting(topic, step.changes)}
    return ConfigsAltered(int(error)), topics


def _describe(
    topics: Topics, step: DescribeConfigs, semantics: LimitSemantics, controller: Controller
) -> ConfigsDescribed:
    topic = topics.get(step.target.whole)
    if topic is None and controller.describes_any:
        topic = Topic(1)
    if topic is None:
        return ConfigsDescribed(Error.UNKNOWN_TOPIC_OR_PARTITION)
    known = topic_configs(semantics)
    given = dict(topic.configs)
    return ConfigsDescribed(
        0,
        tuple(
            [
                Described(name, given[name], OF_TOPIC)
                if name in given
                else Described(name, controller.defaulting(name, semantics), BY_DEFAULT)
                for name in step.configs or known
                if name in known
            ]
        ),
    )


def _answer(
    names: list[str], errors: Errors, topics: Topics, controller: Controller
) -> TopicsAnswer:
    """One entry for each topic that was named."""
    unique = list(dict.fromkeys(names))
    entries = []
    for name in [unique[place] for place in controller.lists(range(len(unique)))]:
        says = name in topics and not errors[name]
        there = topics[name].partitions if says else None
        entries.append(TopicEntry(names.index(name), int(errors[name]), there))
    return TopicsAnswer(tuple(entries))
