"""The hidden events of a share group's history: each state that they can have led to by the time of
an exchange.

Hidden are a lock that runs out, the release by a closing session, the loading again that may
follow, and how far requests that were under way at the same time had come.
"""

from collections.abc import Iterator, Mapping

from spec.frozen import replace
from spec.observation import Exchange
from spec.semantics import Semantics
from spec.share.model.records import Lock
from spec.share.model.state import (
    State,
    begin_giving_back,
    expire_lock,
    give_back,
    give_back_by_other_reading,
    unload,
)

CLOCK_MS = 5.0
"""The drift between the clocks of broker and client over a lock's time."""


def possible_states(
    state: State,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    active: frozenset[int],
    settle_ms: float,
) -> tuple[State, ...]:
    """Every state that an exchange may have met, given the state before it; the same alone where
    nothing hidden was about to happen.

    Args:
        state: before.
        exchange: what may have met others.
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
        active: members that send a request in it or later; only they can see whether what they held
            is being given back.
        settle_ms: after this long what happens by itself is surely done.
    """
    if not state.closing and not _due(state, exchange):
        return (state,)
    found: dict[State, None] = {}
    for one in _closings(state, exchange, semantics, broker, active):
        found |= dict.fromkeys(_locks(one, exchange, semantics, broker, settle_ms))
    return tuple(found)


def _closings(
    state: State,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    active: frozenset[int],
) -> Iterator[State]:
    """The states in which the records of each partition of a closing session have been given back,
    or may not have been yet.
    """
    if not state.closing:
        yield state
        return
    closing, settings = state.closing[0], state.settings(semantics, broker)
    others = replace(state, closing=state.closing[1:])
    for rest in _closings(others, exchange, semantics, broker, active):
        done = give_back(rest, closing, settings, semantics)
        if done == rest and not closing.unloads:
            waits = closing.lost and closing.to_ms >= exchange.sent_ms
            yield (
                replace(rest, closing=(replace(closing, gives_back=False), *rest.closing))
                if waits
                else rest
            )
            continue
        if closing.to_ms >= exchange.sent_ms:
            yield replace(rest, closing=(closing, *rest.closing))
            if closing.gives_back and closing.member in active:
                yield begin_giving_back(rest, closing)
        yield done
        if (other := give_back_by_other_reading(rest, closing, settings, semantics)) is not None:
            yield other
        if closing.unloads and closing.gives_back:
            yield unload(rest, closing.partition)
        if closing.unloads:
            yield give_back(rest, replace(closing, unloads=False), settings, semantics)


def _locks(
    state: State,
    exchange: Exchange,
    semantics: Semantics,
    broker: Mapping[str, str],
    settle_ms: float,
) -> Iterator[State]:
    """The states in which the locks that can have run out by then have, or have not yet: the
    earlier ones before the later ones.
    """
    settings = state.settings(semantics, broker)
    states, sure = [state], 0
    for place, (number, lock) in enumerate(_due(state, exchange), 1):
        states.append(expire_lock(states[-1], number, lock, settings))
        if lock.to_ms + settle_ms < exchange.sent_ms:
            sure = place
    yield from reversed(states[sure:])


def _due(state: State, exchange: Exchange) -> list[tuple[int, Lock]]:
    """The locks that can run out before an answer, each with its partition, the earliest first."""
    before_ms = exchange.answered_ms + CLOCK_MS
    due = [(number, lock) for number, lock in state.locks() if lock.from_ms < before_ms]
    return sorted(due, key=lambda pair: (pair[1].from_ms, pair[0], pair[1].member))
