"""The stage: what a client reads from. It stands before a broker, passes on what both say, keeps a
log of the client's fetches, and gives responses otherwise where a scenario asks for that.

What it does to a response, a broker could do: the broker itself never learns of it, and a client
that got nothing asks again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.faults.proxy import Proxy
from conformance.faults.wire import Send, with_length
from conformance.subjects.fairness.leaders import FULL_EPOCHS, INDEX, LOOKUPS, Leaders
from conformance.subjects.fairness.locks import Locks
from conformance.subjects.fairness.parts import (
    ResponsePart,
    produced_batch,
    shared_part,
    staged_part,
)
from spec.fairness.outcomes import Acknowledged, AskedPart, ServedFetch, ServedProduce
from spec.fairness.steps import (
    FOR_GOOD,
    CutResponse,
    DamageBatch,
    EndLocks,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    LimitMessages,
    MoveLeader,
    RefuseMembers,
    ResponseVariant,
    TruncateLog,
)
from spec.frozen import replace
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.faults.proxy import Asked
    from conformance.faults.wire import Act, Reply
    from conformance.placement.placed_partition import Placed
    from conformance.wire.codec import Codec
    from spec.fairness.steps import StageStep

FETCH, COMMIT, METADATA, PRODUCE = "Fetch", "OffsetCommit", "Metadata", "Produce"
NODES = 2
SHARED = frozenset({"ShareFetch", "ShareAcknowledge"})
"""The requests of a share consumer."""
NAMES_LEADERS = "node_endpoints"
"""The field of a response to Fetch that says where its leaders are found (KIP-951)."""
JOINING = frozenset({"JoinGroup", "ConsumerGroupHeartbeat"})
"""The requests by which a consumer joins its group."""
NO_GROUP = ""
"""The id of a group that a broker refuses, so that who asks for it leaves no trace there."""
NOTED = frozenset({FETCH, COMMIT, PRODUCE, *SHARED, *LOOKUPS, *JOINING})
"""The requests that are looked at."""
ANSWERED = frozenset({FETCH, METADATA, PRODUCE, *SHARED, *LOOKUPS, *JOINING})
"""Those whose responses are."""
WATCHED = frozenset({PRODUCE, *SHARED, *JOINING})
"""Those that are logged, and answered at once."""
STAGED_ELSEWHERE = (
    FailSessions,
    MoveLeader,
    TruncateLog,
    EndLocks,
    RefuseMembers,
    LimitMessages,
)
"""What a scenario asks for that changes no single part of a response."""
LATE_S = 0.5
THROTTLE_MS = 50


@dataclass(slots=True)
class Instruction:
    """Something that a scenario makes the stage do.

    Attributes:
        step: what.
        left: in how many responses yet; None: in all.
    """

    step: StageStep
    left: int | None

    @property
    def active(self) -> bool:
        """Whether there is a response left for it."""
        return self.left is None or self.left > 0

    def use(self) -> None:
        """Count one response."""
        if self.left is not None:
            self.left -= 1


@dataclass(slots=True)
class Scene:
    """What the stage knows of the scenario that is played.

    Attributes:
        placed: where its layout lies.
        first_link: number of its client's first connection.
        began: when it began, in seconds of the monotonic clock.
        instructions: in the order in which they came.
        fetches: answered since they were last looked at.
        commits: as (partition, offset), likewise.
        produced: likewise, of a producer.
        sessions: by the id that the broker gave: the number of the session, and its partitions.
        asked: by (connection, correlation id): requests that are not answered yet, and when they
            came.
        leaders: who leads what, where leaders move; None where they do not.
        locks: of a share consumer.
        refused: how many requests to join were refused since this was last asked.
        over: the fetch sessions that a truncation has ended, by the id that the broker gave.
    """

    placed: Placed
    first_link: int
    began: float
    instructions: list[Instruction] = field(default_factory=list)
    fetches: list[ServedFetch] = field(default_factory=list)
    commits: list[tuple[int, int]] = field(default_factory=list)
    produced: list[ServedProduce] = field(default_factory=list)
    sessions: dict[int, tuple[int, set[int]]] = field(default_factory=dict)
    opened: int = 0
    asked: dict[tuple[int, int], tuple[dict[str, Any], float]] = field(default_factory=dict)
    leaders: Leaders | None = None
    locks: Locks = field(default_factory=Locks)
    refused: int = 0
    over: set[int] = field(default_factory=set)

    def active(self, kind: type[Any]) -> list[Instruction]:
        """The instructions of a kind that have responses left."""
        return [one for one in self.instructions if one.active and isinstance(one.step, kind)]

    def number(self, topic: Mapping[str, Any], partition: int) -> int | None:
        """The number of a partition in the layout; None for one that is not of it."""
        for number, placed in enumerate(self.placed.placed_partitions):
            named = topic.get("topic_id") == placed.topic_id or topic.get("topic") == placed.topic
            if named and placed.partition == partition:
                return number
        return None

    def now_ms(self) -> float:
        """Milliseconds since the beginning."""
        return round((time.monotonic() - self.began) * 1000, 3)


class ScriptedProxy(Proxy):
    """A stage that stands before one broker, from `start` to `stop`; see `Proxy`.

    Args:
        to: the broker's host and port.
        codec: Kafka's messages.
    """

    def __init__(self, to: tuple[str, int], codec: Codec) -> None:
        super().__init__(to, codec, listeners=NODES)
        self._lock = threading.Lock()
        self._scene: Scene | None = None

    def begin(self, placed: Placed, *, moves: bool = False) -> None:
        """Forget what was, and serve the client that connects from now on with a layout; `moves`
        where leaders move, so that there are two nodes.
        """
        with self._lock:
            self._scene = scene = Scene(placed, self.opened, time.monotonic())
            if moves:
                scene.leaders = Leaders(scene.number, self.addresses)

    def script(self, step: StageStep) -> None:
        """Do what a step says in the responses from now on."""
        with self._lock:
            assert self._scene is not None
            if isinstance(step, MoveLeader):
                assert self._scene.leaders is not None, "expected a stage that began with moves"
                self._scene.leaders.move(step)
                return
            if isinstance(step, TruncateLog):
                _truncate(self._scene, step)
                return
            if isinstance(step, EndLocks):
                self._scene.locks.end_all()
                return
            if isinstance(step, LimitMessages):
                return
            left = None if step.responses == FOR_GOOD else step.responses
            self._scene.instructions.append(Instruction(step, left))

    def stored_offset(self, partition: int, offset: int) -> int:
        """Where an offset that clients are shown lies in the broker's log; both relative."""
        with self._lock:
            assert self._scene is not None
            if self._scene.leaders is None:
                return offset
            base = self._scene.placed.placed_partitions[partition].base
            return self._scene.leaders.lineage(partition).stored(base + offset) - base

    def ever_stored(self, partition: int, offset: int) -> list[int]:
        """The offsets of the broker's log that clients have been shown as one, all absolute; the
        one that they are shown now first.
        """
        with self._lock:
            assert self._scene is not None
            if self._scene.leaders is None:
                return [offset]
            lineage = self._scene.leaders.lineage(partition)
            return [lineage.stored(offset), *lineage.ever_stored(offset)]

    def take_served(self) -> tuple[tuple[ServedFetch, ...], tuple[tuple[int, int], ...]]:
        """The fetches that were answered since this was last asked, in the order of the answers,
        and the offsets that the broker was asked to commit.
        """
        with self._lock:
            assert self._scene is not None
            fetches, commits = tuple(self._scene.fetches), tuple(self._scene.commits)
            self._scene.fetches.clear()
            self._scene.commits.clear()
            return fetches, commits

    def take_produced(self) -> tuple[ServedProduce, ...]:
        """The Produce requests that were answered since this was last asked, in the order of the
        answers.
        """
        with self._lock:
            assert self._scene is not None
            produced = tuple(self._scene.produced)
            self._scene.produced.clear()
            return produced

    def take_refused(self) -> int:
        """How many requests to join a group were refused since this was last asked."""
        with self._lock:
            assert self._scene is not None
            refused, self._scene.refused = self._scene.refused, 0
            return refused

    def rewrite_request(self, asked: Asked, frame: bytes) -> bytes:
        """Take note of a fetch, of an acknowledgement or of a commit; where leaders move, the
        broker is given no leader epoch.
        """
        api = self._codec.api_names.get(asked.api_key)
        if api not in NOTED or asked.version not in self._codec.versions(api):
            return frame
        with self._lock:
            scene = self._scene
            if scene is None or asked.link < scene.first_link:
                return frame
            request = self._codec.decode_request(frame)
            body = request.body.value
            if api == COMMIT:
                scene.commits += _commit_offsets(scene, body)
                return frame
            if api in JOINING:
                full = scene.active(RefuseMembers)
                if not full or not _is_newcomer(api, body):
                    return frame
                full[0].use()
            scene.asked[asked.link, asked.correlation_id] = body, scene.now_ms()
            if api in JOINING:
                codec = self._codec.request(api, asked.version)
                nowhere = {**body, "group_id": NO_GROUP}
                return codec.encode(nowhere, asked.correlation_id, request.client_id)
            if api in SHARED:
                key = asked.link, asked.correlation_id
                passed = scene.locks.for_broker(key, body, scene.number)
                if passed is body:
                    return frame
                codec = self._codec.request(api, asked.version)
                return codec.encode(passed, asked.correlation_id, request.client_id)
            if scene.leaders is None or api not in INDEX:
                return frame
            codec = self._codec.request(api, asked.version)
            value = scene.leaders.for_broker(api, body)
            return codec.encode(value, asked.correlation_id, request.client_id)

    def acts(self, asked: Asked, reply: Reply) -> tuple[float, tuple[Act, ...]]:
        """Give a response to a fetch as the scenario asks, and log it."""
        if reply.api not in ANSWERED:
            return super().acts(asked, reply)
        with self._lock:
            scene = self._scene
            request = (
                None if scene is None else scene.asked.pop((asked.link, asked.correlation_id), None)
            )
            if scene is None or asked.link < scene.first_link or not (request or scene.leaders):
                return super().acts(asked, reply)
            codec = self._codec.request(reply.api, reply.version)
            correlation_id, decoded = codec.decode_response(reply.frame)
            if reply.api in WATCHED and request is not None:
                value = _watch(scene, asked, reply.api, request, decoded.value)
                if value is decoded.value:
                    return super().acts(asked, reply)
                return 0.0, (Send(with_length(codec.encode_response(correlation_id, value))),)
            value, late_s = decoded.value, 0.0
            if reply.api == METADATA and scene.leaders is not None:
                value = scene.leaders.metadata(value)
            elif request is not None and reply.api == FETCH:
                value, late_s = _respond(scene, asked.listener, *request, value)
            elif request is not None and scene.leaders is not None:
                value = scene.leaders.looked_up(reply.api, asked.listener, request[0], value)
            return late_s, (Send(with_length(codec.encode_response(correlation_id, value))),)


