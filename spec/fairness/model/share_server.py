"""The server that a share consumer reads from: one broker, a share group of one member, and what
the model of share groups acquires for it.
"""

from collections.abc import Mapping, Sequence

from spec.fairness.outcomes import Acknowledged, FetchedBatch, FetchedPart
from spec.frozen import frozen, replace
from spec.log import Log
from spec.semantics import Semantics
from spec.share.model.acknowledge import acknowledge
from spec.share.model.acquire import AcquireRequest, Acquisition
from spec.share.model.fetching import Rules, acquire_from, serving_order, share_of_bytes
from spec.share.model.partition import ShareState, empty_state, expire, settle
from spec.share.model.records import Lock
from spec.share.model.settings import settings_of
from spec.share.releases import ShareSemantics
from spec.share.steps import AcknowledgementBatch

MEMBER = 0


@frozen
class ShareRequest:
    """A ShareFetch, or a ShareAcknowledge.

    Attributes:
        acknowledged: what it acknowledges.
        max_records, max_bytes, min_bytes, max_wait_ms: as they are sent; max_records is None in a
            ShareAcknowledge.
        mode: 0 batch_optimized, 1 record_limit.
        epoch: of the share session.
    """

    acknowledged: tuple[Acknowledged, ...] = ()
    max_records: int | None = None
    max_bytes: int = 0
    min_bytes: int = 0
    max_wait_ms: int = 0
    mode: int = 0
    epoch: int = 0


@frozen
class ShareServer:
    """The server at one moment.

    Attributes:
        logs: by partition.
        states: the share partitions, by number.
        isolation: the group's `share.isolation.level`.
        locks: those that were given and have not run out.
    """

    logs: Mapping[int, Log]
    states: Mapping[int, ShareState]
    isolation: int = 0
    locks: tuple[Lock, ...] = ()


def share_server(logs: Mapping[int, Log], isolation: int) -> ShareServer:
    """A server whose group reads from the beginning of each partition."""
    states = {number: empty_state(log.start) for number, log in logs.items()}
    return ShareServer(dict(logs), states, isolation)


def serve(
    server: ShareServer, request: ShareRequest, semantics: Semantics, now: float
) -> tuple[ShareServer, tuple[FetchedPart, ...]]:
    """Answer a request, so many ms after the start; the server afterwards, and the parts of the
    response.
    """
    group = {"share.isolation.level": "read_committed"} if server.isolation else {}
    settings = settings_of(semantics.of(ShareSemantics), {}, group)
    lock = Lock(MEMBER, now + settings.lock_duration_ms, now + settings.lock_duration_ms)
    rules = Rules(semantics, settings, lock)
    server = _without_expired(server, settings.delivery_count_limit, now)
    states, errors = dict(server.states), dict[int, int]()
    for partition in {one.partition for one in request.acknowledged}:
        done = acknowledge(states[partition], lock, _batches(request, partition), settings)
        states[partition], errors[partition] = settle(done.state), done.error
    if request.max_records is None:
        parts = [
            FetchedPart(number, error, refused=error) for number, error in sorted(errors.items())
        ]
        return replace(server, states=states), tuple(parts)
    found: list[FetchedPart] = []
    taking = AcquireRequest(request.max_records, request.max_records, request.mode, lock)
    order = serving_order(tuple(states), request.epoch, len(states))
    share = share_of_bytes(request.max_bytes, len(order))
    for number in order:
        log = server.logs[number]
        got = acquire_from(states[number], log, taking, share, rules)
        states[number] = got.state
        left = max(0, taking.max_records - sum([one.last - one.first + 1 for one in got.ranges]))
        taking = replace(taking, max_records=left)
        if got.ranges or number in errors:
            refused = errors.get(number, 0)
            found.append(FetchedPart(number, 0, _read(got, log), got.ranges, refused))
    return replace(server, states=states, locks=(*server.locks, lock)), tuple(found)


def end_locks(server: ShareServer, semantics: Semantics) -> ShareServer:
    """The server after every lock ended."""
    limit = settings_of(semantics.of(ShareSemantics), {}, {}).delivery_count_limit
    ends = max([one.to_ms for one in server.locks], default=0.0)
    return _without_expired(server, limit, ends)


def _without_expired(server: ShareServer, limit: int, now: float) -> ShareServer:
    """The server after the locks that ran out until now."""
    states = dict(server.states)
    for lock in server.locks:
        if lock.to_ms <= now:
            states = {number: expire(state, lock, limit) for number, state in states.items()}
    return replace(
        server, states=states, locks=tuple([one for one in server.locks if one.to_ms > now])
    )


def _batches(request: ShareRequest, partition: int) -> Sequence[AcknowledgementBatch]:
    return [
        AcknowledgementBatch(one.first, one.last, one.types)
        for one in request.acknowledged
        if one.partition == partition
    ]


def _read(got: Acquisition, log: Log) -> tuple[FetchedBatch, ...]:
    """The batches that a response holds."""
    return tuple(
        [
            FetchedBatch(
                batch.base,
                batch.last,
                log.batches[log.batch_number(batch.base)].control,
                size=batch.size,
            )
            for batch in got.read
        ]
    )
