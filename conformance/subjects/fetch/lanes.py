"""Stateless fetches, many at a time.

Those that are answered at once are pipelined over a few connections. All others are played, side by
side, on a connection of their own each: those that may wait, since a broker answers a connection's
requests in order; those that should make the broker close it; those under a quota, which go by a
client id of their own; and those whose shared connection ended under them.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING

from conformance.play.background import Background
from conformance.play.history import no_delay
from conformance.play.pipeline import Pipeline
from conformance.play.silence import SILENCE_S, observed_end
from conformance.subjects.fetch.answers import fetch_answer
from conformance.subjects.fetch.history import LoneFetch
from conformance.subjects.fetch.quotas import QuotaRefusedError, clients_with
from conformance.subjects.fetch.requests import (
    OLDER_EPOCH_UNKNOWN,
    fetch_request,
    older_epoch_missing,
)
from conformance.wire import outcomes
from spec.frozen import frozen
from spec.observation import Exchange, Observation
from spec.outcomes import Garbled, NotSent, Outcome
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from conformance.wire.codec import Encoded
    from conformance.wire.outcomes import Ticket
    from spec.fetch.steps import Fetch

WINDOW = 16
"""Requests under way on one connection."""


@frozen
class _Ask:
    number: int
    placed: Placed
    fetch: Fetch

    @property
    def session(self) -> int:
        """The session id that is asked with: there is no session of its own."""
        return self.fetch.session if isinstance(self.fetch.session, int) else 0


class Lanes:
    """Asks stateless fetches about placed layouts.

    Args:
        cluster: whom to ask.
        connections: how many share the fetches that are answered at once.
        waiting: how many others are asked side by side.
        window: requests under way on one connection.
        silence: seconds past max_wait after which an answer is given up.
        delay_s: gives the longest delay of plain requests beside it, see `History`.
        knows_quota_window: whether anyone says what a quota lets through at once; otherwise nothing
            is asked under one.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        connections: int = 4,
        waiting: int = 16,
        window: int = WINDOW,
        silence: float = SILENCE_S,
        delay_s: Callable[[float], float] = no_delay,
        knows_quota_window: bool = True,
    ) -> None:
        self._cluster = cluster
        self._knows_quota_window = knows_quota_window
        self._waiting = waiting
        self._silence_s = silence
        self._delay_s = delay_s
        self._background = Background()
        self._pipeline: Pipeline[_Ask] = Pipeline(
            cluster, connections=connections, window=window, silence_s=silence
        )

    def close(self) -> None:
        """Close the connections, and end what is under way."""
        self._background.close()
        self._pipeline.close()

    def ask(self, questions: Iterable[tuple[Placed, Fetch]]) -> Iterator[tuple[int, Observation]]:
        """Ask them all; each comes back with its number as its answer does."""
        asks = [_Ask(number, placed, fetch) for number, (placed, fetch) in enumerate(questions)]
        left = dict.fromkeys(range(len(asks)))
        try:
            for number, observation in self._play_lanes(asks):
                del left[number]
                yield number, observation
        except outcomes.NotConnected as gone:
            for number in left:
                yield number, Observation((), broken=f"the broker is gone: {gone}")

    def _play_lanes(self, asks: Sequence[_Ask]) -> Iterator[tuple[int, Observation]]:
        quick: deque[_Ask] = deque()
        alone: list[_Ask] = []
        throttled: list[_Ask] = []
        again: deque[_Ask] = deque()
        versions = self._cluster.versions.usable(self._cluster.codec, "Fetch")
        for ask in asks:
            if older_epoch_missing(ask.fetch, ask.placed):
                yield ask.number, _not_sent_observation(OLDER_EPOCH_UNKNOWN)
            elif ask.fetch.quota is not None:
                throttled.append(ask)
            elif ask.fetch.max_wait_ms > 0 or ask.fetch.version not in versions:
                alone.append(ask)
            else:
                quick.append(ask)
        with ExitStack() as quotas:
            try:
                rates = [ask.fetch.quota or 0 for ask in throttled]
                names = quotas.enter_context(
                    clients_with(self._cluster, rates, knows_window=self._knows_quota_window)
                )
            except QuotaRefusedError as refused:
                for ask in throttled:
                    yield ask.number, _not_sent_observation(str(refused))
                throttled, names = [], ()
            slow = self._alone([*throttled, *alone], (*names, *[None] * len(alone)))
            for arrived in self._pipeline.ask(quick, self._encode, again):
                yield from [
                    (ask.number, self._observation(ask, ticket, outcome))
                    for ask, ticket, outcome in arrived
                ]
            yield from slow
        yield from self._alone(again, [None] * len(again))

    def _encode(self, ask: _Ask) -> Encoded:
        request = self._cluster.codec.request("Fetch", ask.fetch.version)
        return request.encode_ahead(fetch_request(ask.fetch, ask.placed, ask.session))

    def _alone(
        self, asks: Sequence[_Ask], client_ids: Sequence[str | None]
    ) -> Iterator[tuple[int, Observation]]:
        """Begin to ask each on a connection of its own, so that whatever becomes of the connection
        is its doing.
        """
        if not asks:
            return iter(())
        histories = [
            LoneFetch(
                self._cluster,
                Scenario(ask.placed.layout, (ask.fetch,)),
                ask.placed,
                client_id=name,
                delay_s=self._delay_s,
                silence_s=self._silence_s,
            )
            for ask, name in zip(asks, client_ids, strict=True)
        ]
        found = self._background.play(histories, side_by_side=self._waiting)
        return zip([ask.number for ask in asks], found, strict=True)

    def _observation(self, ask: _Ask, ticket: Ticket, outcome: outcomes.Outcome) -> Observation:
        if isinstance(outcome, outcomes.Answer):
            answer, at = self._answer(ask, outcome), outcome.received_at
        else:
            answer, at = self._background.wait(observed_end(self._cluster, outcome)), outcome.at
        return Observation((Exchange(0, answer, 0.0, (at - ticket.sent_at) * 1000),))

    def _answer(self, ask: _Ask, answer: outcomes.Answer) -> Outcome:
        try:
            return fetch_answer(answer.value, answer.trailing, ask.placed, own=0, asked=ask.session)
        except (KeyError, TypeError) as missing:
            return Garbled(f"the answer lacks {missing}")


def _not_sent_observation(reason: str) -> Observation:
    return Observation((Exchange(0, NotSent(reason)),))
