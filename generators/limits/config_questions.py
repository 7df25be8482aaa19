"""Values around the ranges of configs: given to new topics, and by alteration."""

from functools import cache

from hypothesis import strategies as st

from generators.numbers import below
from generators.weighted import several, weighted
from spec.limits.boundaries import Boundary, boundaries
from spec.limits.configs import ConfigScope, configs
from spec.limits.releases import LimitSemantics
from spec.limits.setting import PLANES
from spec.limits.steps import (
    ALL_BROKERS,
    HARMLESS,
    AlterConfigs,
    Change,
    CreateTopics,
    DescribeConfigs,
    Name,
    NewTopic,
    Resource,
)

UNKNOWN = "fencepost.no.config"
NO_NUMBERS = ("x", "", "1.5", "0x10", "1e3")
GROUP = Name("g")
OFTEN = frozenset({"retention.ms", "segment.ms"})
"""Configs that are set and taken away most, so that they meet."""

_both = weighted((False, 1), (True, 1))
_rarely = weighted((False, 4), (True, 1))
_places = below(10_000)
_no_numbers = below(len(NO_NUMBERS))
_resources = weighted((Resource.TOPIC, 5), (Resource.GROUP, 2), (Resource.BROKERS, 3))
_kinds = weighted(("boundary", 6), ("no number", 1), ("unknown", 1), ("read-only", 2))
_times = several(1, 3, 45)
_rounds = several(1, 4, 70)
_changes = weighted(("boundary", 6), ("delete", 5), ("no number", 1))


@cache
def every_boundary(resource: Resource, version: str) -> tuple[Boundary, ...]:
    """The boundary values of each config of some resource that can be altered."""
    return tuple(
        [
            one
            for config in configs(version).values()
            if config.plane is PLANES[resource] and not config.internal
            if resource is not Resource.BROKERS or config.mode == "cluster-wide"
            for one in boundaries(config)
        ]
    )


@cache
def _harmless(version: str) -> tuple[Boundary, ...]:
    every = every_boundary(Resource.TOPIC, version)
    return tuple([one for one in every if one.config.name in HARMLESS])


@cache
def _read_only(version: str) -> tuple[str, ...]:
    """Numeric configs that a broker reads at its start."""
    every = configs(version).values()
    return tuple(
        [
            one.name
            for one in every
            if one.plane is ConfigScope.BROKER and one.mode == "read-only" and one.numeric
            if not one.internal
        ]
    )


@st.composite
def _change(draw: st.DrawFn, resource: Resource, semantics: LimitSemantics) -> Change:
    """A config and a value that may be refused."""
    every = every_boundary(resource, semantics.kafka)
    one = every[draw(_places) % len(every)]
    match draw(_kinds):
        case "no number":
            return Change(one.config.name, NO_NUMBERS[draw(_no_numbers)])
        case "unknown":
            return Change(UNKNOWN, "1")
        case "read-only" if resource is Resource.BROKERS:
            known = _read_only(semantics.kafka)
            return Change(known[draw(_places) % len(known)], "1")
    return Change(one.config.name, one.value)


@st.composite
def created_config(draw: st.DrawFn, semantics: LimitSemantics) -> CreateTopics:
    """Whether a topic could be made with some value of a config."""
    change = draw(_change(Resource.TOPIC, semantics))
    configs_ = ((change.config, change.value or ""),)
    return CreateTopics((NewTopic(Name("v"), configs=configs_),), validate_only=True)


@st.composite
def alteration_question(
    draw: st.DrawFn, texts: tuple[str, ...], semantics: LimitSemantics
) -> AlterConfigs:
    """Whether one or two configs of a topic, a group or all brokers could be set."""
    resource = draw(_resources)
    changes = [draw(_change(resource, semantics))]
    if draw(_rarely):
        more = draw(_change(resource, semantics))
        changes += [more] if more.config != changes[0].config else []
    target = {
        Resource.TOPIC: Name("z" if draw(_rarely) else texts[draw(_places) % len(texts)]),
        Resource.GROUP: GROUP,
        Resource.BROKERS: ALL_BROKERS,
    }[resource]
    return AlterConfigs(resource, target, tuple(changes), validate_only=True)


@st.composite
def alterations(
    draw: st.DrawFn, texts: tuple[str, ...], semantics: LimitSemantics
) -> tuple[AlterConfigs | DescribeConfigs, ...]:
    """One to four times, some harmless configs of a topic are set or taken away, and it is looked
    at them.
    """
    target = Name(texts[draw(_places) % len(texts)])
    steps: list[AlterConfigs | DescribeConfigs] = []
    for _ in range(draw(_rounds)):
        changes = draw(_harmless_changes(semantics))
        steps.append(AlterConfigs(Resource.TOPIC, target, changes, draw(_rarely)))
        asked = () if draw(_rarely) else tuple(sorted(HARMLESS))
        steps.append(DescribeConfigs(target, asked))
    return tuple(steps)


@st.composite
def _harmless_changes(draw: st.DrawFn, semantics: LimitSemantics) -> tuple[Change, ...]:
    """One to three configs; most of them are of a few that come often."""
    every = _harmless(semantics.kafka)
    often = [one for one in every if one.config.name in OFTEN]
    found: dict[str, Change] = {}
    for _ in range(draw(_times)):
        some = every if draw(_rarely) else often
        one = some[draw(_places) % len(some)]
        kind = draw(_changes)
        value = one.value if kind == "boundary" else None
        if kind == "no number":
            value = NO_NUMBERS[draw(_no_numbers)]
        found[one.config.name] = Change(one.config.name, value)
    return tuple(found.values())
