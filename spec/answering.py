"""The model's own observation of a scenario: what the reference would answer to each step, in the terms of an observation.

It makes the catalogue's worked examples, is what the served model will answer, and stands in for a broker in tests of the judge.
"""

from collections.abc import Mapping

from spec.fetch.reference import Read
from spec.fetch.session import Admission, Mode, Session, admit, after
from spec.fetch.turn import Served, Turn, turn_of
from spec.kafka import READ_COMMITTED, SESSIONS_SINCE, Error
from spec.log import Log, bytes_of, log_of
from spec.observation import AppendAnswer, Closed, Exchange, FetchAnswer, Observation, PartitionAnswer
from spec.scenario import Append, DeleteRecords, Fetch, Scenario
from spec.seen import SeenBatch
from spec.semantics import AbortedExtent, Semantics
from spec.share.answering import answer_all as answer_shares


def answer_all(scenario: Scenario, semantics: Semantics) -> Observation:
    """What the reference answers to a scenario whose steps come one after the other."""
    if scenario.subject == "share":
        return answer_shares(scenario, semantics)
    return _played(scenario, semantics)[0]


def turns_of(scenario: Scenario, semantics: Semantics) -> tuple[tuple[int, Turn], ...]:
    """Each fetch of a scenario by its step's number, as the reference takes and reads it."""
    return _played(scenario, semantics)[1]


def _played(scenario: Scenario, semantics: Semantics) -> tuple[Observation, tuple[tuple[int, Turn], ...]]:
    logs = {number: log_of(partition) for number, partition in enumerate(scenario.layout.partitions)}
    session: Session | None = None
    exchanges: list[Exchange] = []
    turns: list[tuple[int, Turn]] = []
    clock = 0.0
    for number, step in enumerate(scenario.steps):
        if isinstance(step, Fetch):
            if not semantics.oldest_fetch <= step.version <= semantics.newest_fetch:
                exchanges.append(Exchange(number, Closed("unsupported version"), clock, clock))
                break
            turns.append((number, _taken(step, admit(step, session), semantics, logs)))
            answer, session, waited = answer_fetch(step, logs, session, semantics)
            exchanges.append(Exchange(number, answer, clock, clock + waited))
            clock += waited
            continue
        if isinstance(step, Append | DeleteRecords):
            log = logs[step.partition]
            logs[step.partition] = log.appended(step.batch) if isinstance(step, Append) else log.deleted_to(step.offset)
            offset = log.end if isinstance(step, Append) else logs[step.partition].start
            exchanges.append(Exchange(number, AppendAnswer(0, offset), clock, clock))
    return Observation(tuple(exchanges)), tuple(turns)


def _taken(fetch: Fetch, admission: Admission, semantics: Semantics, logs: Mapping[int, Log]) -> Turn:
    return turn_of(fetch, admission, semantics, logs, Closed(), 0.0)


def answer_fetch(
    fetch: Fetch, logs: Mapping[int, Log], own: Session | None, semantics: Semantics
) -> tuple[FetchAnswer, Session | None, float]:
    """The reference's answer, the session after it, and the milliseconds it is held back where nothing else happens."""
    admission = admit(fetch, own)
    if admission.mode is Mode.REFUSED:
        session = -1 if admission.error == Error.UNKNOWN_SERVER_ERROR else 0
        return FetchAnswer(admission.error, session), own, 0.0
    turn = _taken(fetch, admission, semantics, logs)
    answered = tuple([_part(turn, served) for served in turn.served if served.log is not None])
    answered += tuple([_part(turn, served) for served in turn.served if served.log is None])
    if admission.mode is Mode.INCREMENTAL:
        answered = tuple([got for got in answered if _told(admission, got)])
    error = Error.UNKNOWN_SERVER_ERROR if fetch.isolation not in {0, 1} else 0
    session = {Mode.FULL: 2, Mode.INCREMENTAL: 1}.get(admission.mode, 0) if fetch.version >= SESSIONS_SINCE and not error else 0
    answer = FetchAnswer(error if fetch.version >= SESSIONS_SINCE else 0, session, answered)
    followed = after(admission, fetch, session, answered)
    return (
        answer,
        followed if fetch.session == "own" or not fetch.epoch else own,
        float(fetch.max_wait_ms) if turn.held_back else 0.0,
    )


def _part(turn: Turn, served: Served) -> PartitionAnswer:
    number, log = served.ask.partition, served.log
    read = turn.reads.get(number, Read())
    error = served.fault or read.error
    if error or log is None:
        return PartitionAnswer(number, error)
    whole = log.batches[read.first : read.first + read.whole] if read.first >= 0 else ()
    aborted = None
    if turn.fetch.isolation == READ_COMMITTED:
        stop = log.end if turn.semantics.aborted_extent is AbortedExtent.INDEXED else (whole[-1].last + 1 if whole else 0)
        aborted = tuple([(t.txn, t.first) for t in log.aborted if read.size and t.last >= served.ask.offset and t.first < stop])
    return PartitionAnswer(
        partition=number,
        high_watermark=log.end,
        last_stable_offset=log.stable,
        log_start_offset=log.start if turn.fetch.version >= 5 else None,
        aborted=aborted,
        batches=tuple([SeenBatch(batch.base, batch.last, batch.size, batch.records) for batch in whole]),
        tail=read.size - bytes_of(whole),
    )


def _told(admission: Admission, got: PartitionAnswer) -> bool:
    before = admission.before
    cached = next((c for c in before.cached if c.ask.partition == got.partition), None) if before else None
    changed = cached is None or (cached.high_watermark, cached.log_start) != (got.high_watermark, got.log_start_offset)
    return bool(got.size or got.error) or changed
