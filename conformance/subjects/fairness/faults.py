"""Planted faults of clients, each a change of what decides; deviations; and legal variants, that
must pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.fairness.client_fault import (
    ClientFault,
    deviation,
    variant,
    violation,
)
from conformance.subjects.fairness.producer_faults import PRODUCER_FAULTS, PRODUCER_VARIANTS
from conformance.subjects.fairness.share_faults import SHARE_FAULTS, SHARE_VARIANTS
from spec.fairness.dry_run import Client, position_of, rewind_to_end
from spec.fairness.model.chunks import Chunk, chunk_of
from spec.fairness.model.options import Options, options_of
from spec.fairness.model.reader import CollectedRecords, Reader, collect
from spec.fairness.model.requests import ClientSession, FetchRequest, next_request
from spec.fairness.releases import (
    DeliveryOrder,
    FairnessSemantics,
    FullGroup,
    NextFetch,
    ParseError,
    PausedRecords,
)
from spec.frozen import replace
from spec.kafka import READ_UNCOMMITTED, Error
from spec.outcomes import Closed, Silent
from spec.semantics import decision_change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spec.fairness.outcomes import FetchedPart, PollReturned
    from spec.fairness.steps import StartClient
    from spec.log import Log
    from spec.outcomes import Outcome


HANG_MS = 60_000
SKIPPED = 4
"""One record in so many is left out, by its offset."""


def _hang(returned: PollReturned, logs: Mapping[int, Log]) -> Outcome:
    """Wait forever for the record before the end offset, where a marker is."""
    at_marker = any(
        part.batches
        and part.batches[-1].control
        and part.batches[-1].last + 1 == logs[part.partition].end
        for served in returned.fetches
        for part in served.parts
    )
    if at_marker and not returned.records and not returned.errors:
        return Silent(HANG_MS, control_answered=True)
    return returned


def _die(returned: PollReturned, _: Mapping[int, Log]) -> Outcome:
    if any(error.name == Error.CORRUPT_MESSAGE.name for error in returned.errors):
        return Closed("the process ended", control_answered=True)
    return returned


def _reverse(returned: PollReturned, _: Mapping[int, Log]) -> Outcome:
    return replace(returned, records=returned.records[::-1])


def _swallow(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    """End at what can't be parsed, and report nothing: it is fetched again."""
    return replace(chunk_of(part, asked, log, options), unreadable=False)


