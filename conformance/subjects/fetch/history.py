"""Histories of fetches and writes: each actor has a connection, and waits for its own steps
only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from conformance.play.history import History, Retry
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.subjects.fetch.answers import fetch_answer
from conformance.subjects.fetch.requests import (
    OLDER_EPOCH_UNKNOWN,
    answerable,
    fetch_request,
    older_epoch_missing,
)
from conformance.wire.throttled import comes_throttled
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import OWN, Fetch
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, NotSent, Outcome

if TYPE_CHECKING:
    from conformance.wire.outcomes import Answer
    from spec.steps import Step

CLOSING_VERSION = 12


@dataclass
class FetchHistory(History):
    """A scenario of fetches and writes while it is played."""

    in_order: ClassVar[bool] = False
    session: int = field(init=False, default=0)
    """The id of the fetch session that the broker opened for this scenario; 0 while there is none.
    """

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a Fetch request, where the broker can be asked that."""
        assert self.placed is not None
        if not isinstance(step, Fetch):
            return NotSent(f"{step.name} is no step of fetches")
        if not answerable(self.cluster, step):
            return NotSent(f"the broker does not advertise Fetch v{step.version}")
        if step.quota is not None:
            return NotSent("a quota of its own goes with a lone fetch outside of any session")
        if older_epoch_missing(step, self.placed):
            return NotSent(OLDER_EPOCH_UNKNOWN)
        asked = self.session if step.session == OWN else int(step.session)
        max_wait_s = step.max_wait_ms / 1000
        value = fetch_request(step, self.placed, asked)
        return Request(
            "Fetch", step.version, value, SILENCE_S + max_wait_s, max_wait_s, carried=asked
        )

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read a Fetch answer, and note the session that it opens."""
        del step
        assert self.placed is not None
        asked: int = request.carried
        found = fetch_answer(
            answer.value, answer.trailing, self.placed, own=self.session, asked=asked
        )
        if found.session == 2:
            self.session = answer.value["session_id"]
        return found

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after each answer but that to a write which failed."""
        del step
        return isinstance(outcome, FetchAnswer) or (
            isinstance(outcome, AppendAnswer) and not outcome.error
        )

    async def finish(self) -> None:
        """Free the session's slot: the broker has few."""
        if (
            self.session
            and (connection := await self.connection(self.scenario.steps[0].actor)).alive
        ):
            value = {
                "max_wait_ms": 0,
                "min_bytes": 0,
                "session_id": self.session,
                "session_epoch": -1,
                "topics": [],
            }
            await connection.send("Fetch", CLOSING_VERSION, value, SILENCE_S).answered


@dataclass
class LoneFetch(FetchHistory):
    """One fetch outside of any session, whatever its version, on a connection of its own.

    Under a quota it is sent again for as long as it comes throttled: the broker takes its time to
    read that it has one.

    Attributes:
        silence_s: how long past max_wait its answer is waited for.
    """

    silence_s: float = SILENCE_S
    _throttled: bool = field(init=False, default=False)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make the Fetch request."""
        assert isinstance(step, Fetch)
        assert self.placed is not None
        asked = step.session if isinstance(step.session, int) else 0
        max_wait_s = max(0, step.max_wait_ms) / 1000
        return Request(
            "Fetch",
            step.version,
            fetch_request(step, self.placed, asked),
            self.silence_s + max_wait_s,
            max_wait_s,
            carried=asked,
        )

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read the answer."""
        self._throttled = self.client_id is not None and comes_throttled(answer)
        return super().outcome(step, request, answer)

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Send it again where a quota put it off."""
        del request
        if not self._throttled or not isinstance(outcome, FetchAnswer):
            return None
        return Retry(step, 0.0, kept=False) if waited_s < self.silence_s else None

    async def play(self) -> Observation:
        """Play it; a quota that puts it off all the time leaves it unasked."""
        observation = await super().play()
        if self._throttled and observation.broken is None:
            return Observation(
                (Exchange(0, NotSent(f"it came throttled for {self.silence_s:.0f} s")),)
            )
        return observation

    async def finish(self) -> None:
        """Leave no session."""
        if self.session:
            await super().finish()
