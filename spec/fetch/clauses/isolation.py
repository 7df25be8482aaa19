"""Transactions: what read_committed may return, and the list of aborted transactions that comes
with it (KIP-98).
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.releases import AbortedExtent, FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.fetch.turn import Served, Turn
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED, Error
from spec.layout import Batch, Layout, Marker, Partition
from spec.log import Log
from spec.scenario import Scenario
from spec.semantics import deciding
from spec.verdict import LimitClass, Side, Strength, side

ISOLATION = Doc("consumer config isolation.level")


def _committed(turn: Turn) -> bool:
    return turn.plain and turn.fetch.isolation == READ_COMMITTED


def _uncommitted(turn: Turn) -> bool:
    return turn.plain and turn.fetch.isolation == READ_UNCOMMITTED


chapter: Chapter[Turn] = Chapter()
committed, uncommitted = chapter.under(_committed), chapter.under(_uncommitted)


def _next_offset(served: Served, got: PartitionAnswer) -> int:
    return got.batches[-1].last + 1 if got.batches else served.ask.offset


@committed.clause(
    "FET-054",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(98),
    ISOLATION,
    Code("UnifiedLog.java", "fetchUpperBoundOffsetMetadata"),
    slug="fetch/isolation/last-stable-offset",
    fence=Fence("the fetch offset", Unit.OFFSETS, "the last stable offset"),
)
def nothing_unstable_is_read_committed(turn: Turn) -> Held | None:
    """Under read_committed nothing at or past the last stable offset is returned; a fetch there is
    empty and no error.
    """
    where = Side.NONE
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
    for served in turn.served:
        unstable = (
            served.log is not None and served.log.stable <= served.ask.offset <= served.log.end
        )
        if unstable and served.got is not None and served.got.error == Error.OFFSET_OUT_OF_RANGE:
            return breaks(
                where,
                "expected an empty answer between last stable offset and end, found an error",
                "error",
            )
    return holds(where) if where else None


@nothing_unstable_is_read_committed.example("an open transaction at 1")
def _open() -> Scenario:
    layout = Layout((Partition(((Batch(100), Batch(100, txn=0), Batch(100)),)),))
    return Scenario(layout, (Fetch((FetchPartition(0, 0),), isolation=1),))


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
    """A read_uncommitted answer has no list of aborted transactions (null), and returns all there
    is, markers included.
    """
    where = Side.NONE
    for served, log, got in turn.read:
        where |= side(_next_offset(served, got), log.stable)
        if got.aborted:
            return breaks(
                where,
                f"expected no list, found {len(got.aborted)} aborted transactions",
                "aborts listed",
            )
    return holds(where) if where else None


@committed.clause(
    "FET-051",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Doc("protocol guide, Fetch API: aborted_transactions"),
    Code("LocalLog.java", "531-564"),
    slug="fetch/isolation/abort-list",
)
def read_committed_always_has_the_list(turn: Turn) -> Held | None:
    """A read_committed answer that reached the log has a list of aborted transactions, empty where
    there are none.

    The field is nullable and nothing promises an empty list; that aborts are listed is FET-052.
    A partition that got no bytes though it has some, since the limits were used up before it, was
    not read: there the list may be null.
    """
    arose = False
    for served, _, got in turn.read:
        if served.run and not served.size:
            continue
        arose = True
        if got.aborted is None:
            return fails("expected a list of aborted transactions, found null", "null list")
    return holds() if arose else None


def _overlapping(log: Log, start: int, stop: int) -> set[tuple[int, int]]:
    return {(txn.txn, txn.first) for txn in log.aborted if txn.last >= start and txn.first < stop}


def _fences(log: Log, offset: int) -> Side:
    where = Side.NONE
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
            deciding(FetchSemantics, aborted_extent=AbortedExtent.RETURNED),
        ),
        Reading(
            "beyond",
            "The list may name transactions past the returned records as well.",
            deciding(FetchSemantics, aborted_extent=AbortedExtent.INDEXED),
        ),
    ),
)
def every_abort_in_the_records_is_listed(turn: Turn) -> Held | None:
    """Every aborted transaction that overlaps the returned records is listed by producer id and
    first offset.
    """
    where = Side.NONE
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
    for served, log, got in turn.read if _committed(turn) else ():
        if got.batches and got.aborted is not None:
            needed = _overlapping(log, _first_returned(served, got), got.batches[-1].last + 1)
            if _overlapping(log, served.ask.offset, log.end) - needed and set(got.aborted) - needed:
                return {"returned": False, "beyond": True}
    return {}


@every_abort_in_the_records_is_listed.example("aborted 1-2 and 6, all asked for")
def _listed() -> Scenario:
    return Scenario(_transactions(), (Fetch((FetchPartition(0, 0),), isolation=1),))


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
    """Only aborted transactions whose marker is at or past the fetch offset are listed, none twice;
    some may lie past the records.

    A committed or open transaction in the list would make the client drop good records.
    """
    where = Side.NONE
    for served, log, got in turn.read:
        if not log.aborted and not got.aborted:
            continue
        where |= _fences(log, served.ask.offset)
        listed = got.aborted or ()
        allowed = _overlapping(log, served.ask.offset, log.end)
        if strange := set(listed) - allowed:
            return breaks(
                where,
                f"expected only aborted transactions from {served.ask.offset} on, found "
                f"{sorted(strange)}",
                "strange abort",
            )
        if len(listed) != len(set(listed)):
            return breaks(
                where,
                f"expected each aborted transaction once, found {sorted(listed)}",
                "repeated abort",
            )
    return holds(where) if where else None


@only_aborts_ahead_are_listed.example(
    "aborted 1-2 and 6, asked for at 4: only the second is listed"
)
def _ahead() -> Scenario:
    return Scenario(_transactions(), (Fetch((FetchPartition(0, 4),), isolation=1),))


chapter.excluded(
    "FET-056",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("TransactionMarkerChannelManager.scala", "whole"),
    slug="fetch/isolation/marker-visible",
    statement="EndTxn answers before its markers can be read.",
    reason=(
        "a property of EndTxn, not of Fetch: placing a layout awaits each marker, so no scenario "
        "depends on it"
    ),
)


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
