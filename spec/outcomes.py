"""Outcomes of a request: the base of all of them, and those that several subjects use."""

from spec.frozen import frozen


class Outcome:
    """The outcome of one step. A subject's own answers are classes of their own."""

    __slots__ = ()


@frozen
class AppendAnswer(Outcome):
    """A Produce or DeleteRecords answer: error code and the base offset or low watermark it names,
    relative.
    """

    error: int = 0
    offset: int | None = None


@frozen
class Closed(Outcome):
    """The connection was closed, or reset, without an answer.

    Attributes:
        reason: how.
        control_answered: a control request on another connection was answered afterwards, so it is
            not the broker that is gone.
    """

    reason: str = ""
    control_answered: bool = True


@frozen
class Silent(Outcome):
    """Nothing came within the deadline.

    Attributes:
        waited_ms: how long was waited past the request's own max_wait.
        control_answered: a control request on another connection was answered meanwhile, so the
            silence is the request's.
    """

    waited_ms: int = 0
    control_answered: bool = False


@frozen
class Garbled(Outcome):
    """Something came that can't be decoded as the answer."""

    reason: str


@frozen
class NotSent(Outcome):
    """The step was not sent: an earlier one ended the scenario, or the system can't do it.

    Attributes:
        reason: why.
        impossible: no system can be asked it: one of its batches does not exist.
    """

    reason: str
    impossible: bool = False


@frozen
class NotReady(Outcome):
    """What a step needs did not come about in time, though the broker is there: a coordinator did
    not come up, a leader was not elected, a change was not shown. That may be a slow machine's.
    """

    reason: str
