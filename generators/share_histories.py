"""Histories of a share group: two members fetch around the ends of batches, acknowledge parts, give back, close and come again."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.share_script import EVERYTHING, ShareScript
from spec.kafka import BATCH_HEADER, INT32_MAX
from spec.layout import Batch, Layout, Marker, Partition
from spec.scenario import Append, DeleteRecords, Scenario, Step
from spec.semantics import Semantics, semantics_for
from spec.share.answering import SharePlay
from spec.share.semantics import UnknownTopic
from spec.share.settings import settings_of
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    FINAL_EPOCH,
    OPENING_EPOCH,
    RECORD_LIMIT,
    RENEW_SINCE,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DropConnection,
    Pause,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.share.world import world_of

MOST_STEPS = 9
RUNS = (2, 1, 3, 2, 3, 4)
"""How many batches a partition has, by slot."""
RECORDS = (5, 1, 2, 3, 5, 8, 4, 5)
LONG = 30
"""Records of a batch of which four pass the lowest limit of record locks."""
FEW = 100
"""The lowest limit of record locks."""
FEW_LOCKS = (("group.share.partition.max.record.locks", str(FEW)),)
"""The broker's config under which a history of long batches meets that limit."""
BYTES = (INT32_MAX, 1, 100, 99, 200, 250)
PARKED_MS = 600
STOPS = 6
"""Of `ACTIONS`, the first so many slots end a history."""
SHORT_LOCK_MS = 1000
SHORT_LOCKS = (("group.share.min.record.lock.duration.ms", str(SHORT_LOCK_MS)), ("group.share.record.lock.duration.ms", str(SHORT_LOCK_MS)))
"""The broker's configs under which locks run out soon."""
OVER_MS = 4000
"""After this long a lock of `SHORT_LOCK_MS` has surely been noticed to have run out."""

_slot = st.integers(0, 7)
_bit = st.integers(0, 1)
_some = st.integers(0, 11)


def sized(records: int) -> Batch:
    """A plain batch of so many records in 100 bytes, or in as many as they take."""
    return Batch(max(100, BATCH_HEADER + 8 * records), records=records)


def thinned(records: int, slot: int) -> Batch:
    """A batch of so many records as compaction may leave it: behind a hole, with fewer records than offsets, or untouched."""
    return replace(sized(records), gap=(0, 3, 0, 1)[slot % 4], span=records + (0, 2, 5)[slot % 3])


@st.composite
def share_layouts(draw: st.DrawFn, *, transactions: bool = False, long: bool = False, holes: bool = False) -> Layout:
    """One or two partitions of one to four batches, of one to eight records each; some of longer batches.

    Args:
        draw: Hypothesis's.
        transactions: each batch is a transaction of its own; the first is committed, so that the first fetch tells that it was loaded.
        long: the first partition has long batches.
        holes: compaction took out records within batches, and batches whole.
    """
    partitions = []
    for number in range(2 if draw(_some) > 8 and not transactions else 1):
        counts = [RECORDS[draw(_slot)] for _ in range(RUNS[draw(_some) % len(RUNS)])]
        if not number and (long or draw(_some) > 10):
            counts = [LONG] * 5
        batches: list[Batch | Marker] = [thinned(count, draw(_some)) if holes else sized(count) for count in counts]
        if transactions:
            batches = [
                one
                for txn, count in enumerate(counts)
                for one in (replace(sized(count), txn=txn), Marker(txn, commit=not txn or not draw(_bit)))
            ]
        partitions.append(Partition((tuple(batches),)))
    return Layout(tuple(partitions))


def _fetch(script: ShareScript) -> None:
    """MaxRecords around the ends of batches."""
    script.add(script.fetch(script.member(), max_records=script.fence()))


def _sized(script: ShareScript) -> None:
    """BatchSize around them, in both modes."""
    fields = {"batch_size": script.fence(), "max_records": EVERYTHING if script.other() else script.fence()}
    if script.some() > 7:
        fields["batch_size"] = (0, -5)[script.other()]
    script.add(script.fetch(script.member(), **fields))


def _otherwise(script: ShareScript) -> None:
    """In the other acquire mode than most."""
    mode = RECORD_LIMIT - script.mode if script.version >= ACQUIRE_MODE_SINCE else 0
    script.add(script.fetch(script.member(), max_records=script.fence(), mode=mode))


def _confirm(script: ShareScript) -> None:
    """Parts of what a member holds, one or two of them."""
    member = script.member()
    held = script.held(member) or script.held(script.beside(member))
    if not held:
        return _fetch(script)
    run = held[script.some() % len(held)]
    first, last = script.part(run)
    batches = [(run[0], AcknowledgementBatch(first, last, script.kinds(last - first + 1)))]
    if last < run[2] and script.other():
        batches.append((run[0], AcknowledgementBatch(last + 1, run[2], script.kinds(run[2] - last))))
    owner = member if script.held(member) else script.beside(member)
    script.add(script.confirm(owner, *batches))
    if any(len(batch.types) > 1 for _, batch in batches):
        _fetch(script)  # whether each offset got its own type shows in what comes again
    return None


