"""Transactions: what read_committed may return, and the list of aborted transactions that comes
with it (KIP-98).
"""

from collections.abc import Iterable

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.examples import ask_of, batches, from_start, would_wait
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.releases import AbortedExtent, FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import PLAIN, Served, Turn
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED, Error
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import Log
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import NO_SIDE, LimitClass, Side, Strength, side

ISOLATION = Doc("consumer config isolation.level")


def _is_committed(turn: Turn) -> bool:
    return turn.plain and turn.fetch.isolation == READ_COMMITTED


def _is_uncommitted(turn: Turn) -> bool:
    return turn.plain and turn.fetch.isolation == READ_UNCOMMITTED


chapter: Chapter[Turn] = Chapter()
committed = chapter.under(_is_committed, PLAIN)
uncommitted = chapter.under(_is_uncommitted, PLAIN)


def _next_offset(served: Served, got: PartitionAnswer) -> int:
    return got.batches[-1].last + 1 if got.batches else served.ask.offset


@committed.clause(
    "FET-054",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    ISOLATION,
    Code("UnifiedLog.java", "fetchLastStableOffsetMetadata"),
    slug="fetch/isolation/last-stable-offset",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the last stable offset"),
)
def nothing_unstable_is_read_committed(turn: Turn) -> Held | None:
    """Under read_committed (isolation level 1) no batch is returned whose last offset is at or past
    the last stable offset, and no bytes of such a batch either.
    """
    where = NO_SIDE
    for served, log, got in turn.read:
        where |= side(served.ask.offset, log.stable)
        if got.batches and got.batches[-1].last >= log.stable:
            return breaks(
                where,
                f"expected nothing from {log.stable} on, found "
                f"{got.batches[-1].base}-{got.batches[-1].last}",
                "unstable data",
            )
        if got.tail and got.batches and got.batches[-1].last + 1 >= log.stable:
            return breaks(
                where,
                f"expected nothing from {log.stable} on, found {got.tail} bytes past it",
                "unstable bytes",
            )
    return holds(where) if where else None


@nothing_unstable_is_read_committed.example("an open transaction at 1")
def _open() -> Scenario:
    log = Partition(((Batch(100), Batch(100, txn=0), Batch(100)),))
    return ask_of((log,), Fetch(from_start(0), isolation=1))


@committed.clause(
    "FET-154",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc("protocol guide, error code 1: the offset is not within the range that the server has"),
    KIP(98),
    slug="fetch/isolation/unstable-offset",
    fence=Fence(
        "the fetch offset",
        Unit.OFFSETS,
        "the last stable offset, where a transaction is open",
        meaning="above lies up to the log end offset",
    ),
)
def an_unstable_offset_is_in_range(turn: Turn) -> Held | None:
    """Under read_committed a fetch offset from the last stable offset to the log end offset is in
    range: it is not answered with OFFSET_OUT_OF_RANGE.
    """
    where = NO_SIDE
    for served in turn.served:
        log, got, offset = served.log, served.got, served.ask.offset
        if log is None or got is None or log.stable == log.end or not log.in_range(offset):
            continue
        where |= side(offset, log.stable)
        if offset >= log.stable and got.error == Error.OFFSET_OUT_OF_RANGE:
            return breaks(
                where,
                f"offset {offset}, last stable offset {log.stable}, end {log.end}: expected no "
                "error, found OFFSET_OUT_OF_RANGE",
                "error",
            )
    return holds(where) if where else None


@an_unstable_offset_is_in_range.example(
    "a transaction is open from 1 on: asked for at 0, 1, 2 and 3, the end"
)
def _unstable_offsets() -> Scenario:
    log = Partition(((Batch(100), Batch(100, txn=0), Batch(100)),))
    return ask_of((log,), *[Fetch((FetchPartition(0, at),), isolation=1) for at in range(4)])


@uncommitted.clause(
    "FET-050",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    Doc("protocol guide, Fetch API: aborted_transactions"),
    slug="fetch/isolation/read-uncommitted",
    fence=Fence("the end of the returned records", Unit.OFFSETS, "the last stable offset"),
)
def read_uncommitted_lists_no_aborts(turn: Turn) -> Held | None:
    """Under read_uncommitted (isolation level 0) the list of aborted transactions is null or empty
    in every partition, wherever the returned records end.
    """
    where = NO_SIDE
    for served, log, got in turn.read:
        where |= side(_next_offset(served, got), log.stable)
        if got.aborted:
            return breaks(
                where,
                f"expected no list, found {len(got.aborted)} aborted transactions",
                "aborts listed",
            )
    return holds(where) if where else None


@read_uncommitted_lists_no_aborts.example("aborted transactions are in what is returned")
def _uncommitted_all() -> Scenario:
    return Scenario(_transactions(), (Fetch(from_start(0)),))


@committed.clause(
    "FET-051",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Doc("protocol guide, Fetch API: aborted_transactions"),
    Code("LocalLog.java", "531-564"),
    slug="fetch/isolation/abort-list",
)
def read_committed_always_has_the_list(turn: Turn) -> Held | None:
    """Under read_committed a partition that was read without an error has a list of aborted
    transactions, an empty one where there are none, not null.

    The field is nullable and nothing promises an empty list; that aborts are listed is FET-052. A
    partition that got no bytes though it has some, since the limits were used up before it, was not
    read: there the list may be null.
    """
    arose = False
    for served, _, got in turn.read:
        if served.run and not served.size:
            continue
        arose = True
        if got.aborted is None:
            return fails("expected a list of aborted transactions, found null", "null list")
    return holds() if arose else None


@read_committed_always_has_the_list.example("a log without transactions")
def _none_aborted() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), isolation=1))