def _watch(
    scene: Scene,
    asked: Asked,
    api: str,
    request: tuple[dict[str, Any], float],
    answer: dict[str, Any],
) -> dict[str, Any]:
    """Log an exchange in which a scenario scripts no batch; the response that is given, the same
    object where nothing is changed.
    """
    if api in JOINING:
        scene.refused += 1
        return {**answer, "error_code": Error.GROUP_MAX_SIZE_REACHED.value}
    if api == PRODUCE:
        scene.produced.append(_produce_exchange(scene, *request, answer))
        return answer
    key = asked.link, asked.correlation_id
    value = scene.locks.for_client(key, api, answer, scene.number)
    scene.fetches.append(_share_exchange(scene, *request, value))
    return value


def _is_newcomer(api: str, body: Mapping[str, Any]) -> bool:
    """Whether a request to join comes from someone who is no member yet."""
    return not body["member_id"] if api == "JoinGroup" else body["member_epoch"] == 0


def _truncate(scene: Scene, step: TruncateLog) -> None:
    """A leader fails, and the next one lacks the end of its log; no fetch session outlives it."""
    assert scene.leaders is not None, "expected a stage that began with moves"
    placed = scene.placed.placed_partitions[step.partition]
    lineage = scene.leaders.lineage(step.partition)
    shown = [at for base in placed.known if (at := lineage.shown(base)) is not None]
    if step.batch >= len(shown):
        scene.leaders.move(MoveLeader(step.partition, step.node))
        return
    end = max([one.seen.last for one in placed.known.values()]) + placed.base + 1
    scene.over |= scene.sessions.keys()
    scene.leaders.truncate(step, sorted(shown)[step.batch], end, scene.now_ms())


