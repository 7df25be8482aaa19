"""What every dry run does with its machine: let virtual time pass."""

from collections.abc import Iterator
from math import inf
from typing import TypeVar

from spec.machine import Machine, StepResult

State = TypeVar("State")
Request = TypeVar("Request")
Reply = TypeVar("Reply")


def fired_timers(
    machine: Machine[State, Request, Reply], state: State, until: float, now: float = 0.0
) -> Iterator[tuple[float, StepResult[State, Reply]]]:
    """Each timer that fires up to a time, `until` included, with the result of it.

    Args:
        machine: whose timers fire.
        state: as it is now.
        until: virtual time, ms; infinite for all timers there are.
        now: the time before which none fires, however long it has been due, ms.
    """
    while (due := machine.due(state)) <= until and due < inf:
        stepped = machine.fire(state, at := max(now, due))
        state = stepped.state
        yield at, stepped
