"""What one step of a history does to one world: the turn that the clauses look at, and the world after it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from spec.observation import Exchange
from spec.semantics import Semantics
from spec.share.following import followed, loaded_by
from spec.share.hidden import connection_lost
from spec.share.model.records import Lock
from spec.share.model.serve import Rules, acknowledged, confirmations, servings
from spec.share.model.session import Admission, Mode, ShareRequest, admit, carried
from spec.share.model.settings import accepted, bounds_of
from spec.share.model.state import Closing, World, forgotten, given_back, known_of, logged, reconfigured, reset, unloaded
from spec.share.outcomes import GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    NameGroup,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)
from spec.share.turn import Configured, Turn
from spec.steps import Append, DeleteRecords, Step

NO_REQUEST = Admission(Mode.GOING_ON, 0, None, None)
"""Stands where no member's request is looked at."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One way in which a step was taken: the turn, where a clause may have a word on it, and the world after."""

    turn: Turn | None
    world: World


def taken(
    world: World, step: Step, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str], *, quiet: bool, over: bool
) -> Iterator[Taken]:
    """Each way in which a step can have been taken in a world.

    Args:
        world: before.
        step: as it was sent.
        exchange: what came of it.
        semantics: the decisions in force.
        broker: the broker's configs that the scenario names.
        quiet: nothing hidden can have happened meanwhile.
        over: it was the last try of a patient fetch.
    """
    if isinstance(step, ShareFetch | ShareAcknowledge):
        yield from _request(world, step, exchange, semantics, broker, quiet=quiet, over=over)
    elif isinstance(step, AlterGroupConfig):
        yield _configured(world, step, exchange, semantics, broker)
    elif isinstance(step, FindShareCoordinator):
        settings = world.settings(semantics, broker)
        yield Taken(Turn(step, NO_REQUEST, semantics, settings, exchange.outcome, named=world.named), world)
    else:
        yield from (Taken(None, after) for after in _changed(world, step, exchange, semantics, broker))


def _changed(world: World, step: Step, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str]) -> Iterator[World]:
    if isinstance(step, Append | DeleteRecords):
        yield logged(world, step)
    elif isinstance(step, AlterShareGroupOffsets):
        yield reset(world, step)
    elif isinstance(step, DeleteShareGroupOffsets):
        yield forgotten(world)
    elif isinstance(step, DropConnection):
        closes = semantics.of(ShareSemantics).disconnect_closes
        yield connection_lost(world, step.actor, exchange.answered_ms + world.settle_ms) if closes else world
    elif isinstance(step, NameGroup):
        yield replace(world, named=step.text)
    elif isinstance(step, RestartBroker):
        yield from _restarted(world, semantics, broker)
    else:
        yield world


def _restarted(world: World, semantics: Semantics, broker: Mapping[str, str]) -> Iterator[World]:
    """The worlds after a restart: connections are lost on the way down, so that what a session held may have been given back before."""
    settings = world.settings(semantics, broker)
    open_ones = [Closing(member, number, 0.0) for member, session in world.sessions for number in known_of(session, world)]
    found = {replace(world, sessions=(), opened=frozenset(), closing=()): None}
    for closing in (*world.closing, *open_ones):
        found |= {given_back(one, replace(closing, unloads=False), settings, semantics): None for one in found}
    for one in found:
        after = one
        for number in range(len(world.slots)):
            after = unloaded(after, number)
        yield after


def _configured(world: World, step: AlterGroupConfig, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str]) -> Taken:
    configured = []
    for key, value in step.settings:
        if value is not None:
            known = bounds_of(key, semantics.of(ShareSemantics), broker)
            bounds = (known.low, known.high) if known is not None else None
            configured.append(Configured(key, value, bounds, accepted(key, value, semantics.of(ShareSemantics), broker)))
    settings = world.settings(semantics, broker)
    turn = Turn(step, NO_REQUEST, semantics, settings, exchange.outcome, configured=tuple(configured))
    done = isinstance(exchange.outcome, GroupChanged) and exchange.outcome.error == 0
    return Taken(turn, reconfigured(world, step) if done else world)


def _request(
    world: World, step: ShareRequest, exchange: Exchange, semantics: Semantics, broker: Mapping[str, str], *, quiet: bool, over: bool
) -> Iterator[Taken]:
    """A member's request: with what it gave back still being written while it fetches, or written already (SHR-331)."""
    outcome, settings, session = exchange.outcome, world.settings(semantics, broker), world.session(step.actor)
    answer = outcome if isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer) else None
    epoch = answer.epoch if answer is not None else carried(step, session)
    sent = replace(step, epoch=epoch, skew=0)
    admission = admit(sent, epoch, session, len(world.logs), semantics.of(ShareSemantics))
    lock = Lock(step.actor, exchange.sent_ms + settings.lock_duration_ms, exchange.answered_ms + settings.lock_duration_ms)
    rules = Rules(semantics, settings, lock)
    world = loaded_by(world, exchange.sent_ms)
    confirmed = confirmations(sent, admission, world, rules, outcome)
    turn = Turn(
        sent,
        admission,
        semantics,
        settings,
        outcome,
        confirmed=confirmed,
        elapsed_ms=exchange.elapsed_ms,
        quiet=quiet,
        patience_over=over,
        partitions=len(world.logs),
        named=world.named,
        settle_ms=world.settle_ms,
    )
    if not isinstance(sent, ShareFetch) or (admission.mode is not Mode.OPENING and admission.mode is not Mode.GOING_ON):
        yield Taken(turn, followed(world, turn, lock, exchange.sent_ms, exchange.answered_ms))
        return
    told = outcome if isinstance(outcome, ShareFetchAnswer) else None
    unwritten = acknowledged(world, confirmed, written=False)
    ways: list[tuple[World, World | None]] = [(unwritten, None)]
    if confirmed:
        ways.append((acknowledged(world, confirmed, written=True), unwritten))
    for met, begun in ways:
        both = replace(turn, served=servings(sent, admission, met, rules, told, begun))
        yield Taken(both, followed(world, both, lock, exchange.sent_ms, exchange.answered_ms))
