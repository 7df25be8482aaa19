"""Responses to fetches as a scenario has them given, in place of those of the broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.subjects.fairness.leaders import FULL_EPOCHS
from conformance.subjects.fairness.parts import ResponsePart, staged_part
from spec.fairness.steps import (
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
    from conformance.subjects.fairness.leaders import Leaders
    from conformance.subjects.fairness.scene import Scene
    from spec.fairness.steps import StageStep

NAMES_LEADERS = "node_endpoints"
"""The field of a response to Fetch that says where its leaders are found (KIP-951)."""
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


def scripted_response(
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
