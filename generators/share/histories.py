"""Histories of a share group: two members fetch around the ends of batches, acknowledge parts, give
back, close and return.
"""

from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.share.actions import (
    RELEASE,
    Action,
    act,
    append,
    confirm,
    confirm_mistakenly,
    fetch,
    fetch_sized,
    forget_several,
    name_partition_again,
    renew,
    repeat,
)
from generators.share.layouts import batch_of_size, share_layouts
from generators.share.script import BIT, EVERYTHING, FEW, MEMBERS, READ_COMMITTED, ShareScript
from generators.weighted import chance, weighted
from spec.frozen import frozen, replace
from spec.layout import Layout, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.dry_run import SharePlay
from spec.share.model.settings import settings_of
from spec.share.releases import GroupConfigBounds, ShareSemantics
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    FINAL_EPOCH,
    RENEW_SINCE,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)

if TYPE_CHECKING:
    from spec.steps import Step

FEW_LOCKS = (("group.share.partition.max.record.locks", str(FEW)),)
"""The broker's config under which a history of long batches meets that limit."""
SHORT_LOCK_MS = 1000
SHORT_LOCKS = (
    ("group.share.min.record.lock.duration.ms", str(SHORT_LOCK_MS)),
    ("group.share.record.lock.duration.ms", str(SHORT_LOCK_MS)),
)
"""The broker's configs under which locks run out soon."""
LOCKS_MS = (SHORT_LOCK_MS, 2 * SHORT_LOCK_MS)
"""Two settings of a lock whose both sides are looked at, the second by the group's own config."""
LONGEST_LOCK_MS = 15_000
"""A lock that is longer is not waited for. It is Kafka's default for the shortest one that a group
may set.
"""
RECORD_LOCKS = "share.partition.max.record.locks"
BETWEEN_LOCKS = 110
"""MaxRecords of a fetch that takes more than the lower limit of record locks."""


class Change(NamedTuple):
    """A change of a group config to another value."""

    key: str
    before: str
    after: str


CHANGES = tuple(
    [
        Change(key, *values)
        for key, low, high in (
            ("share.delivery.count.limit", "2", "10"),
            (RECORD_LOCKS, "100", "4000"),
            ("share.record.lock.duration.ms", "15000", "60000"),
            ("share.renew.acknowledge.enable", "false", "true"),
            ("share.isolation.level", "read_committed", "read_uncommitted"),
        )
        for values in ((low, high), (high, low))
    ]
)
"""Changes of group configs up and down."""
LOCK_DURATION = "share.record.lock.duration.ms"
BEFORE_MS = 250
"""So long before its end a lock still holds. If one that is half over is at its end by then, a new
one that began in its half is not.
"""
SINGLES = Layout((Partition((tuple([batch_of_size(records) for records in (1, 6, 1, 2)]),)),))
"""Batches of one record beside others."""
LONG_WAIT_MS = 4000
COME_AFTER_MS = 400
"""So long after a fetch has arrived come the records that it waits for: a lock that is counted from
the arrival has ended by the time that is `BEFORE_MS` before its end.
"""
AFTER_MS = 3000
"""So long after its end a lock has surely been noticed to have run out."""


@frozen
class _Locks:
    """What locks histories about their end have.

    Attributes:
        config: the broker's.
        durations_ms: two; where the group sets none, the broker's is the first.
    """

    config: tuple[tuple[str, str], ...]
    durations_ms: tuple[int, int]


class Kind(Enum):
    """The kinds of histories."""

    FROM_START = auto()
    FROM_LATER = auto()
    """The group begins at some offset of the log."""
    CONFIGURED = auto()
    """Its group has a config of its own."""
    TRANSACTIONS = auto()
    """Its log has transactions."""
    COMMITTED = auto()
    """The same, and only what is committed is read."""


_kinds = weighted(
    (Kind.FROM_START, 7),
    (Kind.FROM_LATER, 2),
    (Kind.CONFIGURED, 1),
    (Kind.TRANSACTIONS, 1),
    (Kind.COMMITTED, 1),
)
_starts = weighted((0, 1), (2, 1), (6, 1))
_starts_in_holes = weighted((0, 1), (1, 1), (4, 1))
_starts_alone = weighted((0, 2), (2, 1))
_is_newest = weighted((True, 5), (False, 1))
_first_fetches: SearchStrategy[Action] = weighted((fetch, 3), (fetch_sized, 1))


def _begin_script(
    draw: st.DrawFn,
    semantics: Semantics,
    layout: Layout,
    config: tuple[tuple[str, str], ...],
    start: int,
) -> ShareScript:
    """A history whose group begins at this offset of each partition, in the newest version of the
    requests or the oldest.
    """
    share = semantics.of(ShareSemantics)
    version = share.newest_fetch if draw(_is_newest) else share.oldest_fetch
    empty = Scenario(layout, (), config, subject="share")
    script = ShareScript(draw, SharePlay(empty, semantics), version, draw(BIT))
    script.add(
        AlterShareGroupOffsets(tuple([(number, start) for number in range(len(layout.partitions))]))
    )
    return script


