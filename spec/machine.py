"""A machine: how a subject behaves, as a pure function of what comes to it and when.

What a subject answers is made here and nowhere else: in the virtual time of a dry run and by the
clock of the served model alike. A machine is built with the decisions of its release and with the
seams at which a fault can be planted; all that changes is in its state, which no step alters in
place.
"""

from typing import Generic, Protocol, TypeVar

from spec.frozen import frozen

State = TypeVar("State")
Request_contra = TypeVar("Request_contra", contravariant=True)
Reply_co = TypeVar("Reply_co", covariant=True)


@frozen
class StepResult(Generic[State, Reply_co]):
    """The result of a step that came or a timer that fell due.

    Attributes:
        state: the state after it.
        replies: (number of the request, answer) of each request that is answered now; requests that
            waited may be among them, and the one that came may not be.
    """

    state: State
    replies: tuple[tuple[int, Reply_co], ...] = ()


class Machine(Protocol[State, Request_contra, Reply_co]):
    """A subject's behaviour."""

    def take(
        self, state: State, number: int, request: Request_contra, now: float, /
    ) -> StepResult[State, Reply_co]:
        """A request comes, or something else that is done to the system; `now` in ms."""

    def due(self, state: State, /) -> float:
        """The time of this state's next timer, ms; infinite where there is none."""

    def fire(self, state: State, now: float, /) -> StepResult[State, Reply_co]:
        """The timer that is due fires."""
