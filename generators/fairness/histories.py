"""Histories of a client: a few partitions, its options, what the server does otherwise, and what
the application does, until everything was read.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.fairness.backlogs import is_plain
from generators.fairness.full_groups import or_full_group
from generators.fairness.producers import producer_histories
from generators.fairness.shares import share_histories
from generators.numbers import below
from generators.weighted import several, weighted
from spec.fairness.steps import (
    AskPosition,
    AssignPartitions,
    ClientKind,
    CloseClient,
    CommitPositions,
    CutResponse,
    Damage,
    DamageBatch,
    FailPartition,
    FailSessions,
    GiveOtherwise,
    MoveLeader,
    PausePartitions,
    Poll,
    ResponseVariant,
    ResumePartitions,
    SeekTo,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.kafka import READ_COMMITTED, READ_UNCOMMITTED, Error
from spec.layout import Batch, Entry, Layout, Marker, Partition
from spec.log import log_of
from spec.scenario import Scenario
from spec.steps import Append, DeleteRecords, Step

POLL = Poll(60)
"""Long enough where a response is on its way."""
LAST_POLL = Poll(520)
"""Long enough to say something where it returns nothing."""
BATCHES = (Batch(200, 3), Batch(400, 5), Batch(1151, 10), Batch(100), Batch(100))
LIMIT = 400
"""Bytes that some batches fit in, and some do not."""
LONG_MS = 8000
"""Long enough to say something of a client that asks nobody."""
LAST_POLLS = 3
"""Polls after everything is read."""
MOST_POLLS = 24

_partitions = several(1, 4, 65)
_entries = several(1, 4, 60)
_batches = below(len(BATCHES)).map(lambda number: BATCHES[number])
_transactions = weighted((None, 6), (False, 2), (True, 2))
_most = weighted((2, 4), (5, 4), (1, 2), (10, 2), (None, 2))
_fetch_max = weighted((None, 5), (LIMIT, 2))
_partition_max = weighted((None, 3), (LIMIT, 3), (1200, 1))
_small = weighted((None, 5), (1, 1), (2, 1))
_waits = weighted((None, 4), (100, 2))
_isolations = weighted((READ_UNCOMMITTED, 3), (READ_COMMITTED, 2))
_checks = weighted((True, 5), (None, 1), (False, 1))
_subscribes = weighted((False, 4), (True, 1))
_scripts = weighted(
    ("none", 6), ("damage", 3), ("fail", 3), ("give", 2), ("session", 1), ("cut", 1)
)
_damages = weighted((Damage.CRC, 3), (Damage.MAGIC, 1), (Damage.LENGTH, 1))
_responses = weighted((1, 3), (2, 1), (0, 1))
_errors = weighted(
    (Error.NOT_LEADER_OR_FOLLOWER, 3),
    (Error.OFFSET_OUT_OF_RANGE, 1),
    (Error.UNKNOWN_TOPIC_OR_PARTITION, 1),
    (Error.TOPIC_AUTHORIZATION_FAILED, 1),
    (Error.UNKNOWN_SERVER_ERROR, 1),
)
_givings = below(len(ResponseVariant)).map(lambda number: list(ResponseVariant)[number])
ASKED = (
    ("poll", 10),
    ("pause", 2),
    ("seek", 2),
    ("position", 2),
    ("commit", 2),
    ("append", 1),
    ("delete", 1),
)
_actions = weighted(*ASKED)
_staged_actions = weighted(*ASKED, ("move", 2), ("truncate", 3))
_action_count = several(0, 8, 75)
_nodes = weighted((1, 3), (0, 2))
_any = below(100)
_kinds = weighted(
    (ClientKind.CONSUMER, 6), (ClientKind.SHARE_CONSUMER, 2), (ClientKind.PRODUCER, 1)
)


@st.composite
def _partition(draw: st.DrawFn) -> Partition:
    entries: list[Entry] = []
    for number in range(draw(_entries)):
        commits = draw(_transactions)
        batch = draw(_batches)
        if commits is None:
            entries.append(batch)
        else:
            entries += [Batch(batch.size, batch.records, txn=number), Marker(number, commits)]
    return Partition((tuple(entries),))


@st.composite
def _start(draw: st.DrawFn) -> StartClient:
    return StartClient(
        max_poll_records=draw(_most),
        fetch_max_bytes=draw(_fetch_max),
        partition_max_bytes=draw(_partition_max),
        fetch_min_bytes=draw(_small),
        max_wait_ms=draw(_waits),
        isolation=draw(_isolations),
        check_crcs=draw(_checks),
    )


@st.composite
def _script(draw: st.DrawFn, partitions: tuple[Partition, ...]) -> tuple[Step, ...]:
    kind = draw(_scripts)
    partition = draw(below(len(partitions)))
    if kind == "damage":
        batches = len(log_of(partitions[partition]).batches)
        return (DamageBatch(partition, draw(below(batches)), draw(_damages), draw(_responses)),)
    if kind == "fail":
        return (FailPartition(partition, int(draw(_errors)), draw(_responses)),)
    if kind == "give":
        return (GiveOtherwise(draw(_givings), 1 + draw(below(2))),)
    if kind == "session":
        return (FailSessions(),)
    if kind == "cut":
        return (CutResponse(partition, 61 + draw(below(30))),)
    return ()


@st.composite
def _truncation(
    draw: st.DrawFn, partitions: tuple[Partition, ...], partition: int
) -> tuple[Step, ...]:
    """A log without transactions is truncated, and written to, less or more than was lost."""
    plain = [number for number, one in enumerate(partitions) if is_plain(one)]
    if not plain:
        return (POLL,)
    found = plain[partition % len(plain)]
    batches = len(partitions[found].segments[0])
    truncated = TruncateLog(found, batches - 1 - draw(below(batches)), draw(_nodes))
    written = [Append(found, draw(_batches)) for _ in range(1 + draw(below(4)))]
    return POLL, POLL, truncated, *written, Poll(LONG_MS), Poll(LONG_MS)


@st.composite
def _action(
    draw: st.DrawFn, partitions: tuple[Partition, ...], *, scripted: bool
) -> tuple[Step, ...]:
    kind = draw(_staged_actions if scripted else _actions)
    partition = draw(below(len(partitions)))
    end = log_of(partitions[partition]).end
    match kind:
        case "pause":
            paused = (partition,)
            return POLL, PausePartitions(paused), POLL, POLL, ResumePartitions(paused)
        case "seek":
            return (SeekTo(partition, draw(_any) % (end + 1)),)
        case "position":
            return (AskPosition(partition),)
        case "commit":
            return (CommitPositions(),)
        case "append":
            return (Append(partition, Batch(200, 3)),)
        case "move":
            batch, wait = Append(partition, Batch(200, 3)), Poll(LONG_MS)
            return MoveLeader(partition, draw(_nodes)), POLL, batch, wait, batch, wait
        case "truncate":
            return draw(_truncation(partitions, partition))
        case "delete":
            return (DeleteRecords(partition, draw(_any) % (end + 1)),)
    return (POLL,)


@st.composite
def _histories(draw: st.DrawFn, *, scripted: bool) -> Scenario:
    partitions = tuple([draw(_partition()) for _ in range(draw(_partitions))])
    numbers = tuple(range(len(partitions)))
    start = draw(_start())
    turned = draw(below(len(numbers)))
    first = (
        SubscribeTopics()
        if draw(_subscribes)
        else AssignPartitions(numbers[turned:] + numbers[:turned])
    )
    script = draw(_script(partitions)) if scripted else ()
    actions = [
        step
        for _ in range(draw(_action_count))
        for step in draw(_action(partitions, scripted=scripted))
    ]
    last = (*[AskPosition(number) for number in numbers], CommitPositions(), CloseClient())
    return Scenario(
        Layout(partitions),
        (
            start,
            first,
            *script,
            *actions,
            *[POLL] * _polls_to_the_end(partitions, start),
            *[LAST_POLL] * LAST_POLLS,
            *last,
        ),
        subject="fairness",
    )


def _polls_to_the_end(partitions: tuple[Partition, ...], start: StartClient) -> int:
    """Polls that read everything, within bounds."""
    records = sum(log_of(one).end for one in partitions)
    rounds = sum(len(log_of(one).batches) for one in partitions)
    by_limit = -(-records // (start.max_poll_records or records or 1))
    return min(by_limit + rounds, MOST_POLLS)


def client_histories(
    *, scripted: bool = True, every_kind: bool = False
) -> SearchStrategy[Scenario]:
    """Histories of one client; they shrink towards one partition that is read to its end.

    Args:
        scripted: whether the server may do something otherwise than a broker does.
        every_kind: whether some of them are of share consumers and of producers.
    """
    consumers = _histories(scripted=scripted)
    if scripted:
        consumers = or_full_group(consumers)
    return _of_all_kinds(consumers) if every_kind else consumers


@st.composite
def _of_all_kinds(draw: st.DrawFn, consumers: SearchStrategy[Scenario]) -> Scenario:
    match draw(_kinds):
        case ClientKind.SHARE_CONSUMER:
            return draw(share_histories())
        case ClientKind.PRODUCER:
            return draw(producer_histories())
    return draw(consumers)
