"""All that a share group's history acts on: logs, share partitions, sessions and the group's configs, at one moment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from spec.kafka import Error
from spec.log import Log, log_of
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.model.partition import ShareState, closed, expired, fresh, leaving, reloaded
from spec.share.model.records import Lock, RecordState, departed
from spec.share.model.session import ShareSession
from spec.share.model.settings import Settings, settings_of
from spec.share.releases import ClosedCount, ShareSemantics
from spec.share.steps import AlterGroupConfig, AlterShareGroupOffsets
from spec.steps import Append, DeleteRecords

SETTLE_MS = 2000.0
"""After this long what a closing session held has surely been given back, and a lock that ran out surely been noticed (SHR-008)."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One share partition on the broker.

    Attributes:
        state: what it holds; None where its start is not fixed before it is loaded.
        loaded: it is known to have been loaded, so that it answers.
        tried_ms: when it was first fetched from; None where it was not.
        lost: what it holds can't be followed any more.
        closed: a session that held records in it was closed.
        anew: it was loaded anew, from writes whose cuts are not followed: batches may lie in it in more pieces than they are taken to.
    """

    state: ShareState | None = None
    loaded: bool = False
    tried_ms: float | None = None
    lost: bool = False
    closed: bool = False
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Closing:
    """One partition of a session that is being closed: what its member holds there is given back, at some moment up to `to_ms`.

    Each partition has its own moment: the broker writes the change of one after the other.

    Attributes:
        member: whose session; `departed` once its records are being given back.
        partition: which share partition.
        to_ms: when it surely is done.
        gives_back: the partition was of the session, so that the member's records are given back.
        unloads: the group has no session left, so that the share partition is loaded anew (SHR-010).
        lost: its connection was lost; what follows then waits for the broker to notice, and hangs on the sessions that are left by then.
    """

    member: int
    partition: int
    to_ms: float
    gives_back: bool = True
    unloads: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """One state that what was seen allows.

    Attributes:
        logs: the partitions' logs.
        slots: the share partitions, as many.
        sessions: (member, session) of those who have one.
        opened: members whose connection has opened a session, be it closed by now; the loss of no other means anything to the broker.
        configs: the group's own configs.
        closing: share partitions in which a closed session's records may not have been given back yet.
        early: numbers of exchanges that have taken effect here though their answers came later.
        named: what the group's name begins with, where the history says so.
        settle_ms: after this long what goes on by itself is surely done: `SETTLE_MS`, or more on a broker that is slow.
    """

    logs: tuple[Log, ...]
    slots: tuple[Slot, ...]
    sessions: tuple[tuple[int, ShareSession], ...] = ()
    opened: frozenset[int] = frozenset()
    configs: tuple[tuple[str, str], ...] = ()
    closing: tuple[Closing, ...] = ()
    early: frozenset[int] = frozenset()
    named: str = ""
    settle_ms: float = SETTLE_MS

    def session(self, member: int) -> ShareSession | None:
        """The member's session."""
        return dict(self.sessions).get(member)

    def with_session(self, member: int, session: ShareSession | None) -> "World":
        """The world after the member's session became this one."""
        others = tuple([(actor, kept) for actor, kept in self.sessions if actor != member])
        if session is None:
            return replace(self, sessions=others)
        sessions = tuple(sorted([*others, (member, session)], key=lambda pair: pair[0]))
        return replace(self, sessions=sessions, opened=self.opened | {member})

    def with_slot(self, number: int, slot: Slot) -> "World":
        """The world after one share partition became this."""
        return replace(self, slots=(*self.slots[:number], slot, *self.slots[number + 1 :]))

    def with_early(self, number: int) -> "World":
        """The world in which an exchange has taken effect before its answer came."""
        return replace(self, early=self.early | {number})

    def with_log(self, number: int, log: Log) -> "World":
        """The world after one log became this."""
        return replace(self, logs=(*self.logs[:number], log, *self.logs[number + 1 :]))

    def settings(self, semantics: Semantics, broker: Mapping[str, str]) -> Settings:
        """The group's settings."""
        return settings_of(semantics.of(ShareSemantics), broker, dict(self.configs))

    def locks(self) -> frozenset[tuple[int, Lock]]:
        """Each lock that is held, with its partition."""
        return frozenset(
            (number, record.lock)
            for number, slot in enumerate(self.slots)
            if slot.state is not None
            for batch in slot.state.cached
            for record in batch.records
            if record.state is RecordState.ACQUIRED and record.lock is not None
        )


