"""What the stage knows of the scenario that is played, and what it is still to do."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.subjects.fairness.locks import Locks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.placement.placed_partition import Placed
    from conformance.subjects.fairness.leaders import Leaders
    from spec.fairness.outcomes import ServedFetch, ServedProduce
    from spec.fairness.steps import StageStep


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
