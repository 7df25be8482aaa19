"""Outcomes of a request: the base of all of them, and those that several subjects use."""

from spec.frozen import frozen
from spec.in_words import fields_in_words


class Outcome:
    """The outcome of one step. A subject's own answers are classes of their own."""

    __slots__ = ()

    def __str__(self) -> str:
        """The outcome as messages name it."""
        return fields_in_words(self)


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

    def __str__(self) -> str:
        """`a closed connection (end of stream)`."""
        how = f" ({self.reason})" if self.reason else ""
        alone = "" if self.control_answered else ", and no answer on another one either"
        return f"a closed connection{how}{alone}"


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

    def __str__(self) -> str:
        """`no answer in 5000 ms`."""
        alone = "" if self.control_answered else ", and none on another connection either"
        return f"no answer in {self.waited_ms} ms{alone}"


@frozen
class Garbled(Outcome):
    """Something came that can't be decoded as the answer."""

    reason: str

    def __str__(self) -> str:
        """`bytes that can't be decoded: ...`."""
        return f"bytes that can't be decoded: {self.reason}"


@frozen
class NotSent(Outcome):
    """The step was not sent: an earlier one ended the scenario, or the system can't do it.

    Attributes:
        reason: why.
        impossible: no system can be asked it: one of its batches does not exist.
    """

    reason: str
    impossible: bool = False

    def __str__(self) -> str:
        """`nothing sent: ...`."""
        return f"nothing sent: {self.reason}"


@frozen
class NotReady(Outcome):
    """What a step needs did not come about in time, though the broker is there: a coordinator did
    not come up, a leader was not elected, a change was not shown. That may be a slow machine's.
    """

    reason: str

    def __str__(self) -> str:
        """Its reason."""
        return self.reason