def _overlapping(log: Log, start: int, stop: int) -> set[tuple[int, int]]:
    return {(txn.txn, txn.first) for txn in log.aborted if txn.last >= start and txn.first < stop}


def _fences(log: Log, offset: int) -> Side:
    where = NO_SIDE
    for txn in log.aborted:
        where |= side(txn.last, offset)
    return where


def _first_returned(served: Served, got: PartitionAnswer) -> int:
    return max(got.batches[0].base, served.ask.offset)


@committed.clause(
    "FET-052",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    Code("TransactionIndex.java", "162-173"),
    slug="fetch/isolation/every-abort",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the marker of an aborted transaction"),
    readings=(
        Reading(
            "returned",
            "The list names the transactions that overlap the returned records, and no others.",
            decision_change(FetchSemantics, aborted_extent=AbortedExtent.RETURNED),
        ),
        Reading(
            "beyond",
            "The list may name transactions past the returned records as well.",
            decision_change(FetchSemantics, aborted_extent=AbortedExtent.INDEXED),
        ),
    ),
)
def every_abort_in_the_records_is_listed(turn: Turn) -> Held | None:
    """Under read_committed the list names, by producer id and first offset, each aborted
    transaction that overlaps the returned whole batches: its marker's offset is at or past the
    greater of the fetch offset and the first base offset returned, and its first offset at or
    before the last offset returned.
    """
    where = NO_SIDE
    for served, log, got in turn.read:
        if not got.batches or not log.aborted:
            continue
        where |= _fences(log, served.ask.offset)
        needed = _overlapping(log, _first_returned(served, got), got.batches[-1].last + 1)
        if missing := needed - set(got.aborted or ()):
            return breaks(
                where,
                f"expected the aborted transaction at offset {min(first for _, first in missing)} "
                "in the list",
                "abort not listed",
            )
    return holds(where) if where else None


@every_abort_in_the_records_is_listed.fits
def extent_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of FET-052, whether the turn fits it; empty where the readings do not
    differ.
    """
    for served, log, got in turn.read if _is_committed(turn) else ():
        if got.batches and got.aborted:
            needed = _overlapping(log, _first_returned(served, got), got.batches[-1].last + 1)
            if _overlapping(log, served.ask.offset, log.end) - needed and set(got.aborted) - needed:
                return {"returned": False, "beyond": True}
    return {}


@every_abort_in_the_records_is_listed.example("aborted 1-2 and 6, all asked for")
def _listed_example() -> Scenario:
    return Scenario(_transactions(), (Fetch((FetchPartition(0, 0),), isolation=1),))


@every_abort_in_the_records_is_listed.example("the same by a fetch that would wait for data")
def _listed_waiting() -> Scenario:
    return would_wait(_listed_example())


@committed.clause(
    "FET-152",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    Code("LocalLog.java", "531-564"),
    slug="fetch/isolation/aborts-ahead",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the marker of an aborted transaction"),
)
def only_aborts_ahead_are_listed(turn: Turn) -> Held | None:
    """Under read_committed each entry of the list names an aborted transaction of the partition
    whose marker is at or past the fetch offset. Some may lie past the returned records.

    A committed or open transaction in the list would make the client drop good records.
    """
    where = NO_SIDE
    for served, log, got in turn.read:
        if not log.aborted and not got.aborted:
            continue
        where |= _fences(log, served.ask.offset)
        listed = got.aborted or ()
        allowed = _overlapping(log, served.ask.offset, log.end)
        if strange := set(listed) - allowed:
            return breaks(
                where,
                f"expected only aborted transactions from {served.ask.offset} on, found those of "
                f"{_aborts_in_words(strange)}",
                "strange abort",
            )
    return holds(where) if where else None


@only_aborts_ahead_are_listed.example(
    "aborted 1-2 and 6, asked for at 4: only the second is listed"
)
def _ahead() -> Scenario:
    return Scenario(_transactions(), (Fetch((FetchPartition(0, 4),), isolation=1),))


@committed.clause(
    "FET-155",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("TransactionIndex.java", "162-173"),
    slug="fetch/isolation/abort-once",
)
def an_abort_is_listed_once(turn: Turn) -> Held | None:
    """Under read_committed no aborted transaction is twice in the list of a partition.

    Nothing promises it, and a client that is given one twice drops the same records.
    """
    lists = [got.aborted for _, _, got in turn.read if got.aborted]
    for listed in lists:
        if len(listed) != len(set(listed)):
            found = _aborts_in_words(listed)
            return fails(
                f"expected each aborted transaction once, found those of {found}", "repeated abort"
            )
    return holds() if lists else None


@an_abort_is_listed_once.example("two aborted transactions, all asked for")
def _each_once() -> Scenario:
    return Scenario(_transactions(), (Fetch((FetchPartition(0, 0),), isolation=1),))


chapter.exclude(
    "FET-056",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("TransactionMarkerChannelManager.scala", "TransactionMarkerChannelManager"),
    slug="fetch/isolation/marker-visible",
    statement="EndTxn answers before its markers can be read.",
    reason=(
        "a property of EndTxn, not of Fetch: placing a layout awaits each marker, so no scenario "
        "depends on it"
    ),
)


def _aborts_in_words(aborted: Iterable[tuple[int, int]]) -> str:
    """Aborted transactions of a list as messages name them, by producer and first offset."""
    return ", ".join([f"producer {one} from {first} on" for one, first in sorted(aborted)])


def _transactions() -> Layout:
    entries = (
        Batch(100),
        Batch(100, txn=0),
        Batch(100, txn=0),
        Marker(0, commit=False),
        Batch(100, txn=1),
        Marker(1, commit=True),
        Batch(100, txn=2),
        Marker(2, commit=False),
    )
    return Layout((Partition((entries,)),))
