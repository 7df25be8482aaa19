"""Exchanges of a client as the observation has them: fetches, commits and Produce requests, with
what was answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.subjects.fairness.leaders import FULL_EPOCHS
from conformance.subjects.fairness.parts import produced_batch, shared_part
from conformance.subjects.fairness.scripted_response import scripted_response
from spec.fairness.outcomes import Acknowledged, AskedPart, ServedFetch, ServedProduce
from spec.frozen import replace
from spec.kafka import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.subjects.fairness.scene import Scene


def fetch_exchange(
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
    value, parts, late_s = scripted_response(scene, node, body, covered, answer, asked_ms)
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


def committed_offsets(scene: Scene, body: dict[str, Any]) -> list[tuple[int, int]]:
    """What a request asks to commit."""
    found = []
    for topic in body["topics"]:
        for part in topic["partitions"]:
            number = scene.number(_topic_names(topic), part["partition_index"])
            if number is not None:
                base = scene.placed.placed_partitions[number].base
                found.append((number, part["committed_offset"] - base))
    return found


def produce_exchange(
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


def share_exchange(
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


def _topic_names(topic: Mapping[str, Any]) -> dict[str, Any]:
    """A topic as `Scene.number` takes it."""
    return {"topic": topic.get("name"), "topic_id": topic.get("topic_id")}
