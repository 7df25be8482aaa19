"""Acquisition locks of a share consumer that the stage ends: the broker is given the records back,
and the client the error that a broker has for an acknowledgement that comes too late.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.subjects.fairness.partition_entries import change_partitions
from spec.kafka import Error
from spec.share.steps import AcknowledgeType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.subjects.fairness.partition_entries import Numbering

Key = tuple[int, int]
"""A request, as (connection, correlation id)."""


@dataclass(slots=True)
class Locks:
    """What a share consumer holds, by partition and absolute offset.

    Attributes:
        held: what was acquired and not acknowledged.
        ended: what of that has a lock that ended: the broker has it locked still, until the client
            acknowledges it.
        refusals: by request that is not answered yet: the partitions of which no acknowledgement
            counts.
    """

    held: set[tuple[int, int]] = field(default_factory=set)
    ended: set[tuple[int, int]] = field(default_factory=set)
    refusals: dict[Key, frozenset[int]] = field(default_factory=dict)

    def end_all(self) -> None:
        """Every lock ends."""
        self.ended |= self.held

    def for_broker(self, key: Key, body: dict[str, Any], number: Numbering) -> dict[str, Any]:
        """A request as the broker is sent it; the same object where nothing is changed.

        Where it acknowledges a record whose lock has ended, the request releases that
        record, and nothing of the others of the partition.
        """
        refused: set[int] = set()

        def passed(topic: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
            return self._part_for_broker(part, number(topic, part["partition_index"]), refused)

        changed = change_partitions(body, passed)
        if not refused:
            return body
        self.refusals[key] = frozenset(refused)
        return changed

    def _part_for_broker(
        self, part: dict[str, Any], partition: int | None, refused: set[int]
    ) -> dict[str, Any]:
        batches = part["acknowledgement_batches"]
        named = {
            place
            for place in self.held | self.ended
            if place[0] == partition
            and any(one["first_offset"] <= place[1] <= one["last_offset"] for one in batches)
        }
        ended = named & self.ended
        if partition is None or not ended:
            self.held -= named
            return part
        refused.add(partition)
        self.held -= ended
        self.ended -= ended
        given_back = [
            {
                "first_offset": offset,
                "last_offset": offset,
                "acknowledge_types": [AcknowledgeType.RELEASE.value],
            }
            for _, offset in sorted(ended)
        ]
        return {**part, "acknowledgement_batches": given_back}

    def for_client(
        self, key: Key, api: str, answer: dict[str, Any], number: Numbering
    ) -> dict[str, Any]:
        """The response as the client is sent it; the same object where nothing is changed."""
        refused = self.refusals.pop(key, frozenset())

        def passed(topic: Mapping[str, Any], part: dict[str, Any]) -> dict[str, Any]:
            partition = number(topic, part["partition_index"])
            if partition is not None:
                self._acquire(partition, part)
            return _refuse(part, api) if partition in refused else part

        changed = change_partitions(answer, passed, "responses")
        return changed if refused else answer

    def _acquire(self, partition: int, part: Mapping[str, Any]) -> None:
        for one in part.get("acquired_records") or ():
            for offset in range(one["first_offset"], one["last_offset"] + 1):
                self.held.add((partition, offset))


def _refuse(part: dict[str, Any], api: str) -> dict[str, Any]:
    """A partition whose acknowledgements came too late."""
    field_name = "acknowledge_error_code" if api == "ShareFetch" else "error_code"
    return {**part, field_name: Error.INVALID_RECORD_STATE.value}