def _commit_offsets(scene: Scene, body: dict[str, Any]) -> list[tuple[int, int]]:
    """What a request asks to commit."""
    found = []
    for topic in body["topics"]:
        for part in topic["partitions"]:
            named = {"topic": topic.get("name"), "topic_id": topic.get("topic_id")}
            number = scene.number(named, part["partition_index"])
            if number is not None:
                base = scene.placed.placed_partitions[number].base
                found.append((number, part["committed_offset"] - base))
    return found


def _produce_exchange(
    scene: Scene, body: dict[str, Any], asked_ms: float, answer: dict[str, Any]
) -> ServedProduce:
    """A Produce request of the client, and its response."""
    answers = {
        number: part
        for topic in answer["responses"]
        for part in topic["partition_responses"]
        if (number := scene.number(_topic_names(topic), part["index"])) is not None
    }
    batches = []
    for topic in body["topic_data"]:
        for part in topic["partition_data"]:
            number = scene.number(_topic_names(topic), part["index"])
            if number is not None:
                found = answers.get(number, {"error_code": Error.UNKNOWN_SERVER_ERROR})
                base = scene.placed.placed_partitions[number].base
                batches.append(produced_batch(number, part["records"] or b"", found, base))
    return ServedProduce(tuple(batches), asked_ms, scene.now_ms())


