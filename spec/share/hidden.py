"""The hidden events of a share group's history: each state that they can have led to by the time of
an exchange.

Hidden are a lock that runs out, the release of what a closed session held (each partition at a
moment of its own), and the loading of a share partition again, once its group has no session left.
"""

from collections.abc import Iterator, Mapping

from spec.frozen import replace
from spec.observation import Exchange
from spec.semantics import Semantics
from spec.share.model.records import Lock
from spec.share.model.settings import Settings
from spec.share.model.state import (
    Closing,
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
    settings = state.settings(semantics, broker)  # nothing hidden changes them
    found: dict[State, None] = {}
    for one in _closings(state, exchange, settings, semantics, active):
        found |= dict.fromkeys(_locks(one, exchange, settings, settle_ms))
    return tuple(found)


def _closings(
    state: State,
    exchange: Exchange,
    settings: Settings,
    semantics: Semantics,
    active: frozenset[int],
) -> Iterator[State]:
    """The states that the closing sessions of a state can have led to: each combination of how far
    each of their partitions has come.
    """
    if not state.closing:
        yield state
        return
    closing = state.closing[0]
    others = replace(state, closing=state.closing[1:])
    for rest in _closings(others, exchange, settings, semantics, active):
        yield from _stages(rest, closing, exchange, settings, semantics, active)


def _stages(
    state: State,
    closing: Closing,
    exchange: Exchange,
    settings: Settings,
    semantics: Semantics,
    active: frozenset[int],
) -> Iterator[State]:
    """How far one partition of a closing session can have come: its records are still held, are
    being given back, or have been; and the share partition may have been loaded again.
    """
    may_be_to_come = closing.to_ms >= exchange.sent_ms
    done = give_back(state, closing, settings, semantics)
    if done == state and not closing.unloads:  # the member holds nothing there
        if closing.lost and may_be_to_come:  # the broker may still have to notice the loss
            state = replace(state, closing=(replace(closing, gives_back=False), *state.closing))
        yield state
        return
    if may_be_to_come:
        yield replace(state, closing=(closing, *state.closing))
        if closing.gives_back and closing.member in active:
            yield begin_giving_back(state, closing)
    yield done
    if (other := give_back_by_other_reading(state, closing, settings, semantics)) is not None:
        yield other
    if closing.unloads and closing.gives_back:  # loaded again before anything was given back
        yield unload(state, closing.partition)
    if closing.unloads:  # given back, and not loaded again
        yield give_back(state, replace(closing, unloads=False), settings, semantics)


def _locks(
    state: State, exchange: Exchange, settings: Settings, settle_ms: float
) -> Iterator[State]:
    """The states in which the first so many of the locks that can run out have: at least those that
    surely have, at most all.
    """
    states, surely_expired = [state], 0
    for count, (number, lock) in enumerate(_due(state, exchange), 1):
        states.append(expire_lock(states[-1], number, lock, settings))
        if lock.to_ms + settle_ms < exchange.sent_ms:
            surely_expired = count
    yield from reversed(states[surely_expired:])


def _due(state: State, exchange: Exchange) -> list[tuple[int, Lock]]:
    """The locks that can run out before an answer, each with its partition, the earliest first."""
    before_ms = exchange.answered_ms + CLOCK_MS
    due = [(number, lock) for number, lock in state.locks() if lock.from_ms < before_ms]
    return sorted(due, key=lambda pair: (pair[1].from_ms, pair[0], pair[1].member))
