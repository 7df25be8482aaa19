"""What the reference answers to a fetch."""

from collections.abc import Mapping

from spec.fetch.model.read import Read
from spec.fetch.model.session import Admission, Mode, Session, admit, session_after
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.releases import AbortedExtent, FetchSemantics, StableBelowStart
from spec.fetch.steps import OWN, Fetch
from spec.fetch.turn import Served, Turn, turn_of
from spec.kafka import READ_COMMITTED, SESSIONS_SINCE, TOPIC_IDS_SINCE, Error
from spec.log import Log, bytes_of, listed_up_to
from spec.outcomes import Closed
from spec.seen_batch import SeenBatch
from spec.semantics import Semantics


def turn_of_fetch(
    fetch: Fetch,
    admission: Admission,
    semantics: Semantics,
    logs: Mapping[int, Log],
    partitions: int | None = None,
) -> Turn:
    """A fetch as the reference takes and reads it; see `turn_of`."""
    return turn_of(fetch, admission, semantics, logs, Closed(), 0.0, partitions)


def answer_fetch(
    fetch: Fetch,
    logs: Mapping[int, Log],
    own: Session | None,
    semantics: Semantics,
    partitions: int | None = None,
) -> tuple[FetchAnswer, Session | None, float]:
    """The reference's answer, the session after it, and the milliseconds it is held back where
    nothing else happens.

    Args:
        fetch: the request.
        logs: the log of each partition that it or the session names, as far as there is one.
        own: the session that it goes by, if any.
        semantics: the decisions in force.
        partitions: how many partitions there are, where `logs` holds only some; see `turn_of`.
    """
    admission = admit(fetch, own)
    hook = semantics.of(FetchSemantics).hook
    if hook is not None and (error := hook.refuses(fetch, admission)):
        return FetchAnswer(error), own, 0.0
    if admission.mode is Mode.REFUSED:
        if admission.error == Error.UNKNOWN_SERVER_ERROR:
            return _error_answer(fetch, -1), own, 0.0
        return FetchAnswer(admission.error), own, 0.0
    turn = turn_of_fetch(fetch, admission, semantics, logs, partitions)
    if fetch.isolation not in {0, READ_COMMITTED} and any(
        served.log is not None for served in turn.served
    ):
        answer = _error_answer(fetch, 1 if admission.mode is Mode.INCREMENTAL else 0)
        followed = session_after(admission, fetch, answer.session, ())
        return answer, followed if fetch.session == OWN or not fetch.epoch else own, 0.0
    answered = tuple([_part(turn, served) for served in turn.served if served.log is not None])
    answered += tuple([_part(turn, served) for served in turn.served if served.log is None])
    if admission.mode is Mode.INCREMENTAL:
        answered = tuple([got for got in answered if _is_included(admission, got)])
    session = (
        {Mode.FULL: 2, Mode.INCREMENTAL: 1}.get(admission.mode, 0)
        if fetch.version >= SESSIONS_SINCE
        else 0
    )
    answer = FetchAnswer(0, session, answered)
    followed = session_after(admission, fetch, session, answered)
    return (
        answer,
        followed if fetch.session == OWN or not fetch.epoch else own,
        float(fetch.max_wait_ms) if turn.held_back else 0.0,
    )


def _error_answer(fetch: Fetch, session: int) -> FetchAnswer:
    """The answer to a request that Apache Kafka throws on: the error at the top (v7+), and before
    topic ids also in each partition that it names.

    Source: FetchRequest.java, getErrorResponse, of Kafka 4.3.1.
    """
    error = Error.UNKNOWN_SERVER_ERROR
    named = fetch.partitions if fetch.version < TOPIC_IDS_SINCE else ()
    return FetchAnswer(
        error if fetch.version >= SESSIONS_SINCE else 0,
        session if fetch.version >= SESSIONS_SINCE else 0,
        tuple([PartitionAnswer(part.partition, error, aborted=()) for part in named]),
    )


def _part(turn: Turn, served: Served) -> PartitionAnswer:
    number, log = served.ask.partition, served.log
    read = turn.reads.get(number, Read())
    error = served.fault or read.error
    if log is None:
        return PartitionAnswer(number, error, aborted=())
    if error:
        return PartitionAnswer(number, error)
    whole = log.batches[read.first : read.first + read.whole] if read.first >= 0 else ()
    aborted = None
    if turn.fetch.isolation == READ_COMMITTED and not read.cut_first:
        stop = (
            listed_up_to(log, read.first, read.size)
            if read.first >= 0 and turn.semantics.aborted_extent is AbortedExtent.INDEXED
            else (whole[-1].last + 1 if whole else 0)
        )
        aborted = tuple(
            [
                (t.txn, t.first)
                for t in log.aborted
                if read.first >= 0 and t.last >= served.ask.offset and t.first < stop
            ]
        )
    return PartitionAnswer(
        partition=number,
        high_watermark=log.end,
        last_stable_offset=_reported_stable_offset(log, turn.semantics),
        log_start_offset=log.start if turn.fetch.version >= 5 else None,
        aborted=aborted,
        batches=tuple(
            [SeenBatch(batch.base, batch.last, batch.size, batch.records) for batch in whole]
        ),
        tail=read.size - bytes_of(whole),
    )


def _reported_stable_offset(log: Log, semantics: FetchSemantics) -> int:
    """The last stable offset as Apache Kafka reports it: see `StableBelowStart`."""
    if semantics.stable_below_start is StableBelowStart.LOG_START or log.undecided >= log.start:
        return log.stable
    stored = (
        log.batches[log.batch_number(log.start)]
        if log.batch_number(log.start) < len(log.batches)
        else None
    )
    return min(stored.base, log.stable) if stored is not None else log.stable


def _is_included(admission: Admission, got: PartitionAnswer) -> bool:
    before = admission.before
    cached = (
        next((c for c in before.cached if c.ask.partition == got.partition), None)
        if before
        else None
    )
    changed = cached is None or (cached.high_watermark, cached.log_start) != (
        got.high_watermark,
        got.log_start_offset,
    )
    return bool(got.size or got.error) or changed