@st.composite
def _histories(
    draw: st.DrawFn, semantics: Semantics, config: tuple[tuple[str, str], ...]
) -> Scenario:
    kind = draw(_kinds)
    words = semantics.of(ShareSemantics).group_words
    committed = kind is Kind.COMMITTED and "share.isolation.level" in words
    few = settings_of(semantics.of(ShareSemantics), dict(config), {}).max_record_locks <= FEW
    transactions = committed or kind is Kind.TRANSACTIONS
    layout = draw(share_layouts(transactions=transactions, long=few and draw(chance(1, 1))))
    later = kind is not Kind.FROM_START and not committed
    script = _begin_script(draw, semantics, layout, config, draw(_starts) if later else 0)
    if committed:
        script.add(AlterGroupConfig((READ_COMMITTED,)))
    elif kind is Kind.CONFIGURED:
        script.add(AlterGroupConfig((_config(script, semantics),)))
    draw(_first_fetches)(script)
    act(script)
    return script.scenario()


@st.composite
def _changes(draw: st.DrawFn, semantics: Semantics, change: Change) -> Scenario:
    """A group config is changed while records are held, with data between both values; somebody
    fetches what is new, and all that was held is given back.
    """
    layout = share_layouts(
        transactions=change.key == READ_COMMITTED[0], long=change.key == RECORD_LOCKS
    )
    script = _begin_script(draw, semantics, draw(layout), (), 0)
    script.add(AlterGroupConfig(((change.key, change.before),)))
    most = BETWEEN_LOCKS if change.key == RECORD_LOCKS else EVERYTHING
    if change.key == READ_COMMITTED[0]:
        most = script.fence()
    script.add(script.fetch(0, max_records=most))
    if draw(BIT):
        _give_all_back(script, most)
    script.add(AlterGroupConfig(((change.key, change.after),)))
    script.add(script.fetch(draw(BIT)))
    renew(script)
    _give_all_back(script, EVERYTHING)
    act(script, 3)
    return script.scenario()


@st.composite
def _of_sessions(
    draw: st.DrawFn, semantics: Semantics, action: Action, *, several: bool = False
) -> Scenario:
    script = _begin_script(draw, semantics, draw(share_layouts(several=several)), (), 0)
    if draw(BIT):
        act(script, 1)
    if not script.ended:
        action(script)
    if not script.ended:
        act(script, 2)
    return script.scenario()


def _give_all_back(script: ShareScript, most: int) -> None:
    """What the first member holds of each partition is released, and as much is fetched again."""
    batches = [
        (number, AcknowledgementBatch(first, last, RELEASE))
        for number, first, last in script.held_runs(0)
    ]
    if batches:
        script.add(script.confirm(0, *batches))
    script.add(script.fetch(0, max_records=most))


def _config(script: ShareScript, semantics: Semantics) -> tuple[str, str]:
    """A group config of the release: a value at an end of its range or past it."""
    keys = semantics.of(ShareSemantics).group_configs
    known = script.one_of(keys)
    if (
        script.chance(1, 5)
        and "share.renew.acknowledge.enable" in semantics.of(ShareSemantics).group_words
    ):
        return "share.renew.acknowledge.enable", "false"
    value = script.one_of((known.low, known.low, known.high, known.low - 1, known.high + 1))
    return known.key, str(value)


