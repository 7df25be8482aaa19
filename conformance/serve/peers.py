"""Peers that are odd and correct: each answers as Kafka's documents allow and as few brokers do.
Every subject must pass against each of them.

A peer changes what is asked and answered on the wire, so it can be the served model or stand in
front of a real broker. It knows nothing of `spec`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from conformance.wire.config_numbers import BROKER_RESOURCE
from conformance.wire.decoding import TAGS
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Codec

API_VERSIONS = "ApiVersions"
TRANSACTIONAL = frozenset(
    {
        "AddOffsetsToTxn",
        "AddPartitionsToTxn",
        "DescribeTransactions",
        "EndTxn",
        "InitProducerId",
        "ListTransactions",
        "TxnOffsetCommit",
        "WriteTxnMarkers",
    }
)
NODE_FIELDS = frozenset({"broker_id", "controller_id", "leader_id", "node_id"})
NODE_LISTS = frozenset(
    {"broker_ids", "isr_nodes", "offline_replicas", "replica_nodes", "eligible_leader_replicas"}
)
NAMING_NODES = frozenset(
    {
        "AlterConfigs",
        "CreatePartitions",
        "CreateTopics",
        "DescribeConfigs",
        "IncrementalAlterConfigs",
    }
)
"""APIs whose requests may name a broker by its id."""


class Change(Protocol):
    """The fields of an answer as the peer sends them; it may alter and return those it is given."""

    def __call__(  # noqa: D102 - the class says it
        self, codec: Codec, api: str, version: int, value: dict[str, Any], /
    ) -> dict[str, Any]: ...


@frozen
class Peer:
    """A peer.

    Attributes:
        name: how it is chosen, `late`.
        summary: the broker's behaviour, in one sentence.
        change: what becomes of each answer.
        offers: the versions of an API (of ApiVersions all) that are offered, out of those that the
            broker behind has and Fencepost knows.
        late_s: seconds by which answers are held back: the first by the first number, the next by
            the next, and so on from the beginning again.
        numbers_topics: topic ids count up from 2, which only the served model can do.
        far_nodes: what is added to the id of each node; 0 for nothing.
    """

    name: str
    summary: str
    change: Change = lambda _, __, ___, value: value
    offers: Callable[[str, range], range] = lambda _, offered: offered
    late_s: tuple[float, ...] = (0.0,)
    far_nodes: int = 0
    numbers_topics: bool = False

    def plant(self, state: BrokerState) -> None:
        """Have a served model be this peer."""
        state.peer = self

    def delay(self, earlier: int) -> float:
        """Seconds by which the answer that so many others came before is held back."""
        return self.late_s[earlier % len(self.late_s)]

    def answer(self, codec: Codec, api: str, version: int, frame: bytes) -> bytes:
        """The frame that the peer sends where a broker answers an API with this one."""
        request = codec.request(api, version)
        correlation_id, decoded = request.decode_response(frame)
        value = decoded.value
        if api == API_VERSIONS:
            value["api_keys"] = [*self._entries(codec, value["api_keys"])]
        if self.far_nodes:
            value = shift_nodes(value, self.far_nodes)
        return request.encode_response(correlation_id, self.change(codec, api, version, value))

    def _entries(
        self, codec: Codec, entries: Sequence[Mapping[str, int]]
    ) -> Iterator[Mapping[str, int]]:
        for entry in entries:
            api = codec.api_names.get(entry["api_key"], "")
            known = codec.versions(api) if api else range(0)
            low = max(entry["min_version"], known.start)
            high = min(entry["max_version"] + 1, known.stop)
            found = self.offered(api, range(low, high))
            if found:
                yield {**entry, "min_version": found.start, "max_version": found.stop - 1}

    def offered(self, api: str, versions: range) -> range:
        """Those of an API's versions that the peer offers."""
        return versions if api == API_VERSIONS else self.offers(api, versions)

    def request(self, codec: Codec, frame: bytes) -> bytes:
        """The request frame that a broker is given where the peer is sent this one."""
        api = codec.api_names.get(int.from_bytes(frame[:2], "big"), "")
        if not self.far_nodes or api not in NAMING_NODES:
            return frame
        found = codec.decode_request(frame)
        value = shift_nodes(found.body.value, -self.far_nodes)
        return codec.request(api, found.version).encode(
            value, found.correlation_id, found.client_id
        )


