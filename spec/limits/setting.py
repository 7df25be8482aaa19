"""The model of configs: which values are taken, and what is set then."""

import re
from collections.abc import Iterable, Mapping

from spec.frozen import replace
from spec.kafka import Error
from spec.limits.configs import Config, ConfigScope, configs
from spec.limits.releases import LimitSemantics
from spec.limits.steps import Change, Resource
from spec.limits.topic import Topic

PLANES: Mapping[Resource, ConfigScope] = {
    Resource.TOPIC: ConfigScope.TOPIC,
    Resource.GROUP: ConfigScope.GROUP,
    Resource.BROKERS: ConfigScope.BROKER,
}
REFUSED: Mapping[Resource, Error] = {
    Resource.TOPIC: Error.INVALID_CONFIG,
    Resource.GROUP: Error.INVALID_CONFIG,
    Resource.BROKERS: Error.INVALID_REQUEST,
}
"""The error code of a value that is not taken."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{1,20})?")


def config_of(resource: Resource, name: str, semantics: LimitSemantics) -> Config | None:
    """The definition of a config; None where the release has none of this name."""
    return configs(semantics.kafka).get(f"{PLANES[resource]}/{name}")


def topic_configs(semantics: LimitSemantics) -> tuple[str, ...]:
    """The names of all configs of topics that DescribeConfigs gives."""
    every = configs(semantics.kafka).values()
    return tuple([one.name for one in every if one.plane is ConfigScope.TOPIC and not one.internal])


def is_in_range(config: Config, value: str) -> bool:
    """Whether a definition takes a value: a number of its type in its range, and `true` or `false`;
    of other types any text.
    """
    text = value.strip()
    if config.type == "BOOLEAN":
        return text.lower() in {"true", "false"}
    if not config.numeric:
        return True
    if not (_NUMBER if config.type == "DOUBLE" else _WHOLE).fullmatch(text):
        return False
    number = float(text) if config.type == "DOUBLE" else int(text)
    bounds = config.bounds
    return number == bounds.besides or (
        (bounds.least is None or number >= bounds.least)
        and (bounds.greatest is None or number <= bounds.greatest)
    )


def topic_config_error(given: Iterable[tuple[str, str]], semantics: LimitSemantics) -> Error:
    """The error of a new topic's configs.

    Source: LogConfig.java, validateNames and validateValues, of Kafka 4.3.1.
    """
    for name, value in given:
        config = config_of(Resource.TOPIC, name, semantics)
        if config is None or not is_in_range(config, value):
            return Error.INVALID_CONFIG
    return Error.NONE


def alteration_error(
    resource: Resource, topic: Topic | None, changes: Iterable[Change], semantics: LimitSemantics
) -> Error:
    """The error of an alteration; `topic` is the one that it is about, None where there is none.

    A broker takes values of configs that it does not know; those of configs that are read at its
    start only it refuses. Of groups and brokers it checks more than their definitions state.

    Source: ControllerConfigurationValidator.scala; DynamicBrokerConfig.java, of Kafka 4.3.1.
    """
    for one in changes:
        if one.value is None:
            continue
        config = config_of(resource, one.config, semantics)
        if config is None:
            if resource is not Resource.BROKERS:
                return REFUSED[resource]
        elif config.mode == "read-only" or not is_in_range(config, one.value):
            return REFUSED[resource]
    if resource is Resource.TOPIC and topic is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    return Error.NONE


def alter_topic(topic: Topic, changes: Iterable[Change]) -> Topic:
    """A topic with changes made."""
    given = dict(topic.configs)
    for one in changes:
        if one.value is None:
            given.pop(one.config, None)
        else:
            given[one.config] = one.value
    return replace(topic, configs=tuple(sorted(given.items())))


def default_of(name: str, semantics: LimitSemantics) -> str | None:
    """A topic config's default in the release; None where it has none, or there is no such
    config.
    """
    found = config_of(Resource.TOPIC, name, semantics)
    return None if found is None else found.default