@st.composite
def _over_holes(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begin_script(
        draw, semantics, draw(share_layouts(holes=True)), (), draw(_starts_in_holes)
    )
    script.add(script.fetch(0, max_records=script.fence()))
    act(script)
    return script.scenario()


@st.composite
def _restarts(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begin_script(
        draw, semantics, draw(share_layouts(alone=True)), (), draw(_starts_alone)
    )
    script.add(script.fetch(0, max_records=script.fence()))
    if draw(chance(5, 7)):
        _leave_a_gap(script)
    else:
        act(script, 4)
    script.add(RestartBroker())
    if not script.ended:
        script.add(script.fetch(draw(BIT), max_records=script.fence()))
        act(script, 3)
    return script.scenario()


def _leave_a_gap(script: ShareScript) -> None:
    """Of all that can be acquired, one part or two are done with and the front is not: between them
    nothing is written, which a broker that loads the partition finds as a gap.
    """
    script.add(script.fetch(0))
    for _ in range(1 + script.bit()):
        held = script.held_runs(0)
        if not held:
            break
        number, first, last = held[-1]
        at = first + 1 + script.number(max(1, last - first))
        part = AcknowledgementBatch(min(at, last), min(at + script.number(3), last))
        script.add(script.confirm(0, (number, part)))


@st.composite
def _expiries(
    draw: st.DrawFn,
    semantics: Semantics,
    second: Action | None,
    locks: _Locks,
    setting: int,
    *,
    over: bool,
) -> Scenario:
    """One side of a lock's end.

    Args:
        draw: Hypothesis's.
        semantics: of the release.
        second: begins a lock again when half of the first one is over; None for nothing.
        locks: the broker's configs, and two durations.
        setting: which of the two the lock has, where the release has a config for it.
        over: whether its end is waited for.
    """
    layout = SINGLES if draw(chance(1, 1)) else draw(share_layouts())
    script = _begin_script(draw, semantics, layout, locks.config, 0)
    lock_ms = _set_lock(script, locks, setting) if setting else locks.durations_ms[0]
    size = EVERYTHING if draw(BIT) else 1
    script.add(script.fetch(0, max_records=script.fence(), batch_size=size))
    before = script.one_of((None, _confirm_a_part, _wear_to_the_limit))
    if before is not None:
        before(script)
    if second is not None:
        script.add(Pause(lock_ms // 2))
        if draw(chance(1, 2)):
            lock_ms = _set_lock(script, locks, 1 - setting)
        second(script)
    held = [(member, run) for member in range(MEMBERS) for run in script.held_runs(member)]
    if not over:
        script.add(Pause(lock_ms - BEFORE_MS))
        _look(script)
        return script.scenario()
    script.add(Pause(locks.durations_ms[-1] + AFTER_MS))
    if held:
        member, (number, first, last) = script.one_of(held)
        script.add(script.confirm(member, (number, AcknowledgementBatch(first, last))))
    script.add(script.fetch(draw(BIT), max_records=script.fence()))
    if draw(BIT):
        script.add(Pause(lock_ms - BEFORE_MS))
        _look(script)
    return script.scenario()


def _confirm_a_part(script: ShareScript) -> None:
    """A part of what the first member holds is acknowledged, and the rest of its batch is not."""
    for number, first, last in script.held_runs(0)[:1]:
        low, high = script.part((number, first + script.bit() * (last > first), last))
        kinds = script.kinds(1) if script.bit() else (AcknowledgeType.ACCEPT.value,)
        script.add(script.confirm(0, (number, AcknowledgementBatch(low, high, kinds))))


def _set_lock(script: ShareScript, locks: _Locks, which: int) -> int:
    """The group gets one of the two durations, in milliseconds; the broker's stays in force where
    the release knows no such config.
    """
    if _lock_bounds(script.play.semantics) is None:
        return locks.durations_ms[0]
    script.add(AlterGroupConfig(((LOCK_DURATION, str(locks.durations_ms[which])),)))
    return locks.durations_ms[which]


def _lock_bounds(semantics: Semantics) -> GroupConfigBounds | None:
    """The durations that a group may set for its locks; None where the release has no such
    config.
    """
    known = semantics.of(ShareSemantics).group_configs
    return next((one for one in known if one.key == LOCK_DURATION), None)


def _wear_to_the_limit(script: ShareScript) -> None:
    """What the first member holds of the first partition is delivered for the last time."""
    limit = script.settings.delivery_count_limit
    for _ in range(limit - 1):
        for number, first, last in script.held_runs(0)[:1]:
            script.add(script.confirm(0, (number, AcknowledgementBatch(first, last, RELEASE))))
        script.add(script.fetch(0))


def _look(script: ShareScript) -> None:
    """Whether locks still hold: somebody fetches, and what is held is acknowledged."""
    most = script.fence() if script.bit() else EVERYTHING
    script.add(script.fetch(script.bit(), max_records=most))
    script.one_of((confirm_mistakenly, confirm))(script)


def _prolong(script: ShareScript) -> None:
    """A part of what the first member holds is renewed, where the release knows it."""
    held = script.held_runs(0)
    if not held or script.version < RENEW_SINCE:
        return confirm(script)
    first, last = script.part(held[0])
    renewed = AcknowledgementBatch(first, last, (AcknowledgeType.RENEW.value,))
    return script.add(script.confirm(0, (held[0][0], renewed), renew=True))


def _hand_over(script: ShareScript) -> None:
    """All that the first member holds is given back, and acquired by the other under a new lock."""
    batches = [
        (number, AcknowledgementBatch(first, last, RELEASE))
        for number, first, last in script.held_runs(0)
    ]
    if batches:
        script.add(script.confirm(0, *batches))
    script.add(script.fetch(1))


def _come_back(script: ShareScript) -> None:
    """The first member closes its session, and acquires again what it held, under a new lock."""
    script.add(ShareFetch(epoch=FINAL_EPOCH, version=script.version, actor=0))
    script.add(script.fetch(0))


def _wait(script: ShareScript) -> None:
    """The first member takes what is left, and the other waits until records come, by which its
    lock begins.
    """
    if script.appends:
        script.add(script.fetch(0))
        script.add(script.fetch(1, max_wait_ms=LONG_WAIT_MS, parked=True))
        script.add(Pause(COME_AFTER_MS))
        append(script)


def _wait_for_a_lock(script: ShareScript) -> None:
    """The first member takes what is left, and the other waits until that one's locks run out."""
    script.add(script.fetch(0))
    lock_ms = script.settings.lock_duration_ms
    script.add(script.fetch(1, max_wait_ms=lock_ms + LONG_WAIT_MS, parked=True))
    script.add(Pause(lock_ms + COME_AFTER_MS))


SECOND_LOCKS: tuple[Action | None, ...] = (
    None,
    _prolong,
    _hand_over,
    _come_back,
    _wait,
    _wait_for_a_lock,
)
"""What begins a lock again when half of the first one is over; None for nothing."""


def share_histories(
    semantics: Semantics | None = None, config: tuple[tuple[str, str], ...] = ()
) -> SearchStrategy[Scenario]:
    """Histories of a share group of one or two members (KIP-932, KIP-1206, KIP-1222): a first fetch
    and up to 9 actions.

    They shrink towards one partition of two batches, one fetch and nothing else.

    Args:
        semantics: the broker's versions and limits.
        config: the broker's configs that it was started with.
    """
    return _histories(semantics or semantics_for("4.3"), config)


def expiring_histories(
    semantics: Semantics | None = None,
) -> tuple[SearchStrategy[Scenario], ...]:
    """Histories about the end of a lock, on a broker with `SHORT_LOCKS`: a strategy for each of
    `SECOND_LOCKS`, of `LOCKS_MS` and of the two sides. Each history takes some 5 s, so that they
    are played side by side.
    """
    return _both_sides(semantics or semantics_for("4.3"), _Locks(SHORT_LOCKS, LOCKS_MS), (0, 1))


def long_lock_histories(
    semantics: Semantics | None = None,
) -> tuple[SearchStrategy[Scenario], ...]:
    """Histories about the end of a lock, on a broker with any configs: the group sets the shortest
    lock that it may. There are none where that is not known, or above `LONGEST_LOCK_MS`. Each
    history takes up to three such locks.
    """
    known = semantics or semantics_for("4.3")
    bounds = _lock_bounds(known)
    if bounds is None or not bounds.knows_low or bounds.low > LONGEST_LOCK_MS:
        return ()
    return _both_sides(known, _Locks((), (bounds.low, bounds.low)), (1,))


def _both_sides(
    semantics: Semantics, locks: _Locks, settings: Sequence[int]
) -> tuple[SearchStrategy[Scenario], ...]:
    """A strategy for each of `SECOND_LOCKS`, of these settings and of the two sides."""
    return tuple(
        [
            _expiries(semantics, second, locks, setting, over=over)
            for second in SECOND_LOCKS
            for setting in settings
            for over in (False, True)
        ]
    )


def changing_histories(
    semantics: Semantics | None = None,
) -> tuple[SearchStrategy[Scenario], ...]:
    """Histories in which a group config changes while records are held: a strategy for each of
    `CHANGES` whose config the release knows.
    """
    known = semantics or semantics_for("4.3")
    share = known.of(ShareSemantics)
    keys = {one.key for one in share.group_configs} | set(share.group_words)
    return tuple([_changes(known, change) for change in CHANGES if change.key in keys])


def session_histories(semantics: Semantics | None = None) -> tuple[SearchStrategy[Scenario], ...]:
    """Histories of what a share session remembers: a partition that is put back into it, a fetch
    that is repeated while it waits, and partitions that are forgotten together.
    """
    known = semantics or semantics_for("4.3")
    return (
        _of_sessions(known, name_partition_again),
        _of_sessions(known, repeat),
        _of_sessions(known, forget_several, several=True),
    )


def restarting_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories in the midst of which the broker restarts, once; they are played so that one
    restart serves many.
    """
    return _restarts(semantics or semantics_for("4.3"))


def compacted_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories over what compaction has left; their logs are placed as files, while the broker
    restarts.
    """
    return _over_holes(semantics or semantics_for("4.3"))


def in_known_version(scenario: Scenario, newest: int) -> Scenario:
    """A worked example with its requests in the newest version that a broker knows; a version that
    no release knows stays.
    """
    steps: list[Step] = []
    for step in scenario.steps:
        if isinstance(step, ShareFetch | ShareAcknowledge) and step.version <= ACQUIRE_MODE_SINCE:
            steps.append(replace(step, version=min(step.version, newest)))
        else:
            steps.append(step)
    return replace(scenario, steps=tuple(steps))
