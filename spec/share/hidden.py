"""The hidden events of a share group's history: each state that they can have led to by the time of an exchange.

Hidden are a lock that runs out, the release by a closing session, the loading anew that may follow, and how far requests that were
under way at the same time had come.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from spec.observation import Exchange
from spec.semantics import Semantics
from spec.share.model.records import Lock
from spec.share.model.state import Closing, World, given_back, giving_back, lock_ran_out, unloaded

MOST_WORLDS = 1024
"""States past which a scenario is inconclusive rather than guessed at."""
CLOCK_MS = 5.0
"""How far the clocks of broker and client may drift apart over a lock's time."""


class TooManyWorlds(Exception):  # noqa: N818 - it describes what was found
    """More states are possible than are followed."""


@dataclass(frozen=True, slots=True)
class Branched:
    """The states that an exchange may have met.

    Attributes:
        worlds: those states.
        quiet: there is just one way to have come to each: nothing hidden was about to happen.
    """

    worlds: tuple[World, ...]
    quiet: bool


def branched(
    worlds: Sequence[World], exchange: Exchange, semantics: Semantics, broker: Mapping[str, str], active: frozenset[int]
) -> Branched:
    """Every state that an exchange may have met, given the states before it.

    Args:
        worlds: the states before.
        exchange: what may have met others.
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
        active: members that send a request in it or later; only they can tell whether what they held is just being given back.

    Raises:
        TooManyWorlds: there are more than `MOST_WORLDS`.
    """
    found: dict[World, None] = {}
    quiet = True
    for world in worlds:
        after_closing = list(_closings(world, exchange, semantics, broker, active))
        for one in after_closing:
            after_locks = list(_locks(one, exchange, semantics, broker))
            quiet = quiet and len(after_closing) == len(after_locks) == 1
            found |= dict.fromkeys(after_locks)
            if len(found) > MOST_WORLDS:
                raise TooManyWorlds(f"more than {MOST_WORLDS} states could explain it")
    return Branched(tuple(found), quiet)


def _closings(world: World, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str], active: frozenset[int]) -> Iterator[World]:
    """The worlds in which the records of each partition of a closing session have been given back, or may not have been yet."""
    if not world.closing:
        yield world
        return
    closing, settings = world.closing[0], world.settings(semantics, broker)
    others = replace(world, closing=world.closing[1:])
    for rest in _closings(others, exchange, semantics, broker, active):
        done = given_back(rest, closing, settings, semantics)
        if done == rest and not closing.unloads:
            waits = closing.lost and closing.to_ms >= exchange.sent_ms
            yield replace(rest, closing=(replace(closing, gives_back=False), *rest.closing)) if waits else rest
            continue
        if closing.to_ms >= exchange.sent_ms:
            yield replace(rest, closing=(closing, *rest.closing))
            if closing.gives_back and closing.member in active:
                yield giving_back(rest, closing)
        yield done
        if closing.unloads and closing.gives_back:
            yield unloaded(rest, closing.partition)
        if closing.unloads:
            yield given_back(rest, replace(closing, unloads=False), settings, semantics)


def _locks(world: World, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str]) -> Iterator[World]:
    """The worlds in which the locks that can have run out by then have, or have not yet: the earlier ones before the later ones."""
    settings = world.settings(semantics, broker)
    worlds, sure = [world], 0
    for place, (number, lock) in enumerate(_due(world, exchange.answered_ms + CLOCK_MS), 1):
        worlds.append(lock_ran_out(worlds[-1], number, lock, settings))
        if lock.to_ms + world.settle_ms < exchange.sent_ms:
            sure = place
    yield from reversed(worlds[sure:])


def _due(world: World, before_ms: float) -> list[tuple[int, Lock]]:
    """The locks that can run out before a time, each with its partition, the earliest first."""
    due = [(number, lock) for number, lock in world.locks() if lock.from_ms < before_ms]
    return sorted(due, key=lambda pair: (pair[1].from_ms, pair[0], pair[1].member))


def passed(world: World, before_ms: float, semantics: Semantics, broker: Mapping[str, str]) -> World:
    """The world with everything done that was under way: closed sessions gave back what they held, and locks ran out.

    Args:
        world: before.
        before_ms: locks that can run out before this time have.
        semantics: the decisions in force.
        broker: the broker's configs that differ from its release's defaults.
    """
    settings = world.settings(semantics, broker)
    for closing in world.closing:
        world = given_back(world, closing, settings, semantics)
    world = replace(world, closing=())
    for number, lock in _due(world, before_ms):
        world = lock_ran_out(world, number, lock, settings)
    return world


def connection_lost(world: World, member: int, to_ms: float) -> World:
    """The world after a member's connection was lost, so that its session began to be closed.

    Even where it was closed before, the broker looks whether the group has a session left (ShareSessionCache.java).
    """
    if member not in world.opened:
        return world
    session = world.session(member)
    partitions = session.partitions if session is not None else ()
    closings = [Closing(member, number, to_ms, number in partitions, lost=True) for number in range(len(world.slots))]
    world = replace(world.with_session(member, None), opened=world.opened - {member}, closing=(*world.closing, *closings))
    return sessions_over(world)


def sessions_over(world: World) -> World:
    """The world after a session ended: where none is left, a loss that the broker has yet to notice loads all share partitions anew."""
    if world.sessions:
        return world
    return replace(world, closing=tuple([replace(one, unloads=one.unloads or one.lost) for one in world.closing]))
