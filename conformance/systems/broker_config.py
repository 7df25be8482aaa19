"""A single-node broker's settings: Kafka's defaults, save what makes one node work or keeps a test
quick and undisturbed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.cluster import NODE_ID

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HOST = "127.0.0.1"

ONE_NODE = {
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
"""Internal topics that one node can hold."""

QUICK = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.backoff.ms": "200",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.cleaner.threads": "1",
    "log.segment.delete.delay.ms": "100",
    "max.incremental.fetch.session.cache.slots": "10000",
}
"""Waits made short, memory made small, and room for the fetch sessions of many connections."""

UNDISTURBED = {
    "log.retention.check.interval.ms": "3600000",
    "log.retention.ms": "-1",
}
"""Records with old timestamps stay: the first retention check comes 30 s after the start, whatever
the interval.
"""

SHARE_GROUPS = {
    "4.0": {
        "unstable.api.versions.enable": "true",
        "group.share.enable": "true",
        "group.coordinator.rebalance.protocols": "classic,consumer,share",
        "group.share.max.groups": "100",
    }
}
"""The settings that turn share groups on in a line of Kafka that had them for early access only
(KIP-932).

Its room for share sessions is as many times the size of a group as there may be groups, and those
of lost connections stay in it.
"""

UNFINISHED = dict.fromkeys(("3.7", "3.8", "3.9"), ("group.share.", "group.streams.", "share."))
"""Settings, by how they begin, that are not given to a line of Kafka: 3.9 knows those of share
groups, with other bounds, and offers no share groups.
"""


def settings_of(line: str, config: Mapping[str, str]) -> dict[str, str]:
    """What a broker of a line is started with: the line's own settings and a config, without what
    the line has not finished.
    """
    unfinished = UNFINISHED.get(line, ())
    found = {**SHARE_GROUPS.get(line, {}), **config}
    return {name: value for name, value in found.items() if not name.startswith(unfinished)}


_SHAREABLE = re.compile(
    r"(auto|background|broker\.(heartbeat|session)|compression|connections|controlled|default|delete|fetch|group|leader"
    r"|log\.(cleaner|cleanup|flush|index|initial|local|message|retention|roll|segment)|max|message|min|num|offset|offsets"
    r"|producer|purgatory|queued|quota|remote\.(fetch|list)|replica|replication|request|share|socket|transaction"
    r"|transactional|unstable)\.[a-z0-9.]+"
)
_HARMLESS_VALUE = re.compile(r"[A-Za-z0-9_.,+-]{0,80}")


def server_properties(
    data_dir: Path, ports: tuple[int, int], overrides: Mapping[str, str]
) -> dict[str, str]:
    """All settings of a combined broker and controller; `ports` are those of the broker and of the
    controller.
    """
    broker, controller = ports
    return {
        "process.roles": "broker,controller",
        "node.id": str(NODE_ID),
        "listeners": f"PLAINTEXT://{HOST}:{broker},CONTROLLER://{HOST}:{controller}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{broker}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": f"{NODE_ID}@{HOST}:{controller}",
        "log.dirs": str(data_dir),
        **ONE_NODE,
        **QUICK,
        **UNDISTURBED,
        **overrides,
    }


def render(settings: Mapping[str, str]) -> str:
    """The text of a Java properties file (`java.util.Properties`), in ASCII, sorted by key."""
    return "".join(
        f"{_escape(key, 'key')}={_escape(value, 'value')}\n"
        for key, value in sorted(settings.items())
    )


def shareable(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that may stand in a result: by an allow-list of harmless keys and the shape of a
    harmless value.
    """
    return {
        key: value
        for key, value in sorted(settings.items())
        if _SHAREABLE.fullmatch(key) and _HARMLESS_VALUE.fullmatch(value)
    }


def _escape(text: str, part: str) -> str:
    escaped = (
        text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    if part == "key":
        escaped = re.sub(r"([ =:])", r"\\\1", escaped)
    escaped = re.sub(r"^([ #!])", r"\\\1", escaped)
    utf16 = escaped.encode("utf-16-be")
    units = (int.from_bytes(utf16[at : at + 2], "big") for at in range(0, len(utf16), 2))
    return "".join(chr(unit) if 0x20 <= unit < 0x7F else f"\\u{unit:04x}" for unit in units)
