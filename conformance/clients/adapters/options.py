"""Kafka's options as libraries in Python take them: by another name, and as a value of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.clients.adapters.line_loop import must_have
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


@frozen
class Options:
    """The options that a library has.

    Attributes:
        numbers, texts, switches: its name for each, by Kafka's.
    """

    numbers: Mapping[str, str]
    texts: Mapping[str, str]
    switches: Mapping[str, str]

    @property
    def names(self) -> frozenset[str]:
        """Kafka's names of them."""
        return frozenset({*self.numbers, *self.texts, *self.switches})

    def settings(self, given: Mapping[str, str]) -> dict[str, Any]:
        """These options as the library takes them.

        Raises:
            Unsupported: it lacks one of them.
        """
        must_have(given, self.names)
        return dict([self._setting(name, value) for name, value in given.items()])

    def _setting(self, name: str, value: str) -> tuple[str, Any]:
        if name in self.numbers:
            return self.numbers[name], int(value)
        if name in self.switches:
            return self.switches[name], value == "true"
        is_nothing = name == "compression.type" and value == "none"
        return self.texts[name], None if is_nothing else value


def with_underscores(*names: str) -> dict[str, str]:
    """Kafka's names of options, each with the library's: the same with underscores."""
    return {name: name.replace(".", "_") for name in names}


OF_CONSUMERS = Options(
    numbers=with_underscores(
        "fetch.max.bytes",
        "fetch.max.wait.ms",
        "fetch.min.bytes",
        "heartbeat.interval.ms",
        "max.partition.fetch.bytes",
        "max.poll.records",
        "session.timeout.ms",
    ),
    texts=with_underscores("auto.offset.reset", "group.id", "isolation.level"),
    switches=with_underscores("check.crcs", "enable.auto.commit"),
)
"""Those of the consumers of kafka-python and aiokafka, which have the same."""
