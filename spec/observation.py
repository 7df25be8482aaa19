"""Observations: the responses to a scenario, as evidence, free of clocks and node ids in everything
that enters an id.

Offsets are relative to the layout's base in each partition; an offset that the wire gave as -1 is
None. Times are milliseconds since the scenario's start.
"""

from spec.frozen import frozen
from spec.outcomes import Outcome


@frozen
class Exchange:
    """One request and what became of it.

    Attributes:
        step: number of the scenario's step.
        outcome: what came back.
        sent_ms, answered_ms: milliseconds since the scenario's start; equal to 0 where times were
            not kept.
    """

    step: int
    outcome: Outcome
    sent_ms: float = 0.0
    answered_ms: float = 0.0

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds from sending to the outcome."""
        return self.answered_ms - self.sent_ms


@frozen
class Observation:
    """All evidence of one play of a scenario, in step order.

    Attributes:
        exchanges: one for each step; several for a share fetch that is patient.
        broken: why the observation can't be judged (the broker died, the layout could not be
            placed); None otherwise.
        delay_ms: the longest delay of a plain request that was sent beside it now and then, on a
            connection where nothing else is asked: from when it was due to be sent to its answer.
            It is what the machine, and a busy broker, add to any answer; 0 where that is little, or
            was not measured.
    """

    exchanges: tuple[Exchange, ...]
    broken: str | None = None
    delay_ms: float = 0.0
