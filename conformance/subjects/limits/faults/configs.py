"""Faults in the configs that a topic, a group or a broker may be given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault
from spec.frozen import replace
from spec.kafka import Error
from spec.limits.boundaries import Place, boundaries
from spec.limits.model import Controller
from spec.limits.setting import alter_topic, alteration_error, config_of, topic_config_error
from spec.limits.steps import Resource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spec.limits.releases import LimitSemantics
    from spec.limits.steps import Change
    from spec.limits.topic import Topic


def _accept_configs(
    wrong: Callable[[tuple[tuple[str, str], ...], LimitSemantics], bool],
) -> Controller:
    """The controller takes configs of some new topics whatever their values."""

    def configuring(given: Iterable[tuple[str, str]], semantics: LimitSemantics) -> Error:
        configs = tuple(given)
        return Error.NONE if wrong(configs, semantics) else topic_config_error(configs, semantics)

    return Controller(configuring=configuring)


def _change_alterations(
    change: Callable[[Resource, Topic | None, tuple[Change, ...], LimitSemantics, Error], Error],
) -> Controller:
    """The controller says something else of an alteration."""

    def altering(
        resource: Resource,
        topic: Topic | None,
        changes: Iterable[Change],
        semantics: LimitSemantics,
    ) -> Error:
        given = tuple(changes)
        found = alteration_error(resource, topic, given, semantics)
        return change(resource, topic, given, semantics, found)

    return Controller(altering=altering)


def _of(kind: Resource, taken: Callable[[Change, LimitSemantics], bool]) -> Controller:
    """The controller takes some changes of one kind of resource."""

    def change(
        resource: Resource,
        topic: Topic | None,
        changes: tuple[Change, ...],
        semantics: LimitSemantics,
        found: Error,
    ) -> Error:
        if resource is not kind or found in {Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION}:
            return found
        left = tuple([one for one in changes if not taken(one, semantics)])
        return alteration_error(resource, topic, left, semantics)

    return _change_alterations(change)


def _boundary_of(
    resource: Resource, name: str, value: str | None, semantics: LimitSemantics
) -> Place | None:
    """Where a value stands in its config's range; None for what is none of its boundary values."""
    config = config_of(resource, name, semantics)
    every = () if config is None else tuple(boundaries(config))
    return next((one.place for one in every if one.value == value), None)


