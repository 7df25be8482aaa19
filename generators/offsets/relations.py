"""The names of what a scenario of offsets has tried."""

from spec.offsets.model import is_named_twice, timelines_after
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import (
    SPECIALS,
    AppendTimed,
    Commit,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
from spec.offsets.timeline import Timeline, first_since, target_of, timeline_of
from spec.scenario import Scenario
from spec.steps import DeleteRecords, Step

ISOLATIONS = {0: "read_uncommitted", 1: "read_committed"}
PLACES = ("below", "at", "past-all")
FEATURES = (
    "log=unsorted",
    "log=equal",
    "log=rolled",
    "log=deleted",
    "log=deleted-inside-batch",
    "log=open-transaction",
    "log=compressed",
    "log=indexed",
    "partition=unknown",
    "partition=named-twice",
    "delete=below-the-start",
    "delete=inside",
    "delete=at-the-end",
    "delete=past-the-end",
    "delete=minus-one",
    "delete=negative",
    "metadata=below",
    "metadata=at",
    "metadata=above",
    "metadata=by-unit",
    "committed=asked",
    "epoch-end=older",
    "epoch-end=current",
    "epoch-end=newer",
    "leader-epoch=older",
    "leader-epoch=current",
    "leader-epoch=newer",
)
EPOCHS = {-1: FEATURES[-3], 0: FEATURES[-2], 1: FEATURES[-1]}
EPOCH_ENDS = {-1: "epoch-end=older", 0: "epoch-end=current", 1: "epoch-end=newer"}


def offset_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has tried, by name, each once, sorted."""
    timelines = tuple([timeline_of(one) for one in scenario.layout.partitions])
    found: set[str] = set()
    for step in scenario.steps:
        found |= _of_step(timelines, step)
        timelines = timelines_after(timelines, step)
        if isinstance(step, DeleteRecords) and timelines[step.partition].start:
            found.add("log=deleted")
    return tuple(sorted(found))


def _of_step(timelines: tuple[Timeline, ...], step: Step) -> set[str]:
    match step:
        case ListOffsets():
            twice = any(is_named_twice(step, one.partition) for one in step.lookups)
            each = [_of_lookup(timelines, one, step.isolation) for one in step.lookups]
            return set().union(*each) | ({"partition=named-twice"} if twice else set())
        case AppendTimed():
            return _of_append(step)
        case DeleteRecords():
            return {_deletion_relation(timelines[step.partition], step.offset)}
        case OffsetCommit():
            return {_metadata(commit) for commit in step.commits}
        case OffsetFetch():
            return {"committed=asked"}
        case OffsetForLeaderEpoch():
            return {EPOCH_ENDS[(step.epoch > 0) - (step.epoch < 0)]}
    return set()


def _metadata(commit: Commit) -> str:
    limit = OffsetSemantics().metadata_max
    if commit.length > limit:
        return "metadata=above"
    if commit.size > limit:
        return "metadata=by-unit"
    return "metadata=at" if commit.size == limit else "metadata=below"


def _deletion_relation(timeline: Timeline, offset: int) -> str:
    if offset < 0:
        return "delete=minus-one" if offset == -1 else "delete=negative"
    if offset >= timeline.end:
        return "delete=at-the-end" if offset == timeline.end else "delete=past-the-end"
    return "delete=below-the-start" if offset < timeline.start else "delete=inside"


def _of_append(step: AppendTimed) -> set[str]:
    found = set()
    if list(step.times) != sorted(step.times):
        found.add("log=unsorted")
    if len(set(step.times)) < len(step.times):
        found.add("log=equal")
    if step.codec.value != "none":
        found.add("log=compressed")
    if step.value_size:
        found.add("log=indexed")
    return found


def _of_lookup(timelines: tuple[Timeline, ...], lookup: Lookup, isolation: int) -> set[str]:
    if lookup.partition >= len(timelines):
        return {"partition=unknown"}
    timeline = timelines[lookup.partition]
    found = {_lookup_relation(timeline, lookup, isolation)}
    if lookup.leader_epoch is not None:
        found.add(EPOCHS[(lookup.leader_epoch > 0) - (lookup.leader_epoch < 0)])
    if timeline.undecided < timeline.end:
        found.add("log=open-transaction")
    if timeline.segment:
        found.add("log=rolled")
    if any(stamp.offset == timeline.start for stamp in timeline.stamps) and timeline.start:
        found.add("log=deleted-inside-batch")
    return found


def _lookup_relation(timeline: Timeline, lookup: Lookup, isolation: int) -> str:
    level = ISOLATIONS.get(isolation, "other")
    if lookup.is_special:
        name = SPECIALS[lookup.timestamp][0] if lookup.timestamp in SPECIALS else "no-special"
        return f"timestamp={name}:{level}"
    target = target_of(lookup.timestamp, relative=lookup.relative)
    leads = first_since(timeline, target, timeline.end)
    place = PLACES[2] if leads is None else PLACES[target == leads.time]
    return f"timestamp={place}:{level}"


def all_offset_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    names = [*[name for name, _ in SPECIALS.values()], *PLACES]
    both = [f"timestamp={name}:{level}" for name in names for level in ISOLATIONS.values()]
    never = {f"timestamp={SPECIALS[special][0]}:read_committed" for special in (-5, -6)}
    return frozenset([*both, *FEATURES, "timestamp=no-special:read_uncommitted"]) - never