def _deliver_markers(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    chunk = chunk_of(part, asked, log, options)
    markers = [
        batch.first for batch in part.batches if batch.control and asked <= batch.first < chunk.end
    ]
    return replace(chunk, records=tuple(sorted([*chunk.records, *markers])))


def _deliver_aborted(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    return chunk_of(part, asked, log, replace(options, isolation=READ_UNCOMMITTED))


def _skip(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    chunk = chunk_of(part, asked, log, options)
    kept = [offset for offset in chunk.records if offset % SKIPPED != SKIPPED - 1]
    return replace(chunk, records=tuple(kept))


def _whole_batches(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    """Deliver a batch from its beginning, wherever in it the position is."""
    first = part.batches[0].first if part.batches else asked
    chunk = chunk_of(part, min(first, asked), log, options)
    return replace(chunk, next=asked)


def _stand_before_markers(part: FetchedPart, asked: int, log: Log, options: Options) -> Chunk:
    chunk = chunk_of(part, asked, log, options)
    if chunk.error or chunk.unreadable:
        return chunk
    return replace(chunk, end=chunk.records[-1] + 1 if chunk.records else asked)


def _drop_the_rest(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """Discard what is left of a chunk once the limit of a poll is reached."""
    collected = collect(reader, most, semantics)
    rest = collected.reader.current
    if rest is None or not rest.records or len(collected.records) < most:
        return collected
    dropped = replace(collected.reader, current=None).seek(rest.partition, rest.end)
    return replace(collected, reader=dropped)


def _starve(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """Never deliver the partition with the largest number, where there are several."""
    if len(reader.positions) < 2:
        return collect(reader, most, semantics)
    without = replace(reader, paused=reader.paused | {max(reader.positions)})
    collected = collect(without, most, semantics)
    return replace(collected, reader=replace(collected.reader, paused=reader.paused))


def _ignore_the_limit(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    return collect(reader, 2 * most + 1, semantics)


def _ignore_pauses(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    collected = collect(replace(reader, paused=frozenset()), most, semantics)
    return replace(collected, reader=replace(collected.reader, paused=reader.paused))


def _few_at_a_time(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    return collect(reader, min(most, 1), semantics)


def _check_nothing(step: StartClient) -> Options:
    return replace(options_of(step), check_crcs=False)


def _one_limit_for_both(step: StartClient) -> Options:
    """`max.partition.fetch.bytes` has no effect: `fetch.max.bytes` overwrites it."""
    options = options_of(step)
    return replace(options, partition_max_bytes=options.fetch_max_bytes)


def _name_twice(
    reader: Reader, session: ClientSession, options: Options, semantics: FairnessSemantics
) -> FetchRequest | None:
    request = next_request(reader, session, options, semantics)
    if request is None or len(request.asked) < 2:
        return request
    return replace(request, asked=(*request.asked, request.asked[0]))


def _ask_without_a_session(
    reader: Reader, session: ClientSession, options: Options, semantics: FairnessSemantics
) -> FetchRequest | None:
    del session
    request = next_request(reader, ClientSession(), options, semantics)
    return None if request is None else replace(request, epoch=-1)


def _buffered_end(reader: Reader, partition: int) -> int:
    """The end of what was fetched, delivered or not."""
    current = () if reader.current is None else (reader.current,)
    ends = [one.end for one in (*reader.queue, *current) if one.partition == partition]
    return max(ends, default=position_of(reader, partition))


def _last_delivered_offset(reader: Reader, partition: int) -> int:
    return max(position_of(reader, partition) - 1, 0)


def _one_further(reader: Reader, partition: int) -> int:
    return position_of(reader, partition) + 1


def _restart(reader: Reader, partition: int) -> Reader:
    """Read a partition from its beginning once its leader has moved."""
    return reader.seek(partition, 0)


def _pass_one_over(reader: Reader, partition: int) -> Reader:
    return reader.seek(partition, position_of(reader, partition) + 1)


def _fetch_again(reader: Reader, partition: int) -> Reader:
    """Discard what was fetched of a partition whose leader has moved."""
    return reader.without_fetched(partition)


def _reread(reader: Reader, partition: int, end: int) -> Reader:
    """Read a partition from its beginning once its log was truncated."""
    return rewind_to_end(reader, partition, end).seek(partition, 0)


def _discard_all(reader: Reader, partition: int, end: int) -> Reader:
    rewound = rewind_to_end(reader, partition, end)
    return replace(rewound, queue=(), begun=(), current=None)


def _first_partition_last(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    return tuple(sorted(chunks, key=lambda chunk: -chunk.partition))


def _shortest_first(reader: Reader, most: int, semantics: FairnessSemantics) -> CollectedRecords:
    """Deliver the partition with the smallest number only where no other has anything."""
    queue = sorted(reader.queue, key=lambda chunk: chunk.partition == min(reader.positions))
    current = reader.current
    if current is not None and queue and current.partition == min(reader.positions):
        reader = replace(reader, current=None)
        queue.append(current)
    return collect(replace(reader, queue=tuple(queue)), most, semantics)


def _by_partition(returned: PollReturned, _: Mapping[int, Log]) -> Outcome:
    """Give the records of a poll partition by partition, the largest number first."""
    ordered = sorted(returned.records, key=lambda record: -record.partition)
    return replace(returned, records=tuple(ordered))


CONSUMER_FAULTS = (
    violation(
        "hangs-on-marker",
        "FAI-001",
        "It waits for the record before the end offset, where a marker is.",
        Client(returning=_hang),
    ),
    violation(
        "dies-on-parse-error",
        "FAI-002",
        "A batch that can't be parsed ends its process.",
        Client(returning=_die),
    ),
    violation(
        "delivers-markers",
        "FAI-010",
        "Markers of transactions are delivered as records.",
        Client(chunking=_deliver_markers),
    ),
    violation(
        "delivers-aborted",
        "FAI-011",
        "The isolation level is asked for, and not heeded in what comes.",
        Client(chunking=_deliver_aborted),
    ),
    violation(
        "delivers-corrupt",
        "FAI-012",
        "Checksums are not checked though they are to be.",
        Client(optioned=_check_nothing),
    ),
    violation(
        "delivers-paused",
        "FAI-013",
        "What was fetched before a pause is delivered during it.",
        Client(collecting=_ignore_pauses),
    ),
    violation(
        "ignores-poll-limit",
        "FAI-014",
        "A poll returns twice its limit, and one more.",
        Client(collecting=_ignore_the_limit),
    ),
    violation(
        "starves-one",
        "FAI-015",
        "One of several partitions is never delivered.",
        Client(collecting=_starve),
    ),
    violation(
        "swallows-parse-error",
        "FAI-016",
        "A batch that can't be parsed is fetched again and again, and nothing is reported.",
        Client(chunking=_swallow),
    ),
    violation(
        "stays-with-old-leader",
        "FAI-017",
        "Whoever led a partition at first is asked for it for ever.",
        Client(moving=None),
    ),
    violation(
        "passes-over-a-truncation",
        "FAI-018",
        "Where a log was truncated is never asked: the old position is kept.",
        Client(validating=None),
    ),
    violation(
        "loses-at-a-move",
        "FAI-020",
        "The first record after a leader has moved is left out.",
        Client(moving=_pass_one_over),
    ),
    violation(
        "repeats-after-a-move",
        "FAI-021",
        "A partition whose leader has moved is read from its beginning.",
        Client(moving=_restart),
    ),
    violation(
        "skips-records",
        "FAI-020",
        "Every fourth record is left out.",
        Client(chunking=_skip),
    ),
    violation(
        "loses-over-limit",
        "FAI-020",
        "What a poll has fetched past its limit is discarded.",
        Client(collecting=_drop_the_rest),
    ),
    violation(
        "repeats-batch",
        "FAI-021",
        "A batch is delivered from its beginning, wherever in it the position is.",
        Client(chunking=_whole_batches),
    ),
    violation(
        "reorders",
        "FAI-022",
        "A poll returns its records in reverse.",
        Client(returning=_reverse),
    ),
    violation(
        "position-behind",
        "FAI-030",
        "The position is that of the last delivered record.",
        Client(positioned=_last_delivered_offset),
    ),
    violation(
        "position-ahead",
        "FAI-030",
        "The position is that of the end of what was fetched.",
        Client(positioned=_buffered_end),
    ),
    violation(
        "stands-before-marker",
        "FAI-031",
        "The position does not pass what is not delivered.",
        Client(chunking=_stand_before_markers),
    ),
    violation(
        "commits-too-far",
        "FAI-032",
        "The end of what was fetched is committed.",
        Client(committed=_buffered_end),
    ),
    deviation(
        "commits-last-delivered",
        "FAI-033",
        "The offset of the last delivered record is committed, not the one behind it.",
        Client(committed=_last_delivered_offset),
    ),
    deviation(
        "takes-turns",
        "FAI-040",
        "KIP-387: the next poll starts with another partition.",
        change=decision_change(FairnessSemantics, delivery_order=DeliveryOrder.ROUND_ROBIN),
    ),
    deviation(
        "reads-again-after-a-truncation",
        "FAI-019",
        "A partition whose log was truncated is read from its beginning.",
        Client(validating=_reread),
    ),
    deviation(
        "queues-by-number",
        "FAI-041",
        "The partitions of a response are queued by their numbers, the largest first.",
        Client(queueing=_first_partition_last),
    ),
    deviation(
        "passes-parse-errors",
        "FAI-042",
        "KIP-387: a partition that can't be parsed goes to the end of the queue.",
        change=decision_change(FairnessSemantics, parse_error=ParseError.MOVED_TO_END),
    ),
    deviation(
        "drops-paused",
        "FAI-043",
        "What was fetched of a partition that is paused is discarded.",
        change=decision_change(FairnessSemantics, paused_records=PausedRecords.DROPPED),
    ),
    deviation(
        "asks-early",
        "FAI-044",
        "A broker is asked for more while something that it sent is not delivered.",
        change=decision_change(FairnessSemantics, next_fetch=NextFetch.PARTITION),
    ),
    deviation(
        "asks-ahead",
        "FAI-044",
        "A broker is asked for more of a partition while it holds records of it.",
        change=decision_change(FairnessSemantics, next_fetch=NextFetch.AHEAD),
    ),
    deviation(
        "overtakes-one",
        "FAI-045",
        "One partition is delivered only where no other has anything, and others are fetched "
        "meanwhile.",
        Client(collecting=_shortest_first),
        decision_change(FairnessSemantics, next_fetch=NextFetch.PARTITION),
    ),
    deviation(
        "full-group-hidden",
        "FAI-034",
        "A client tries to join a full group again and again, and reports nothing.",
        change=decision_change(FairnessSemantics, full_group=FullGroup.RETRIED),
    ),
    deviation(
        "full-group-spins",
        "FAI-035",
        "A client asks a full group fifty times in a row.",
        Client(joining=50),
    ),
    deviation(
        "option-overwritten",
        "FAI-050",
        "fetch.max.bytes stands in the field of max.partition.fetch.bytes.",
        Client(optioned=_one_limit_for_both),
    ),
    deviation(
        "spins",
        "FAI-051",
        "A request that led to an error is sent again at once.",
        Client(backoff_ms=0.0),
    ),
    deviation(
        "names-twice",
        "FAI-052",
        "A request names its first partition twice.",
        Client(asking=_name_twice),
    ),
)
CONSUMER_VARIANTS = (
    variant(
        "few-at-a-time", "A poll returns one record at most.", Client(collecting=_few_at_a_time)
    ),
    variant(
        "sessionless",
        "Every request names all partitions, and opens no session.",
        Client(asking=_ask_without_a_session),
    ),
    variant(
        "grouped-by-partition",
        "A poll gives its records partition by partition, not in the order in which it took them.",
        Client(returning=_by_partition),
    ),
    variant(
        "fetches-again-after-a-move",
        "What was fetched of a partition whose leader has moved is discarded, and fetched again.",
        Client(moving=_fetch_again),
    ),
    variant(
        "discards-all-at-a-truncation",
        "Once a log was truncated, what was fetched of any partition is discarded.",
        Client(validating=_discard_all),
    ),
    variant(
        "asks-a-full-group-twice",
        "A client asks a full group once more before it reports the error.",
        Client(joining=2),
    ),
    variant(
        "waits-longer",
        "It waits half a second after an error.",
        Client(backoff_ms=500.0),
    ),
)
FAULTS: tuple[ClientFault, ...] = (
    *CONSUMER_FAULTS,
    *SHARE_FAULTS,
    *PRODUCER_FAULTS,
)
VARIANTS: tuple[ClientFault, ...] = (
    *CONSUMER_VARIANTS,
    *SHARE_VARIANTS,
    *PRODUCER_VARIANTS,
)
EVERY = (*FAULTS, *VARIANTS)
"""All of them."""