def _refuse_in_range(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del topic
    greatest = any(
        _boundary_of(resource, one.config, one.value, semantics) is Place.GREATEST
        for one in changes
    )
    return Error.INVALID_CONFIG if greatest and resource is Resource.TOPIC else found


def _is_unknown(resource: Resource) -> Callable[[Change, LimitSemantics], bool]:
    return lambda one, semantics: config_of(resource, one.config, semantics) is None


def _is_at(resource: Resource, place: Place) -> Callable[[Change, LimitSemantics], bool]:
    return lambda one, semantics: _boundary_of(resource, one.config, one.value, semantics) is place


def _is_read_only(one: Change, semantics: LimitSemantics) -> bool:
    config = config_of(Resource.BROKERS, one.config, semantics)
    return config is not None and config.mode == "read-only"


def _is_no_number(one: Change, semantics: LimitSemantics) -> bool:
    config = config_of(Resource.TOPIC, one.config, semantics)
    return config is not None and one.value in {"", "x"}


def _sets_first_only(topic: Topic, changes: Iterable[Change]) -> Topic:
    return alter_topic(topic, tuple(changes)[:1])


def _never_takes_away(topic: Topic, changes: Iterable[Change]) -> Topic:
    return alter_topic(topic, [one for one in changes if one.value is not None])


def _forgets_others(topic: Topic, changes: Iterable[Change]) -> Topic:
    return alter_topic(replace(topic, configs=()), changes)


def _unknown_topic_is_invalid(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del resource, topic, changes, semantics
    unknown = found is Error.UNKNOWN_TOPIC_OR_PARTITION
    return Error.INVALID_REQUEST if unknown else found


def _brokers_as_topics(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del resource, topic, changes, semantics
    return Error.INVALID_CONFIG if found is Error.INVALID_REQUEST else found


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "created-below-range",
        "LIM-060",
        VIOLATES,
        "A new topic may have a config below its range.",
        _accept_configs(
            lambda given, semantics: any(
                _boundary_of(Resource.TOPIC, *one, semantics) is Place.BELOW for one in given
            )
        ),
    ),
    LimitFault(
        "created-above-range",
        "LIM-060",
        VIOLATES,
        "A new topic may have a config above its range.",
        _accept_configs(
            lambda given, semantics: any(
                _boundary_of(Resource.TOPIC, *one, semantics) is Place.ABOVE for one in given
            )
        ),
    ),
    LimitFault(
        "created-unchecked",
        "LIM-060",
        VIOLATES,
        "The configs of a new topic are not looked at.",
        _accept_configs(lambda _given, _semantics: True),
    ),
    LimitFault(
        "configs-with-topic-refused",
        "LIM-003",
        VIOLATES,
        "A new topic with a config is refused.",
        Controller(
            configuring=lambda given, _semantics: (
                Error.INVALID_CONFIG if tuple(given) else Error.NONE
            )
        ),
    ),
    LimitFault(
        "altered-below-range",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set below its range.",
        _of(Resource.TOPIC, _is_at(Resource.TOPIC, Place.BELOW)),
    ),
    LimitFault(
        "altered-above-range",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set above its range.",
        _of(Resource.TOPIC, _is_at(Resource.TOPIC, Place.ABOVE)),
    ),
    LimitFault(
        "altered-to-no-number",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set to what is no number.",
        _of(Resource.TOPIC, _is_no_number),
    ),
    LimitFault(
        "group-altered-below-range",
        "LIM-061",
        VIOLATES,
        "A group's config may be set below its range.",
        _of(Resource.GROUP, _is_at(Resource.GROUP, Place.BELOW)),
    ),
    LimitFault(
        "brokers-altered-above-range",
        "LIM-061",
        VIOLATES,
        "A config of all brokers may be set above its range.",
        _of(Resource.BROKERS, _is_at(Resource.BROKERS, Place.ABOVE)),
    ),
    LimitFault(
        "greatest-refused",
        "LIM-062",
        VIOLATES,
        "The greatest value of a topic's config is refused.",
        _change_alterations(_refuse_in_range),
    ),
    LimitFault(
        "read-only-altered",
        "LIM-063",
        VIOLATES,
        "Configs that a broker reads at its start are altered.",
        _of(Resource.BROKERS, _is_read_only),
    ),
    LimitFault(
        "unknown-config-of-topic-taken",
        "LIM-064",
        DEVIATES,
        "A config of a topic that the release does not have is taken.",
        _of(Resource.TOPIC, _is_unknown(Resource.TOPIC)),
    ),
    LimitFault(
        "unknown-config-of-group-taken",
        "LIM-064",
        DEVIATES,
        "A config of a group that the release does not have is taken.",
        _of(Resource.GROUP, _is_unknown(Resource.GROUP)),
    ),
    LimitFault(
        "no-topic-is-invalid",
        "LIM-065",
        DEVIATES,
        "Where there is no topic to alter, the error is INVALID_REQUEST.",
        _change_alterations(_unknown_topic_is_invalid),
    ),
    LimitFault(
        "brokers-have-the-code-of-topics",
        "LIM-065",
        DEVIATES,
        "A value that brokers can't have is refused with INVALID_CONFIG.",
        _change_alterations(_brokers_as_topics),
    ),
    LimitFault(
        "refused-configs-set",
        "LIM-066",
        VIOLATES,
        "An alteration that is refused is made all the same.",
        Controller(sets_refused=True),
    ),
    LimitFault(
        "validated-configs-set",
        "LIM-066",
        VIOLATES,
        "An alteration that is only validated is made.",
        Controller(sets_validated=True),
    ),
    LimitFault(
        "first-config-set-only",
        "LIM-066",
        VIOLATES,
        "Of several configs only the first one is set.",
        Controller(setting=_sets_first_only),
    ),
    LimitFault(
        "configs-never-taken-away",
        "LIM-066",
        VIOLATES,
        "A config that is taken away stays set.",
        Controller(setting=_never_takes_away),
    ),
    LimitFault(
        "other-configs-forgotten",
        "LIM-066",
        VIOLATES,
        "Configs that an alteration does not name are taken away.",
        Controller(setting=_forgets_others),
    ),
)