def _release_all(script: ShareScript) -> None:
    """All that a member holds is given back, and fetched again by one of both."""
    member = script.member()
    if not script.held(member):
        script.add(script.fetch(member))
    released = (AcknowledgeType.RELEASE.value,)
    batches = [(number, AcknowledgementBatch(first, last, released)) for number, first, last in script.held(member)]
    if batches:
        script.add(script.confirm(member, *batches))
    script.add(script.fetch(script.member(), max_records=script.fence()))


def _wear_out(script: ShareScript) -> None:
    """All that a member holds is given back and fetched again, until the delivery count is near its limit."""
    member = script.member()
    for _ in range(2 + script.some() % 4):
        if not script.held(member):
            script.add(script.fetch(member))
        for number, first, last in script.held(member)[:1]:
            script.add(script.confirm(member, (number, AcknowledgementBatch(first, last, (AcknowledgeType.RELEASE.value,)))))
    script.add(script.fetch(script.member(), max_records=script.fence()))


def _sent_along(script: ShareScript) -> None:
    """Acknowledgements sent along with a fetch; also of what another holds, or nobody."""
    member = script.member()
    held = script.held(member if script.some() < 9 else 1 - member)
    if not held or script.opens(member):
        return _fetch(script)
    run = held[script.some() % len(held)]
    first, last = script.part(run)
    part = SharePartition(run[0], (AcknowledgementBatch(first, last, script.kinds(last - first + 1)),))
    return script.add(replace(script.fetch(member, max_records=script.fence()), partitions=(part,)))


def _mistaken(script: ShareScript) -> None:
    """Acknowledgements of what is not the member's, reaches too far, lies below the start, or has a wrong shape."""
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=script.fence()))
    held = script.held(member) or [(0, 0, 4)]
    number, first, last = held[0]
    accept = (AcknowledgeType.ACCEPT.value,)
    wrong = (
        [(number, AcknowledgementBatch(first, last + 1, accept))],
        [(number, AcknowledgementBatch(last + 1, last + 3, accept))],
        [(number, AcknowledgementBatch(0, last, accept))],
        [(number, AcknowledgementBatch(first, last, accept)), (number, AcknowledgementBatch(last, last + 1, accept))],
        [(number, AcknowledgementBatch(first, last, accept)), (number, AcknowledgementBatch(first, first, accept))],
        [(number, AcknowledgementBatch(last + 1, first, accept))],
        [(number, AcknowledgementBatch(first, last, ()))],
        [(number, AcknowledgementBatch(first, last + 2, (1, 1)))],
        [(number, AcknowledgementBatch(first, last, (5,)))],
        [(number, AcknowledgementBatch(first, last, (4,)))],
        [(script.count, AcknowledgementBatch(first, last, accept))],
        [(script.count + 1, AcknowledgementBatch(first, last, accept))],
    )
    script.add(script.confirm(member if script.other() else script.beside(member), *wrong[script.some()]))


def _renew(script: ShareScript) -> None:
    """Locks renewed, where the release knows it."""
    member = script.member()
    held = script.held(member)
    if not held or script.version < RENEW_SINCE:
        return _confirm(script)
    first, last = script.part(held[0])
    renew = AcknowledgementBatch(first, last, (AcknowledgeType.RENEW.value,))
    if script.some() < 8:
        return script.add(script.confirm(member, (held[0][0], renew), renew=True))
    none = 0 if script.other() else 1
    limits = {"max_records": 0, "max_bytes": 0, "min_bytes": 0, "max_wait_ms": none}
    return script.add(replace(script.fetch(member, **limits), partitions=(SharePartition(held[0][0], (renew,)),), renew=True))


def _append(script: ShareScript) -> None:
    """Records come; not to a log that was placed as files, whose segments are as they are."""
    if script.play.scenario.layout.crafted:
        return _fetch(script)
    return script.add(Append(script.some() % script.count, sized(RECORDS[script.draw(_slot)])))


def _delete(script: ShareScript) -> None:
    """The log start moves: to the end of a batch, or into one.

    Not beside another partition, nor before a reload: what of it an earlier read has found is told by no answer.
    """
    if script.count > 1 or script.gone is not None or script.play.scenario.layout.crafted:
        return _fetch(script)
    number = 0
    log = script.play.world.logs[number]
    offset = log.batches[script.some() % len(log.batches)].last + 1 - script.other() if log.batches else 0
    script.add(DeleteRecords(number, min(max(offset, log.start), log.end)))
    if script.other():
        member = script.member()
        script.add(script.fetch(member))  # finds out that the log start has moved
        script.add(script.fetch(member, max_records=script.fence()))
    return None