def _topic_names(topic: Mapping[str, Any]) -> dict[str, Any]:
    """A topic as `Scene.number` takes it."""
    return {"topic": topic.get("name"), "topic_id": topic.get("topic_id")}


def _share_exchange(
    scene: Scene, body: dict[str, Any], asked_ms: float, answer: dict[str, Any]
) -> ServedFetch:
    """A ShareFetch or ShareAcknowledge of the client, and its response."""
    named = list(_named_partitions(scene, body["topics"]))
    return ServedFetch(
        asked=tuple([AskedPart(number) for number, _ in named]),
        parts=tuple(
            [
                shared_part(number, part, scene.placed.placed_partitions[number])
                for number, part in _named_partitions(scene, answer["responses"])
            ]
        ),
        epoch=body["share_session_epoch"],
        max_wait_ms=body.get("max_wait_ms", 0),
        min_bytes=body.get("min_bytes", 0),
        max_bytes=body.get("max_bytes", 0),
        max_records=body.get("max_records"),
        acquire_mode=body.get("share_acquire_mode"),
        acknowledged=tuple(
            [
                Acknowledged(
                    number,
                    one["first_offset"] - scene.placed.placed_partitions[number].base,
                    one["last_offset"] - scene.placed.placed_partitions[number].base,
                    tuple(one["acknowledge_types"]),
                )
                for number, part in named
                for one in part["acknowledgement_batches"]
            ]
        ),
        error=answer["error_code"],
        asked_ms=asked_ms,
        answered_ms=scene.now_ms(),
    )