def world_of(scenario: Scenario, settle_ms: float = SETTLE_MS) -> World:
    """The world in front of a scenario's first step: no session, nothing loaded."""
    logs = tuple([log_of(partition) for partition in scenario.layout.partitions])
    return World(logs, (Slot(),) * len(logs), settle_ms=settle_ms)


def unknown_error(number: int, partitions: int) -> int:
    """The error of a partition by its number: 0 where it is one of so many.

    The count itself and every number below 0 stand for unknown partitions of known topics, what lies above for unknown topic ids.
    """
    if 0 <= number < partitions:
        return 0
    return Error.UNKNOWN_TOPIC_ID if number > partitions else Error.UNKNOWN_TOPIC_OR_PARTITION


def met(slot: Slot, log: Log, settings: Settings) -> ShareState | None:
    """What a share partition holds; one whose start is not fixed begins where `share.auto.offset.reset` says. None: it can't be said."""
    if slot.lost:
        return None
    if slot.state is not None:
        return slot.state
    return {"latest": fresh(log.end), "earliest": fresh(log.start)}.get(settings.reset)


def loaded(world: World, numbers: Iterable[int], settings: Settings) -> World:
    """The world after share partitions were loaded, by which their starts are fixed; numbers of unknown ones are passed over."""
    for number in numbers:
        if 0 <= number < len(world.slots):
            slot = world.slots[number]
            world = world.with_slot(number, replace(slot, state=met(slot, world.logs[number], settings), loaded=True))
    return world


def known_of(session: ShareSession, world: World) -> tuple[int, ...]:
    """The partitions of a session that there are."""
    return tuple([number for number in session.partitions if 0 <= number < len(world.slots)])


def logged(world: World, step: Append | DeleteRecords) -> World:
    """The world after a step that writes to a log or deletes from it."""
    log = world.logs[step.partition]
    return world.with_log(step.partition, log.appended(step.batch) if isinstance(step, Append) else log.deleted_to(step.offset))


def reset(world: World, step: AlterShareGroupOffsets) -> World:
    """The world after start offsets were set. A share partition that is loaded already can't be followed from then on."""
    for number, start in step.starts:
        if 0 <= number < len(world.slots):
            slot = world.slots[number]
            begun = slot.loaded or slot.tried_ms is not None
            world = world.with_slot(number, replace(slot, lost=True) if begun else Slot(fresh(start)))
    return world


def forgotten(world: World) -> World:
    """The world after the group's offsets were deleted. What was loaded can't be followed from then on."""
    slots = [replace(slot, lost=True) if slot.loaded or slot.tried_ms is not None else Slot() for slot in world.slots]
    return replace(world, slots=tuple(slots))


def reconfigured(world: World, step: AlterGroupConfig) -> World:
    """The world after group configs were set or taken away."""
    configs = dict(world.configs)
    for key, value in step.settings:
        configs.pop(key, None)
        if value is not None:
            configs[key] = value
    return replace(world, configs=tuple(sorted(configs.items())))


def lock_ran_out(world: World, number: int, lock: Lock, settings: Settings) -> World:
    """The world after a lock in one partition ran out (SHR-402)."""
    slot = world.slots[number]
    assert slot.state is not None
    return world.with_slot(number, replace(slot, state=expired(slot.state, lock, settings.delivery_count_limit)))


def given_back(world: World, closing: Closing, settings: Settings, semantics: Semantics) -> World:
    """The world after what a closed session held in a partition was given back (SHR-007), and that loaded anew where it follows."""
    slot = world.slots[closing.partition]
    if slot.state is not None and closing.gives_back:
        taken_back = semantics.of(ShareSemantics).closed_count is ClosedCount.TAKEN_BACK
        state = closed(slot.state, closing.member, settings.delivery_count_limit, taken_back=taken_back)
        world = world.with_slot(closing.partition, replace(slot, state=state, closed=slot.closed or state != slot.state))
    return unloaded(world, closing.partition) if closing.unloads else world


def giving_back(world: World, closing: Closing) -> World:
    """The world in which what a closed session held in a partition is being given back: no one's any more, nor yet to be had (SHR-008)."""
    slot = world.slots[closing.partition]
    under_way = replace(closing, member=departed(closing.member))
    if slot.state is not None:
        world = world.with_slot(closing.partition, replace(slot, state=leaving(slot.state, closing.member)))
    return replace(world, closing=(under_way, *world.closing))


def unloaded(world: World, number: int) -> World:
    """The world after the broker lost a share partition from its memory: it is loaded anew from what was written (SHR-500)."""
    slot = world.slots[number]
    return (
        world
        if slot.state is None
        else world.with_slot(number, replace(slot, state=reloaded(slot.state), loaded=False, tried_ms=None, closed=False, anew=True))
    )
