"""The configs of each Kafka release: type, default, bounds and how they are changed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from spec.frozen import frozen
from spec.limits.config_table import CONFIGS, CONSTANTS, VERSIONS


class ConfigScope(StrEnum):
    """The part of Kafka that a config belongs to. One name can be a config of several."""

    BROKER = "broker"
    TOPIC = "topic"
    GROUP = "group"
    PRODUCER = "producer"
    CONSUMER = "consumer"

    __hash__ = str.__hash__


@frozen
class Range:
    """The numbers that a config takes.

    Attributes:
        least: the least of them; None where only the type bounds it.
        greatest: the greatest of them, likewise.
        besides: one number outside of these that it takes too.
    """

    least: float | None
    greatest: float | None
    besides: float | None = None


WIDTHS: Mapping[str, Range] = MappingProxyType(
    {
        "SHORT": Range(-(2**15), 2**15 - 1),
        "INT": Range(-(2**31), 2**31 - 1),
        "LONG": Range(-(2**63), 2**63 - 1),
        "DOUBLE": Range(None, None),
    }
)
"""The numbers that a type of a config can hold."""
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"\[(?:({_NUMBER}),)?\.\.\.(?:,({_NUMBER}))?\](?: or ({_NUMBER}))?")


@frozen
class Config:
    """One config as one release defines it.

    Attributes:
        plane: what it is a config of.
        name: `max.message.bytes`.
        type: Kafka's name of its type: `INT`, `LONG`, `DOUBLE`, `BOOLEAN`, `STRING`, `LIST`,
            `CLASS`, `PASSWORD`.
        default: in Kafka's text form; None for a default of none or a config that must be set.
        required: whether it must be set.
        validator: what it is held against, in Kafka's text form; empty for nothing.
        mode: how it can be changed: `read-only`, `per-broker`, `cluster-wide`, `per-topic`,
            `per-group`, or `client`.
        internal: whether DescribeConfigs leaves it out.
        falls_back: the broker configs that a topic config without a value takes, first to last.
    """

    plane: ConfigScope
    name: str
    type: str
    default: str | None
    required: bool
    validator: str
    mode: str
    internal: bool
    falls_back: tuple[str, ...]

    @property
    def key(self) -> str:
        """`topic/max.message.bytes`, unique in a release."""
        return f"{self.plane}/{self.name}"

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.type in WIDTHS

    @property
    def validator_range(self) -> Range:
        """The range that its validator states; nothing where it states none."""
        found = _RANGE.match(self.validator)
        if found is None:
            return Range(None, None)
        return Range(*[None if text is None else _number(text) for text in found.groups()])

    @property
    def bounds(self) -> Range:
        """The numbers that can be set: those of the validator, and where it is open, of the
        type.
        """
        stated, width = self.validator_range, WIDTHS.get(self.type, Range(None, None))
        return Range(
            width.least if stated.least is None else stated.least,
            width.greatest if stated.greatest is None else stated.greatest,
            stated.besides,
        )


def _number(text: str) -> float:
    return float(text) if "." in text else int(text)


def _parse(line: str) -> tuple[tuple[str, ...], Config]:
    """A line of the table: the releases that have the config so, and the config."""
    releases, plane, name, kind, default, validator, mode, visible, falls_back = line.split("\t")
    return _releases(releases), Config(
        ConfigScope(plane),
        name,
        kind,
        None if default in {"null", "<required>"} else default,
        default == "<required>",
        "" if validator == "-" else validator,
        mode,
        visible == "internal",
        () if falls_back == "-" else tuple(falls_back.split()),
    )


def _releases(text: str) -> tuple[str, ...]:
    return VERSIONS if text == "all" else tuple(text.split(","))


@cache
def _tables() -> Mapping[str, Mapping[str, Config]]:
    tables: dict[str, dict[str, Config]] = {version: {} for version in VERSIONS}
    for line in CONFIGS.splitlines():
        releases, config = _parse(line)
        for release in releases:
            tables[release][config.key] = config
    return tables


class UnknownReleaseError(ValueError):
    """A release of which there is no table."""


def configs(version: str) -> Mapping[str, Config]:
    """The configs of one release, by `plane/name`.

    Args:
        version: an exact release, such as 4.3.1: 4.2.2 has configs that 4.3.1 lacks.

    Raises:
        UnknownReleaseError: there is no table of it.
    """
    if version not in VERSIONS:
        raise UnknownReleaseError(
            f"expected an exact release, one of {', '.join(VERSIONS)}, found {version!r}"
        )
    return _tables()[version]


@cache
def constants(version: str) -> Mapping[str, int]:
    """The compiled constants of one release, by `Class#FIELD`, without the package.

    Raises:
        UnknownReleaseError: there is no table of it.
    """
    configs(version)
    found: dict[str, int] = {}
    for line in CONSTANTS.splitlines():
        releases, name, value = line.split("\t")
        if version in _releases(releases):
            found[name.rpartition(".")[2]] = int(value)
    return found


@frozen
class ConfigDifference:
    """A difference of two releases in one config.

    Attributes:
        key: `plane/name`.
        what: `added`, `removed`, or the attribute that differs.
        before: in the first release, as text; empty where it has no such config.
        after: in the second release, likewise.
    """

    key: str
    what: str
    before: str
    after: str


def moves(before: str, after: str) -> Iterator[ConfigDifference]:
    """What moved in the configs from one release to another, by plane and name.

    Raises:
        UnknownReleaseError: there is no table of one of them.
    """
    old, new = configs(before), configs(after)
    for key in sorted({*old, *new}):
        if key not in new:
            yield ConfigDifference(key, "removed", _summary(old[key]), "")
        elif key not in old:
            yield ConfigDifference(key, "added", "", _summary(new[key]))
        else:
            for field in fields(Config):
                one, other = (str(getattr(table[key], field.name)) for table in (old, new))
                if one != other:
                    yield ConfigDifference(key, field.name, one, other)


def _summary(config: Config) -> str:
    """Type, default and validator in a line."""
    default = "no default" if config.default is None else f"default {config.default!r}"
    parts = (config.type, "must be set" if config.required else default, config.validator)
    return ", ".join(part for part in parts if part)