def _across(script: ShareScript) -> None:
    """An acknowledgement across the share-partition start offset where nothing is in flight any more."""
    member = script.member()
    if script.opens(member):
        script.add(script.fetch(member, max_records=0))
    accept = (AcknowledgeType.ACCEPT.value,)
    for owner in dict.fromkeys((member, script.beside(member))):
        held = [(number, AcknowledgementBatch(first, last, accept)) for number, first, last in script.held(owner) if not number]
        if held:
            script.add(script.confirm(owner, *held))
    state = script.state(0)
    if state is None or state.cached or not state.start:
        return _fetch(script)
    return script.add(script.confirm(member, (0, AcknowledgementBatch(state.start - 1, state.start + script.some(), accept))))


def _epoch(script: ShareScript) -> None:
    """A wrong epoch, or one where there is no session."""
    member = script.member()
    skew = (1, -1, 2)[script.some() % 3]
    if script.other():
        return script.add(replace(script.fetch(member), skew=skew))
    return script.add(replace(script.confirm(member), skew=skew))


def _again(script: ShareScript) -> None:
    """A session is opened anew, with what it held still held; or opened with acknowledgements, which is refused."""
    member = script.member()
    parts = script.everything
    if script.some() > 8:
        parts = (SharePartition(0, (AcknowledgementBatch(0, 0),)), *parts[1:])
    script.add(replace(script.fetch(member, max_records=script.fence()), epoch=OPENING_EPOCH, partitions=parts))


def _close(script: ShareScript) -> None:
    """A session is closed, with a last acknowledgement or without, and another member comes for what it held."""
    member = script.member()
    held = script.held(member)
    accept = AcknowledgementBatch(*script.part(held[0])) if held and script.other() else None
    if script.some() > 8:
        script.add(replace(script.confirm(member, *([(held[0][0], accept)] if accept else [])), epoch=FINAL_EPOCH))
    else:
        named = (SharePartition(held[0][0], (accept,)),) if accept else ()
        script.add(ShareFetch(named, epoch=FINAL_EPOCH, version=script.version, actor=member))
    script.add(script.fetch(script.beside(member), max_records=script.fence()))


def _drop(script: ShareScript) -> None:
    """A connection is lost, and the other member comes for what was held on it."""
    if script.gone is not None or script.has(DeleteRecords):
        return _fetch(script)
    script.gone = script.member()
    script.add(DropConnection(script.gone))
    return script.add(script.fetch(1 - script.gone, max_records=script.fence()))


def _names(script: ShareScript) -> None:
    """Partitions forgotten and added, some of which do not exist.

    Where an unknown topic id fails the whole request, what its other partitions acquired is lost with the answer (DIV-05).
    """
    member = script.member()
    some = script.some()
    added = (SharePartition((0, script.count, script.count + 1, script.count - 1)[some % 4]),)
    forgotten = (some % script.count,) if some > 3 else ()
    lost = script.play.semantics.share.unknown_topic is UnknownTopic.REQUEST
    script.ended = lost and added[0].partition > script.count
    script.add(replace(script.fetch(member, max_records=script.fence()), partitions=added, forgotten=forgotten))


def _bytes(script: ShareScript) -> None:
    """MaxBytes around the first batches."""
    script.add(script.fetch(script.member(), max_bytes=BYTES[script.some() % len(BYTES)]))


def _strange(script: ShareScript) -> None:
    """No records wanted, fewer than none, or an acquire mode that does not exist."""
    which = script.some() % 3
    if which == 0 and script.version >= ACQUIRE_MODE_SINCE:
        return script.add(script.fetch(script.member(), mode=2))
    return script.add(script.fetch(script.member(), max_records=(0, -1)[which % 2]))


def _park(script: ShareScript) -> None:
    """A fetch waits while records come, or the other member gives some back."""
    member = script.member()
    script.add(script.fetch(member, max_wait_ms=PARKED_MS, parked=True))
    held = script.held(script.beside(member)) if script.gone is None else []
    if held and script.other():
        number, first, last = held[0]
        return script.add(script.confirm(script.beside(member), (number, AcknowledgementBatch(first, last, script.kinds(1)))))
    return _append(script)


Action = Callable[[ShareScript], None]
WEIGHTS: tuple[tuple[Action, int], ...] = (
    (_fetch, STOPS + 14),
    (_confirm, 14),
    (_release_all, 12),
    (_wear_out, 3),
    (_sized, 10),
    (_otherwise, 5),
    (_sent_along, 8),
    (_mistaken, 11),
    (_renew, 4),
    (_append, 4),
    (_delete, 6),
    (_across, 3),
    (_close, 6),
    (_epoch, 3),
    (_again, 3),
    (_drop, 3),
    (_names, 5),
    (_bytes, 4),
    (_strange, 3),
    (_park, 2),
)
ACTIONS: tuple[Action, ...] = tuple([action for action, weight in WEIGHTS for _ in range(weight)])
_actions = st.integers(0, len(ACTIONS) - 1)


