"""Faults of isolation levels: what read_committed may see, and the list of aborted transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import (
    Answered,
    Fault,
    Given,
    answering,
    change_by_log,
    change_decision,
    change_part,
)
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.request import fold_asks
from spec.fetch.outcomes import PartitionAnswer
from spec.fetch.releases import AbortedExtent, FetchSemantics
from spec.frozen import replace
from spec.kafka import READ_COMMITTED, Error

if TYPE_CHECKING:
    from spec.fetch.model.request import Ask
    from spec.fetch.steps import Fetch
    from spec.log import Log


@answering
def _to_the_end(given: Given) -> Answered:
    """Reads to the end, reports the last stable offset as it is."""
    blind = {number: replace(log, stable=log.end) for number, log in given.logs.items()}
    answer, session, held_ms = answer_fetch(*given._replace(logs=blind))
    answered = [
        got
        if got.error or got.partition not in given.logs
        else replace(got, last_stable_offset=given.logs[got.partition].stable)
        for got in answer.partitions
    ]
    return replace(answer, partitions=tuple(answered)), session, held_ms


def _stable_is_the_end(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    return got if got.error else replace(got, last_stable_offset=log.end)


def _list_empty(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return got if got.aborted is None else replace(got, aborted=())


def _list_empty_in_session(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return _list_empty(fetch, got) if fetch.epoch > 0 else got


def _list_cut_short(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, aborted=got.aborted[:-1]) if got.aborted else got


def _list_last_twice(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, aborted=(*got.aborted, got.aborted[-1])) if got.aborted else got


def _first_offset_late(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return (
        replace(got, aborted=tuple([(txn, first + 1) for txn, first in got.aborted]))
        if got.aborted
        else got
    )


def _list_for_everyone(ask: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    if got.aborted is not None or got.error or not got.size:
        return got
    return replace(
        got, aborted=tuple([(txn.txn, txn.first) for txn in log.aborted if txn.last >= ask.offset])
    )


def _null_for_none(_: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    return replace(got, aborted=got.aborted or None)


def _list_from_the_start(_: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    return (
        replace(got, aborted=tuple([(txn.txn, txn.first) for txn in log.aborted]))
        if got.aborted is not None and got.size
        else got
    )


@answering
def _read_only_committed(given: Given) -> Answered:
    taken = (
        replace(given.fetch, isolation=READ_COMMITTED)
        if given.fetch.isolation == 0
        else given.fetch
    )
    answer, session, held_ms = answer_fetch(*given._replace(fetch=taken))
    if given.fetch.isolation == 0:
        answer = replace(
            answer, partitions=tuple([replace(got, aborted=None) for got in answer.partitions])
        )
    return answer, session, held_ms


@answering
def _unstable_out_of_range(given: Given) -> Answered:
    answer, session, held_ms = answer_fetch(*given)
    if given.fetch.isolation != READ_COMMITTED:
        return answer, session, held_ms
    asks = {ask.partition: ask for ask in fold_asks(given.fetch.partitions, given.fetch.version)}
    parts = [
        PartitionAnswer(got.partition, Error.OFFSET_OUT_OF_RANGE)
        if got.partition in asks
        and got.partition in given.logs
        and not got.error
        and given.logs[got.partition].stable < asks[got.partition].offset
        else got
        for got in answer.partitions
    ]
    return replace(answer, partitions=tuple(parts)), session, held_ms


FAULTS = (
    Fault(
        "last-stable-offset-ignored",
        "FET-054",
        Expected.VIOLATES,
        "A read_committed fetch reads what is not decided yet.",
        _to_the_end,
    ),
    Fault(
        "unstable-offset-out-of-range",
        "FET-154",
        Expected.VIOLATES,
        "A read_committed fetch past the last stable offset is OFFSET_OUT_OF_RANGE.",
        _unstable_out_of_range,
    ),
    Fault(
        "last-stable-offset-told-as-the-end",
        "FET-072",
        Expected.VIOLATES,
        "The last stable offset is reported as the high watermark.",
        change_by_log(_stable_is_the_end),
    ),
    Fault(
        "aborted-list-empty",
        "FET-052",
        Expected.VIOLATES,
        "Aborted transactions are never listed.",
        change_part(_list_empty),
    ),
    Fault(
        "aborted-list-empty-in-a-session",
        "FET-052",
        Expected.VIOLATES,
        "Incremental answers list no aborted transactions.",
        change_part(_list_empty_in_session),
    ),
    Fault(
        "aborted-list-cut-short",
        "FET-052",
        Expected.VIOLATES,
        "The last of the aborted transactions is missing in the list.",
        change_part(_list_cut_short),
    ),
    Fault(
        "aborted-first-offset-one-more",
        "FET-052",
        Expected.VIOLATES,
        "The first offset of a listed transaction is one too high, so that its first record is "
        "delivered.",
        change_part(_first_offset_late),
    ),
    Fault(
        "aborted-list-for-read-uncommitted",
        "FET-050",
        Expected.VIOLATES,
        "Aborted transactions are listed for read_uncommitted, too.",
        change_by_log(_list_for_everyone),
    ),
    Fault(
        "aborted-list-null-for-none",
        "FET-051",
        Expected.DEVIATES,
        "Under read_committed, the list of aborted transactions is null where there are none.",
        change_part(_null_for_none),
    ),
    Fault(
        "aborted-transaction-listed-twice",
        "FET-155",
        Expected.DEVIATES,
        "The last of the aborted transactions is twice in the list.",
        change_part(_list_last_twice),
    ),
    Fault(
        "aborted-list-from-the-log-start",
        "FET-152",
        Expected.VIOLATES,
        "Transactions that were aborted before the fetch offset are listed, too.",
        change_by_log(_list_from_the_start),
    ),
    Fault(
        "read-uncommitted-stops-at-the-last-stable-offset",
        "FET-004",
        Expected.VIOLATES,
        "A read_uncommitted fetch does not see open transactions.",
        _read_only_committed,
    ),
)


def _list_to_the_end(ask: Ask, log: Log, got: PartitionAnswer) -> PartitionAnswer:
    if not got.aborted and not (got.aborted is not None and got.size):
        return got
    return replace(
        got, aborted=tuple([(txn.txn, txn.first) for txn in log.aborted if txn.last >= ask.offset])
    )


VARIANTS = (
    Fault(
        "aborted-list-to-the-end",
        "",
        Expected.CONFORMS,
        "Aborted transactions are listed up to the end of the log: more than the records need, "
        "which harms no consumer.",
        change_by_log(_list_to_the_end),
    ),
    Fault(
        "aborted-list-to-the-returned-records",
        "",
        Expected.CONFORMS,
        "Only transactions that overlap the returned offsets are listed.",
        change_decision(
            lambda semantics: semantics.with_decisions(
                FetchSemantics, aborted_extent=AbortedExtent.RETURNED
            )
        ),
    ),
)
