"""The names of what a scenario of limits has tried."""

from generators.limits.histories import topics_after
from spec.limits.model import Topics
from spec.limits.outcomes import TopicsAnswer
from spec.limits.releases import LimitSemantics
from spec.limits.steps import CreatePartitions, CreateTopics, DescribeTopics, TopicsStep
from spec.limits.turn import Reason, Turn, names_of
from spec.scenario import Scenario
from spec.verdict import side

PLACES = ("below", "at", "above")
FENCES = ("total", "records", "grow", "new")
FEATURES = (
    "create=accepted",
    "create=validated",
    "create=several-reasons",
    "total=wraps",
    "look=there",
    "look=not-there",
    "grow=unknown",
    "grow=several",
)


def limit_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has tried, by name, each once, sorted."""
    semantics = LimitSemantics()
    topics: Topics = {}
    found: set[str] = set()
    for step in scenario.steps:
        assert isinstance(step, TopicsStep)
        found |= _of_step(step, topics, semantics)
        topics = topics_after(topics, step, semantics)
    return tuple(sorted(found))


def all_limit_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    refused = [f"refused={reason}" for reason in Reason]
    fences = [f"{fence}={place}" for fence in FENCES for place in PLACES]
    return frozenset([*refused, *fences, *FEATURES])


def _of_step(step: TopicsStep, topics: Topics, semantics: LimitSemantics) -> set[str]:
    names = names_of(step)
    turns = [
        Turn(step, topics, TopicsAnswer(), semantics, names.index(name))
        for name in dict.fromkeys(names)
    ]
    if isinstance(step, DescribeTopics):
        return {"look=there" if turn.known is not None else "look=not-there" for turn in turns}
    if isinstance(step, CreatePartitions):
        return _of_growth(turns, semantics)
    return set().union(*[_of_creation(turn) for turn in turns], _of_totals(turns[0]))


def _of_creation(turn: Turn) -> set[str]:
    assert isinstance(turn.step, CreateTopics)
    found = {f"refused={reason}" for reason in turn.reasons}
    if not found:
        found.add("create=validated" if turn.step.validate_only else "create=accepted")
    elif len(found) > 1:
        found.add("create=several-reasons")
    return found


def _of_totals(turn: Turn) -> set[str]:
    if turn.wraps:
        return {"total=wraps"}
    total = _place("total", turn.total, turn.semantics.most_partitions)
    return {total, _place("records", turn.records, turn.semantics.most_records)}


def _of_growth(turns: list[Turn], semantics: LimitSemantics) -> set[str]:
    found = {
        "grow=unknown" if turn.known is None else _place("grow", turn.count, turn.known.partitions)
        for turn in turns
    }
    if len(turns) > 1:
        found.add("grow=several")
    new = sum(turns[0].added.values())
    return {*found, _place("new", new, semantics.most_partitions)} if new else found


def _place(fence: str, value: int, at: int) -> str:
    return f"{fence}={side(value, at).names[0]}"
