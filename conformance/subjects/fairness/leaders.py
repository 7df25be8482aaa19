"""Leaders that move on a stage of two nodes: what each node says of the partitions that it leads,
and of those that it does not.

Behind both nodes stands one broker, which leads every partition at one leader epoch of its own. It
never learns of a move: a request reaches it without the epoch that it named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.subjects.fairness.lineages import Lineage
from conformance.subjects.fairness.partition_entries import change_partitions
from spec.fairness.model.server import Leader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.subjects.fairness.partition_entries import Numbering
    from spec.fairness.steps import MoveLeader, TruncateLog

UNKNOWN_EPOCH = -1
FULL_EPOCHS = (0, -1)
"""Session epochs of a request that names all its partitions."""
INDEX = {
    "Fetch": "partition",
    "ListOffsets": "partition_index",
    "OffsetForLeaderEpoch": "partition",
}
"""The requests that only a leader answers, with the field by which they name a partition."""
LOOKUPS = frozenset(INDEX) - {"Fetch"}
"""Those of which no session is kept."""


@dataclass(slots=True)
class Leaders:
    """Which node leads each partition of a scenario, and what clients are shown of that.

    Attributes:
        number: finds a partition's number.
        addresses: of the nodes.
        led: by partition; node 0 leads one that is not here.
        stale: by partition: in how many responses to Metadata an old leader is still named, and
            which.
        epochs: the broker's own leader epoch, by partition, where Metadata has shown it.
        sessions: by fetch session: the leader epoch that was named last, by partition.
        lineages: by partition: which offsets of the broker's log clients are shown as which.
        first_id: the broker's own id, which node 0 has; node 1 has the next one.
    """

    number: Numbering
    addresses: Sequence[tuple[str, int]]
    led: dict[int, Leader] = field(default_factory=dict)
    stale: dict[int, tuple[int, Leader]] = field(default_factory=dict)
    epochs: dict[int, int] = field(default_factory=dict)
    sessions: dict[int, dict[int, int]] = field(default_factory=dict)
    lineages: dict[int, Lineage] = field(default_factory=dict)
    first_id: int = 0

    def lineage(self, number: int) -> Lineage:
        """A partition's log as clients are shown it."""
        return self.lineages.setdefault(number, Lineage())

    @property
    def truncated_ms(self) -> float:
        """When a log was truncated last, since the scenario's start; -1 for never."""
        return max([one.truncated_ms for one in self.lineages.values()], default=-1.0)

    def epoch(self, number: int) -> int:
        """The leader epoch of a partition before its first move."""
        return self.epochs.get(number, 0)

    def truncate(self, step: TruncateLog, at: int, stored_end: int, now_ms: float) -> None:
        """A leader fails, and the next one's log ends at an absolute offset."""
        leader = self._leader(step.partition).moved(step.node)
        self.led[step.partition] = leader
        lineage = self.lineage(step.partition)
        lineage.truncate(at, stored_end, leader.epoch)
        lineage.truncated_ms = now_ms

    def move(self, step: MoveLeader) -> None:
        """A leader moves."""
        before = self._leader(step.partition)
        self.led[step.partition] = before.moved(step.node)
        if step.stale:
            self.stale[step.partition] = step.stale, before

    def for_broker(self, api: str, body: dict[str, Any]) -> dict[str, Any]:
        """A request without the leader epochs that the broker does not have, by the offsets that it
        has.
        """

        def without(topic: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
            changed = {**part, "current_leader_epoch": UNKNOWN_EPOCH}
            number = self._number_of(topic, part[INDEX[api]])
            if number is None:
                return changed
            if "leader_epoch" in part:
                most = self.epochs.get(number, part["leader_epoch"])
                changed["leader_epoch"] = min(part["leader_epoch"], most)
            if "fetch_offset" in part:
                changed["fetch_offset"] = self.lineage(number).stored(part["fetch_offset"])
            if "last_fetched_epoch" in part:
                changed["last_fetched_epoch"] = UNKNOWN_EPOCH
            return changed

        return change_partitions(body, without)

    def metadata(self, value: dict[str, Any]) -> dict[str, Any]:
        """A response to Metadata that names both nodes, and who leads what."""
        self.first_id = min([one["node_id"] for one in value["brokers"]], default=self.first_id)
        nodes = [one for one in value["brokers"] if one["node_id"] == self.first_id]
        brokers = [
            {**node, "node_id": self.first_id + number, "host": host, "port": port}
            for node in nodes
            for number, (host, port) in enumerate(self.addresses)
        ]
        return {**change_partitions(value, self._describe), "brokers": brokers}

    def _describe(self, topic: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
        number = self.number({**topic, "topic": topic["name"]}, part["partition_index"])
        if number is None:
            return part
        self.epochs[number] = part.get("leader_epoch", 0)
        leader = self._leader(number)
        if number in self.stale:
            left, leader = self.stale.pop(number)
            if left > 1:
                self.stale[number] = left - 1, leader
        both = [self.first_id, self.first_id + 1]
        return {
            **part,
            "leader_id": self.first_id + leader.node,
            "leader_epoch": self.epochs[number] + leader.epoch,
            "replica_nodes": both,
            "isr_nodes": both,
        }

    def named_epochs(self, api: str, body: Mapping[str, Any]) -> dict[int, int]:
        """The leader epoch that a request names, by partition; -1 for none."""
        found = {}
        for topic in body["topics"]:
            for part in topic["partitions"]:
                number = self._number_of(topic, part[INDEX[api]])
                if number is not None:
                    found[number] = part.get("current_leader_epoch", UNKNOWN_EPOCH)
        return found

    def _number_of(self, topic: Mapping[str, Any], index: int) -> int | None:
        """The number of a partition, whichever field has its topic's name."""
        return self.number({"topic": topic.get("name"), **topic}, index)

    def _leader(self, number: int) -> Leader:
        """Who leads a partition."""
        return self.led.get(number, Leader())

    def epochs_of_fetch(self, body: Mapping[str, Any], session: int) -> dict[int, int]:
        """The leader epochs by which a Fetch asks: those that it names, and in a session those that
        earlier requests named; they are kept for the session that its response names.
        """
        named = self.named_epochs("Fetch", body)
        if body.get("session_epoch", -1) not in FULL_EPOCHS:
            named = {**self.sessions.get(body["session_id"], {}), **named}
        if session:
            self.sessions[session] = named
        return named

    def errors(self, node: int, named: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """The partitions that a node refuses, each with the error, given the epochs of a
        request.
        """
        for number, epoch in named.items():
            leader = self._leader(number)
            moves = leader.epoch
            if epoch != UNKNOWN_EPOCH:
                moves = epoch - self.epochs.get(number, 0)
            if error := leader.error_at(node, moves):
                yield number, error

    def _as_shown(
        self, api: str, number: int, asked: Mapping[str, Any], part: dict[str, Any]
    ) -> dict[str, Any]:
        """A partition's part of such a response, by the offsets that clients are shown."""
        lineage, first = self.lineage(number), self.epoch(number)
        if api == "ListOffsets":
            return lineage.listed(part, first)
        if part["error_code"] or part["end_offset"] < 0 or asked["leader_epoch"] < first:
            return part
        moves, end = lineage.end_of(asked["leader_epoch"] - first, part["end_offset"])
        return {**part, "leader_epoch": first + moves, "end_offset": end}

    def moves_named(self, number: int, epoch: int) -> int | None:
        """How many moves a leader epoch of a request knows of; None where it names none."""
        return None if epoch == UNKNOWN_EPOCH else max(0, epoch - self.epoch(number))

    def diverging(self, number: int, part: Mapping[str, Any]) -> dict[str, int] | None:
        """Where the log of a partition diverges from what a Fetch says it has read last, in the
        words of its response; None where it does not.
        """
        last, first = part.get("last_fetched_epoch", UNKNOWN_EPOCH), self.epoch(number)
        lineage = self.lineage(number)
        if last < first or len(lineage.pieces) == 1:
            return None
        moves, end = lineage.end_of(last - first, lineage.stored(part["fetch_offset"]))
        if end >= part["fetch_offset"] and moves == last - first:
            return None
        return {"epoch": first + moves, "end_offset": end}

    def current(self, number: int) -> dict[str, int]:
        """Who leads a partition, in the words of a response to Fetch."""
        leader = self._leader(number)
        epoch = self.epochs.get(number, 0) + leader.epoch
        return {"leader_id": self.first_id + leader.node, "leader_epoch": epoch}

    def endpoints(self) -> list[dict[str, Any]]:
        """Both nodes, in the words of a response to Fetch."""
        return [
            {"node_id": self.first_id + number, "host": host, "port": port, "rack": None}
            for number, (host, port) in enumerate(self.addresses)
        ]

    def looked_up(
        self, api: str, node: int, body: Mapping[str, Any], value: dict[str, Any]
    ) -> dict[str, Any]:
        """A response to ListOffsets or OffsetForLeaderEpoch, as a node gives it."""
        refused = dict(self.errors(node, self.named_epochs(api, body)))
        nothing = ("timestamp", "offset", "end_offset", "leader_epoch")

        asked = {
            number: part
            for topic in body["topics"]
            for part in topic["partitions"]
            if (number := self._number_of(topic, part[INDEX[api]])) is not None
        }

        def given(topic: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
            number = self._number_of(topic, part[INDEX[api]])
            if number is None:
                return part
            if number not in refused:
                return self._as_shown(api, number, asked[number], part)
            unknown = {name: -1 for name in nothing if name in part}
            return {**part, **unknown, "error_code": refused[number]}

        return change_partitions(value, given)