def _named_partitions(
    scene: Scene, topics: Sequence[dict[str, Any]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The partitions of the layout that topics of a message name, with their numbers."""
    for topic in topics:
        for part in topic["partitions"]:
            if (number := scene.number(topic, part["partition_index"])) is not None:
                yield number, part


def _respond(
    scene: Scene, node: int, body: dict[str, Any], asked_ms: float, answer: dict[str, Any]
) -> tuple[dict[str, Any], float]:
    """The response that is given, and how many seconds late; it is logged."""
    asked = _asked_parts(scene, body)
    if scene.leaders is not None and asked_ms < scene.leaders.truncated_ms:
        scene.over.add(answer.get("session_id", 0))
    forgotten = tuple(
        [
            number
            for topic in body.get("forgotten_topics_data") or ()
            for partition in topic["partitions"]
            if (number := scene.number(topic, partition)) is not None
        ]
    )
    epoch = body.get("session_epoch", -1)
    session, covered = scene.sessions.get(body.get("session_id", 0), (0, set()))
    covered = (covered if epoch not in FULL_EPOCHS else set()) | {one.partition for one in asked}
    covered -= set(forgotten)
    served = ServedFetch(
        asked=asked,
        forgotten=forgotten,
        session=session if epoch not in FULL_EPOCHS else 0,
        epoch=epoch,
        max_wait_ms=body["max_wait_ms"],
        min_bytes=body["min_bytes"],
        max_bytes=body["max_bytes"],
        isolation=body["isolation_level"],
        node=node,
        asked_ms=asked_ms,
    )
    value, parts, late_s = _scripted_response(scene, node, body, covered, answer, asked_ms)
    if (given := value.get("session_id", 0)) and not value.get("error_code"):
        if epoch in FULL_EPOCHS:
            scene.opened += 1
            session = scene.opened
        scene.sessions[given] = session, covered
    served = replace(
        served,
        parts=tuple([part.seen for part in parts]),
        error=value.get("error_code", 0),
        answered_ms=scene.now_ms(),
    )
    scene.fetches.append(served)
    return value, late_s


def _asked_parts(scene: Scene, body: dict[str, Any]) -> tuple[AskedPart, ...]:
    return tuple(
        [
            AskedPart(
                number,
                part["fetch_offset"] - scene.placed.placed_partitions[number].base,
                part["partition_max_bytes"],
                None
                if scene.leaders is None
                else scene.leaders.moves_named(number, part.get("current_leader_epoch", -1)),
            )
            for topic in body["topics"]
            for part in topic["partitions"]
            if (number := scene.number(topic, part["partition"])) is not None
        ]
    )


def _scripted_response(
    scene: Scene,
    node: int,
    body: dict[str, Any],
    covered: set[int],
    answer: dict[str, Any],
    asked_ms: float,
) -> tuple[dict[str, Any], list[ResponsePart], float]:
    """The response as the scenario has it, its parts, and how many seconds late it is."""
    if body.get("session_epoch", -1) not in FULL_EPOCHS:
        error = _session_error(scene, body["session_id"])
        if error:
            return {**answer, "error_code": error, "session_id": 0, "responses": []}, [], 0.0
    if answer.get("error_code"):
        return answer, [], 0.0
    parts, late_s, throttle_ms = _parts(scene, answer), 0.0, answer["throttle_time_ms"]
    if scene.leaders is not None:
        parts = _refuse_misdirected(scene, scene.leaders, body, (node, covered, asked_ms), answer)
    for instruction in [one for one in scene.instructions if one.active]:
        changed = _change_parts(scene, parts, instruction.step, covered)
        if changed is None:
            continue
        instruction.use()
        parts = changed
        giving = getattr(instruction.step, "giving", None)
        late_s += LATE_S if giving is ResponseVariant.LATE else 0.0
        throttle_ms = THROTTLE_MS if giving is ResponseVariant.THROTTLED else throttle_ms
    value = {**answer, "throttle_time_ms": throttle_ms, "responses": _topics(scene, parts)}
    if scene.leaders is not None and NAMES_LEADERS in answer:
        value[NAMES_LEADERS] = scene.leaders.endpoints()
    return value, parts, late_s


def _session_error(scene: Scene, session: int) -> int:
    """The error by which a request of a fetch session is refused; 0 for none."""
    if session in scene.over:
        return Error.FETCH_SESSION_ID_NOT_FOUND.value
    for refusing in scene.active(FailSessions):
        assert isinstance(refusing.step, FailSessions)
        refusing.use()
        return refusing.step.error
    return 0


def _refuse_misdirected(
    scene: Scene,
    leaders: Leaders,
    body: dict[str, Any],
    sent: tuple[int, set[int], float],
    answer: dict[str, Any],
) -> list[ResponsePart]:
    """The parts, with an error in place of each partition that the node does not lead by the epoch
    that the request names, or led no more when the request came; and with where a log diverges in
    place of the records of those that say what they have read last (KIP-595).

    Args:
        scene: the scenario.
        leaders: who leads what.
        body: the request.
        sent: to which node, for which partitions, and when.
        answer: of the broker.
    """
    node, covered, asked_ms = sent
    parts = _parts(scene, answer)
    named = leaders.epochs_of_fetch(body, answer.get("session_id", 0))
    asked = {number: epoch for number, epoch in named.items() if number in covered}
    for number, error in leaders.errors(node, asked):
        leader = leaders.current(number) if NAMES_LEADERS in answer else None
        parts = _fail(scene, parts, number, error, leader)
    for number in covered:
        if asked_ms < leaders.lineage(number).truncated_ms:
            parts = _fail(scene, parts, number, Error.NOT_LEADER_OR_FOLLOWER.value)
    diverging = {
        place: found
        for topic in body["topics"]
        for part in topic["partitions"]
        if (place := scene.number(topic, part["partition"])) is not None
        and (found := leaders.diverging(place, part)) is not None
    }
    return [
        replace(one, batches=(), wire={**one.wire, "diverging_epoch": diverging[one.partition]})
        if one.partition in diverging and not one.error
        else one
        for one in parts
    ]


def _change_parts(
    scene: Scene, parts: list[ResponsePart], step: StageStep, covered: set[int]
) -> list[ResponsePart] | None:
    """The parts as one step of the scenario has them; None where it says nothing of them."""
    if isinstance(step, STAGED_ELSEWHERE):
        return None
    if isinstance(step, GiveOtherwise):
        return _otherwise(parts, step.giving) if any(one.batches for one in parts) else None
    if isinstance(step, FailPartition):
        if step.partition not in covered:
            return None
        return _fail(scene, parts, step.partition, step.error)
    changed = [_damage(one, step) if one.partition == step.partition else one for one in parts]
    return changed if changed != parts else None


def _damage(part: ResponsePart, step: DamageBatch | CutResponse) -> ResponsePart:
    """A part with a batch damaged, or cut."""
    if isinstance(step, DamageBatch):
        return part.with_damage(step.batch, step.damage)
    return part.cut_to(step.size)


def _parts(scene: Scene, answer: dict[str, Any]) -> list[ResponsePart]:
    found = []
    for topic in answer["responses"]:
        for part in topic["partitions"]:
            number = scene.number(topic, part["partition_index"])
            if number is not None:
                placed = scene.placed.placed_partitions[number]
                found.append(staged_part(number, _as_shown(scene, number, part), placed))
    return found


def _as_shown(scene: Scene, number: int, part: dict[str, Any]) -> dict[str, Any]:
    """A partition's part of the broker's response, as its client is shown it."""
    if scene.leaders is None:
        return part
    return scene.leaders.lineage(number).fetched(part, scene.leaders.epoch(number))


def _fail(
    scene: Scene,
    parts: list[ResponsePart],
    partition: int,
    error: int,
    leader: dict[str, int] | None = None,
) -> list[ResponsePart]:
    """The parts with an error in one of those that were asked for, named or not, and with who leads
    it.
    """
    index = scene.placed.placed_partitions[partition].partition
    wire = {"partition_index": index, "preferred_read_replica": -1}
    named = [one for one in parts if one.partition == partition]
    failed = (named[0] if named else ResponsePart(partition, wire=wire)).with_error(error)
    if leader is not None:
        failed = replace(failed, wire={**failed.wire, "current_leader": leader})
    if not named:
        return [*parts, failed]
    return [failed if one.partition == partition else one for one in parts]


def _otherwise(parts: list[ResponsePart], giving: ResponseVariant) -> list[ResponsePart]:
    """The parts of a response that is given in another legal way."""
    if giving is ResponseVariant.EMPTY:
        return [one.without_records() for one in parts]
    if giving is ResponseVariant.THROTTLED:
        return []
    if giving is ResponseVariant.REVERSED:
        return parts[::-1]
    if giving is ResponseVariant.ONE_PARTITION:
        first = next(one for one in parts if one.batches)
        return [one if one is first else one.without_records() for one in parts]
    if giving is ResponseVariant.ABORTED_REVERSED:
        return [_change_aborted(one, lambda listed: listed[::-1]) for one in parts]
    if giving is ResponseVariant.ABORTED_TWICE:
        return [
            _change_aborted(one, lambda listed: [each for each in listed for _ in range(2)])
            for one in parts
        ]
    return parts


def _change_aborted(part: ResponsePart, change: Any) -> ResponsePart:
    listed = part.wire.get("aborted_transactions")
    if not listed:
        return part
    return replace(part, wire={**part.wire, "aborted_transactions": change(listed)})


def _topics(scene: Scene, parts: list[ResponsePart]) -> list[dict[str, Any]]:
    """The parts in the wire's words; a layout lies on one topic."""
    if not parts:
        return []
    placed = scene.placed.placed_partitions[0]
    name = {"topic_id": placed.topic_id, "topic": placed.topic}
    return [{**name, "partitions": [one.encoded for one in parts]}]
