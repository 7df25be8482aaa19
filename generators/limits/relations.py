"""The names of what a scenario of limits has tried."""

from generators.limits.histories import topics_after
from spec.limits.boundaries import Place, boundaries
from spec.limits.configs import Config
from spec.limits.connections import Addresses, ConnectionRules, FromAddress
from spec.limits.dry_run import connection_step, listener_step
from spec.limits.listener import Listener, ListenerRules
from spec.limits.outcomes import TopicsAnswer
from spec.limits.releases import LimitSemantics
from spec.limits.setting import config_of
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
    LimitStep,
    ListenerStep,
    ListPartitions,
    Resource,
    TopicsStep,
)
from spec.limits.topic import Topics
from spec.limits.turn import TopicProblem, Turn, names_of
from spec.scenario import Scenario
from spec.verdict import side

PLACES = ("below", "at", "above")
FENCES = ("total", "records", "grow", "new", "page", "connections", "own-connections", "listener")
FEATURES = (
    "create=accepted",
    "create=validated",
    "create=several-reasons",
    "total=wraps",
    "look=there",
    "look=not-there",
    "grow=unknown",
    "grow=several",
    "look=configs",
    "alter=validated",
    "alter=set",
    "alter=taken-away",
    "alter=unknown",
    "alter=read-only",
    "alter=no-topic",
    "connections=closed",
    "connections=lowered",
    "connections=of-two-addresses",
    "listener=closed-while-waiting",
    "listener=lowered",
    "listener=raised-while-waiting",
)
OTHER = "other"
CONNECTION_RULES = ConnectionRules()
LISTENER_RULES = ListenerRules()
PLACES_OF_VALUES = tuple([place for place in Place if place is not Place.BESIDES])


def limit_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has tried, by name, each once, sorted."""
    semantics = LimitSemantics()
    topics: Topics = {}
    addresses: Addresses = {}
    listener = Listener()
    found: set[str] = set()
    for step in scenario.steps:
        assert isinstance(step, LimitStep)
        if isinstance(step, ConnectionStep):
            found |= _of_connections(step, addresses)
            _, addresses = connection_step(addresses, step, CONNECTION_RULES)
            continue
        if isinstance(step, ListenerStep):
            found |= _of_listener(step, listener)
            _, listener = listener_step(listener, step, LISTENER_RULES)
            continue
        found |= _of_step(step, topics, semantics)
        topics = topics_after(topics, step, semantics)
    return tuple(sorted(found))


def all_limit_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    refused = [f"refused={reason}" for reason in TopicProblem]
    fences = [f"{fence}={place}" for fence in FENCES for place in PLACES]
    ways = ("create", *Resource)
    values = [f"value={place}:{way}" for place in (*PLACES_OF_VALUES, OTHER) for way in ways]
    return frozenset([*refused, *fences, *values, *FEATURES])


def _of_step(step: LimitStep, topics: Topics, semantics: LimitSemantics) -> set[str]:
    if isinstance(step, DescribeConfigs):
        return {"look=configs"}
    if isinstance(step, ListPartitions):
        known = topics.get(step.target.whole)
        if known is None:
            return {"look=not-there"}
        return {_place("page", step.limit, known.partitions - (step.start or 0))}
    if isinstance(step, AlterConfigs):
        return _of_alteration(step, topics, semantics)
    assert isinstance(step, TopicsStep)
    names = names_of(step)
    turns = [
        Turn(step, topics, TopicsAnswer(), semantics, names.index(name))
        for name in dict.fromkeys(names)
    ]
    if isinstance(step, DescribeTopics):
        return {
            "look=there" if turn.topic_before is not None else "look=not-there" for turn in turns
        }
    if isinstance(step, CreatePartitions):
        return _of_growth(turns, semantics)
    return set().union(*[_of_creation(turn) for turn in turns], _of_totals(turns[0]))


def _of_connections(step: ConnectionStep, addresses: Addresses) -> set[str]:
    known = addresses.get(step.address, FromAddress())
    if isinstance(step, CloseConnection):
        return {"connections=closed"} if known.held else set()
    if isinstance(step, LimitConnections):
        return {"connections=lowered"} if step.limit < known.held else set()
    fence = "connections" if known.limit is None else "own-connections"
    found = {_place(fence, known.held + 1, known.most)}
    others = [one for number, one in addresses.items() if number != step.address and one.held]
    return {*found, "connections=of-two-addresses"} if others else found


def _of_listener(step: ListenerStep, known: Listener) -> set[str]:
    if isinstance(step, CloseOnListener):
        return {"listener=closed-while-waiting"} if known.waiting else set()
    if isinstance(step, LimitListener):
        if step.limit < known.served:
            return {"listener=lowered"}
        raised = known.waiting and step.limit > known.limit
        return {"listener=raised-while-waiting"} if raised else set()
    return {_place("listener", known.served + known.waiting + 1, known.limit)}


def _of_creation(turn: Turn) -> set[str]:
    assert isinstance(turn.step, CreateTopics)
    values: set[str] = set()
    found = {f"refused={reason}" for reason in turn.reasons}
    for name, value in turn.wanted_topic.configs:
        config = config_of(Resource.TOPIC, name, turn.semantics)
        if config is not None and config.numeric:
            values.add(f"value={_place_of(config, value)}:create")
    if not found:
        found.add("create=validated" if turn.step.validate_only else "create=accepted")
    elif len(found) > 1:
        found.add("create=several-reasons")
    return found | values


def _of_alteration(step: AlterConfigs, topics: Topics, semantics: LimitSemantics) -> set[str]:
    found = {"alter=validated" if step.validate_only else "alter=set"}
    for one in step.changes:
        if one.value is None:
            found.add("alter=taken-away")
            continue
        config = config_of(step.resource, one.config, semantics)
        if config is None:
            found.add("alter=unknown")
        elif config.mode == "read-only":
            found.add("alter=read-only")
        else:
            found.add(f"value={_place_of(config, one.value)}:{step.resource}")
    if step.resource is Resource.TOPIC and step.target.whole not in topics:
        found.add("alter=no-topic")
    return found


def _place_of(config: Config, value: str) -> str:
    """Where a value stands in its config's range, as far as it is an end of it or beside it."""
    at: dict[str, str] = {one.value: one.place for one in boundaries(config)}
    place = at.get(value, OTHER)
    return OTHER if place == Place.BESIDES else place


def _of_totals(turn: Turn) -> set[str]:
    if turn.wraps:
        return {"total=wraps"}
    total = _place("total", turn.total, turn.semantics.most_partitions)
    return {total, _place("records", turn.records, turn.semantics.most_records)}


def _of_growth(turns: list[Turn], semantics: LimitSemantics) -> set[str]:
    found = {
        "grow=unknown"
        if turn.topic_before is None
        else _place("grow", turn.count, turn.topic_before.partitions)
        for turn in turns
    }
    if len(turns) > 1:
        found.add("grow=several")
    new = sum(turns[0].added_partitions.values())
    return {*found, _place("new", new, semantics.most_partitions)} if new else found


def _place(fence: str, value: int, at: int) -> str:
    return f"{fence}={side(value, at).names[0]}"