def _begun(draw: st.DrawFn, semantics: Semantics, layout: Layout, config: tuple[tuple[str, str], ...], start: int) -> ShareScript:
    """A history whose group begins at an offset, or two, of each partition."""
    share = semantics.share
    oldest = share.newest_fetch if draw(_some) < 10 else share.oldest_fetch
    empty = Scenario(layout, (), config)
    script = ShareScript(draw, SharePlay(empty, semantics, world_of(empty)), oldest, draw(_bit))
    script.add(AlterShareGroupOffsets(tuple([(number, start) for number in range(len(layout.partitions))])))
    return script


@st.composite
def _histories(draw: st.DrawFn, semantics: Semantics, config: tuple[tuple[str, str], ...]) -> Scenario:
    kind = draw(_some)
    words = semantics.share.group_words
    committed = kind > 10 and "share.isolation.level" in words
    few = settings_of(semantics.share, dict(config), {}).max_record_locks <= FEW
    layout = draw(share_layouts(transactions=committed or kind == 10, long=few and draw(_bit) > 0))
    script = _begun(draw, semantics, layout, config, (0, 2, 6)[draw(_some) % 3] if kind > 6 and not committed else 0)
    if committed:
        script.add(AlterGroupConfig((("share.isolation.level", "read_committed"),)))
    elif kind == 9:
        script.add(AlterGroupConfig((_config(script, semantics),)))
    (_sized if draw(_some) > 8 else _fetch)(script)
    for _ in range(MOST_STEPS):
        slot = draw(_actions)
        if slot < STOPS or script.ended:
            break
        ACTIONS[slot](script)
    return script.scenario()


def _config(script: ShareScript, semantics: Semantics) -> tuple[str, str]:
    """A group config of the release: a value at an end of its range or past it."""
    keys = semantics.share.group_configs
    known = keys[script.some() % len(keys)]
    if script.some() > 9 and "share.renew.acknowledge.enable" in semantics.share.group_words:
        return "share.renew.acknowledge.enable", "false"
    value = (known.low, known.high, known.low - 1, known.high + 1, known.low)[script.some() % 5]
    return known.key, str(value)


@st.composite
def _over_holes(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begun(draw, semantics, draw(share_layouts(holes=True)), (), (0, 1, 4)[draw(_some) % 3])
    script.add(script.fetch(0, max_records=script.fence()))
    for _ in range(MOST_STEPS):
        slot = draw(_actions)
        if slot < STOPS or script.ended:
            break
        ACTIONS[slot](script)
    return script.scenario()


@st.composite
def _expiries(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begun(draw, semantics, draw(share_layouts()), SHORT_LOCKS, 0)
    script.add(script.fetch(0, max_records=script.fence()))
    if draw(_bit):
        _confirm(script)
    if draw(_bit):
        script.add(Pause(SHORT_LOCK_MS // 2))
        _renew(script)
    script.add(Pause(OVER_MS))
    script.add(script.fetch(draw(_bit), max_records=script.fence()))
    if draw(_bit):
        _mistaken(script)
    return script.scenario()


def share_histories(semantics: Semantics | None = None, config: tuple[tuple[str, str], ...] = ()) -> SearchStrategy[Scenario]:
    """Histories of a share group of one or two members (KIP-932, KIP-1206, KIP-1222): a first fetch and up to 9 actions.

    They shrink towards one partition of two batches, one fetch and nothing else.

    Args:
        semantics: the broker's versions and limits.
        config: the broker's configs that it was started with.
    """
    return _histories(semantics or semantics_for("4.3"), config)


def expiring_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories in which locks run out, on a broker with `SHORT_LOCKS`; each takes some 5 s, so that they are played side by side."""
    return _expiries(semantics or semantics_for("4.3"))


def compacted_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories over what compaction has left; their logs are placed as files, while the broker restarts."""
    return _over_holes(semantics or semantics_for("4.3"))


def in_known_version(scenario: Scenario, newest: int) -> Scenario:
    """A worked example with its requests in the newest version that a broker knows; a version that no release knows stays."""
    steps: list[Step] = []
    for step in scenario.steps:
        if isinstance(step, ShareFetch | ShareAcknowledge) and step.version <= ACQUIRE_MODE_SINCE:
            steps.append(replace(step, version=min(step.version, newest)))
        else:
            steps.append(step)
    return replace(scenario, steps=tuple(steps))