def shift_nodes(value: Any, by: int) -> Any:
    """A message in which `by` is added to each node's id; what names no node (-1, or any other id
    that would fall below 0) stays.
    """
    if isinstance(value, list):
        return [shift_nodes(one, by) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: shift_nodes(one, by) for name, one in value.items()}
    for name, one in value.items():
        if name in NODE_FIELDS:
            found[name] = _shift(one, by)
        elif name in NODE_LISTS and one is not None:
            found[name] = [_shift(node, by) for node in one]
    name = value.get("resource_name", "")
    if value.get("resource_type") == BROKER_RESOURCE and name.isdecimal():
        found["resource_name"] = str(_shift(int(name), by))
    return found


def _shift(node: int, by: int) -> int:
    return node + by if node >= 0 and node + by >= 0 else node


def walk(value: Any, act: Callable[[dict[str, Any]], object]) -> None:
    """Call `act` with each struct of a message, the message itself first."""
    if isinstance(value, list):
        for one in value:
            walk(one, act)
    elif isinstance(value, dict):
        act(value)
        for name, one in list(value.items()):
            if name != TAGS:
                walk(one, act)


def name_throttle(_: Codec, __: str, ___: int, value: dict[str, Any]) -> dict[str, Any]:
    """Each answer that can name a throttle time names one."""
    if "throttle_time_ms" in value:
        value["throttle_time_ms"] = THROTTLE_MS
    return value


def with_unknown_tags(
    codec: Codec, api: str, version: int, value: dict[str, Any]
) -> dict[str, Any]:
    """Each struct of an answer that can have tagged fields has one that no one knows."""

    def tag(struct: dict[str, Any]) -> None:
        struct[TAGS] = {**struct.get(TAGS, {}), UNKNOWN_TAG: b"fencepost"}

    if codec.request(api, version).response.schema.flexible:
        walk(value, tag)
    return value


def with_message(message: str | None) -> Change:
    """Each error message of an answer, and none where there is no error, is this one."""

    def reword(struct: dict[str, Any]) -> None:
        for name in ("error_message", "batch_index_error_message"):
            if name in struct and struct.get("error_code", 1):
                struct[name] = message

    def change(_: Codec, __: str, ___: int, value: dict[str, Any]) -> dict[str, Any]:
        walk(value, reword)
        return value

    return change


def without_transactions(api: str, offered: range) -> range:
    """No API of transactions and producer ids is offered."""
    return range(0) if api in TRANSACTIONAL else offered


def oldest(_: str, offered: range) -> range:
    """Of each API the oldest version alone is offered."""
    return offered[:1]


def at_another_name(_: Codec, __: str, ___: int, value: dict[str, Any]) -> dict[str, Any]:
    """Every broker that is named is found under a host name, not an address."""

    def rename(struct: dict[str, Any]) -> None:
        if struct.get("host"):
            struct["host"] = "localhost"

    walk(value, rename)
    return value


THROTTLE_MS = 250
UNKNOWN_TAG = 8191
FAR = 2_000_000_000
LATE_S = (0.2, 0.35, 0.5, 0.25, 0.45)

ORDINARY = Peer("ordinary", "Answers as Apache Kafka does.")
PEERS: Mapping[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("late", "Every answer comes 200 to 500 ms late.", late_s=LATE_S),
        Peer(
            "throttling",
            "Every answer names a throttle time of 250 ms and comes that much later (KIP-219).",
            name_throttle,
            late_s=(THROTTLE_MS / 1000,),
        ),
        Peer(
            "without-transactions",
            "APIs of transactions and of producer ids are not there.",
            offers=without_transactions,
        ),
        Peer(
            "oldest-versions",
            "Of each API the oldest version alone is there that Kafka 4 still has.",
            offers=oldest,
        ),
        Peer(
            "unknown-tags-everywhere",
            "Every struct of an answer has a tagged field that no one knows (KIP-482).",
            with_unknown_tags,
        ),
        Peer(
            "far-nodes",
            "The ids of nodes are around 2,000,000,000.",
            far_nodes=FAR,
        ),
        Peer("numbered-topics", "Topic ids count up from 2.", numbers_topics=True),
        Peer(
            "another-name",
            "The broker advertises a host name where clients began with an address.",
            at_another_name,
        ),
        Peer("no-messages", "No error has a message.", with_message(None)),
        Peer(
            "other-messages",
            "Each error has the same message, in words of its own.",
            with_message("Nein. — 不行"),
        ),
    )
}
