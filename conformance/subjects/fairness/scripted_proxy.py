"""The stage: what a client reads from. It stands before a broker, passes on what both say, keeps a
log of the client's fetches (`exchanges`), and gives responses otherwise where a scenario asks for
that (`scripted_response`).

What it does to a response, a broker could do: the broker itself never learns of it, and a client
that got nothing asks again.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from conformance.faults.proxy import Proxy
from conformance.faults.wire import Send, with_length
from conformance.subjects.fairness.exchanges import (
    committed_offsets,
    fetch_exchange,
    produce_exchange,
    share_exchange,
)
from conformance.subjects.fairness.leaders import INDEX, LOOKUPS, Leaders
from conformance.subjects.fairness.scene import Instruction, Scene
from spec.fairness.steps import (
    FOR_GOOD,
    EndLocks,
    LimitMessages,
    MoveLeader,
    RefuseMembers,
    TruncateLog,
)
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.faults.proxy import Asked
    from conformance.faults.wire import Act, Reply
    from conformance.placement.placed_partition import Placed
    from conformance.wire.codec import Codec
    from spec.fairness.outcomes import ServedFetch, ServedProduce
    from spec.fairness.steps import StageStep

FETCH, COMMIT, METADATA, PRODUCE = "Fetch", "OffsetCommit", "Metadata", "Produce"
NODES = 2
SHARED = frozenset({"ShareFetch", "ShareAcknowledge"})
"""The requests of a share consumer."""
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
                scene.commits += committed_offsets(scene, body)
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
                value, late_s = fetch_exchange(scene, asked.listener, *request, value)
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
        scene.produced.append(produce_exchange(scene, *request, answer))
        return answer
    key = asked.link, asked.correlation_id
    value = scene.locks.for_client(key, api, answer, scene.number)
    scene.fetches.append(share_exchange(scene, *request, value))
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
