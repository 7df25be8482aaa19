"""What an application does with a client, and what the server that the client reads from does
meanwhile.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.fairness.backlogs import backlogs, is_plain
from generators.fairness.full_groups import or_full_group
from generators.numbers import below
from generators.weighted import several, weighted
from spec.fairness.steps import (
    FOR_GOOD,
    AskPosition,
    AssignPartitions,
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
from spec.layout import Batch, Layout
from spec.log import log_of
from spec.scenario import Scenario
from spec.steps import Append, Step

POLL_MS = 1000
"""How long a poll may wait: time enough for a client on a busy machine."""
MOST_POLLS = 24
SPARE_POLLS = 2
"""Polls of a history beside those that its records need."""

_max_poll_records = weighted(
    (None, 2), (1, 1), (2, 2), (3, 2), (5, 3), (7, 3), (10, 3), (30, 2), (499, 1)
)
_partition_bytes = weighted((None, 5), (1, 2), (300, 1), (700, 2), (1500, 2))
_fetch_bytes = weighted((None, 6), (1000, 2), (2000, 2), (4000, 1))
_isolations = weighted((READ_UNCOMMITTED, 2), (READ_COMMITTED, 2))
_subscribed = weighted((False, 9), (True, 1))
_orders = weighted((False, 2), (True, 1))
_meanwhile = several(0, 4, 50)
_what = weighted(
    ("give", 5),
    ("fail", 3),
    ("move", 3),
    ("truncate", 3),
    ("sessions", 2),
    ("damage", 3),
    ("cut", 2),
    ("seek", 2),
    ("pause", 2),
    ("resume", 2),
    ("position", 3),
    ("append", 2),
    ("commit", 1),
)
_givings = weighted(
    (ResponseVariant.EMPTY, 2),
    (ResponseVariant.THROTTLED, 2),
    (ResponseVariant.REVERSED, 2),
    (ResponseVariant.ONE_PARTITION, 3),
    (ResponseVariant.LATE, 1),
    (ResponseVariant.ABORTED_REVERSED, 1),
    (ResponseVariant.ABORTED_TWICE, 1),
)
_errors = weighted(
    (Error.NOT_LEADER_OR_FOLLOWER, 3),
    (Error.UNKNOWN_SERVER_ERROR, 1),
    (Error.KAFKA_STORAGE_ERROR, 1),
)
_session_errors = weighted(
    (Error.FETCH_SESSION_ID_NOT_FOUND, 1), (Error.INVALID_FETCH_SESSION_EPOCH, 1)
)
_damages = weighted((Damage.CRC, 3), (Damage.LENGTH, 2), (Damage.MAGIC, 1))
_responses = weighted((1, 4), (2, 1), (3, 1))
_written = weighted((Batch(280, 3), 2), (Batch(700, 10), 2), (Batch(160), 1))
_nodes = weighted((1, 3), (0, 2))
_stale = weighted((0, 4), (1, 1))
_lasting = weighted((1, 3), (2, 1), (FOR_GOOD, 3))
_places = below(10_000)
_closed = weighted((False, 3), (True, 1))


@st.composite
def _draw_start(draw: st.DrawFn) -> StartClient:
    return StartClient(
        max_poll_records=draw(_max_poll_records),
        partition_max_bytes=draw(_partition_bytes),
        fetch_max_bytes=draw(_fetch_bytes),
        isolation=draw(_isolations),
    )


@st.composite
def _meantime(draw: st.DrawFn, layout: Layout, *, grouped: bool) -> tuple[Step, ...]:
    """Something besides a poll."""
    partition = draw(below(len(layout.partitions)))
    what = draw(_what)
    if what == "truncate" and is_plain(layout.partitions[partition]):
        entries = len([*layout.partitions[partition].entries()])
        truncated = TruncateLog(partition, draw(below(entries)), draw(_nodes))
        written = [Append(partition, draw(_written)) for _ in range(1 + draw(below(4)))]
        return truncated, *written, Poll(POLL_MS), Poll(POLL_MS)
    return (draw(_step(layout, partition, what, grouped=grouped)),)


@st.composite
def _step(draw: st.DrawFn, layout: Layout, partition: int, what: str, *, grouped: bool) -> Step:
    match what:
        case "give":
            return GiveOtherwise(draw(_givings), draw(_responses))
        case "fail":
            return FailPartition(partition, draw(_errors), draw(_responses))
        case "move":
            return MoveLeader(partition, draw(_nodes), draw(_stale))
        case "sessions":
            return FailSessions(draw(_session_errors), draw(_responses))
        case "damage" | "cut":
            return draw(_unreadable(layout, partition, cut=what == "cut"))
        case "append" | "truncate":
            return Append(partition, Batch(280, 3))
    return draw(_draw_request(layout, partition, what, grouped=grouped))


@st.composite
def _unreadable(draw: st.DrawFn, layout: Layout, partition: int, *, cut: bool) -> Step:
    entries = list(layout.partitions[partition].entries())
    if cut or not entries:
        return CutResponse(partition, 1 + draw(_places) % 100, draw(_responses))
    return DamageBatch(partition, draw(below(len(entries))), draw(_damages), draw(_lasting))


@st.composite
def _draw_request(
    draw: st.DrawFn, layout: Layout, partition: int, what: str, *, grouped: bool
) -> Step:
    """Something that the application asks of its client."""
    if what == "seek":
        end = log_of(layout.partitions[partition]).end
        return SeekTo(partition, draw(_places) % (end + 1))
    if what == "pause":
        return PausePartitions((partition,))
    if what == "resume":
        return ResumePartitions((partition,))
    return CommitPositions() if what == "commit" and grouped else AskPosition(partition)


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    layout = draw(backlogs())
    started, subscribed = draw(_draw_start()), draw(_subscribed)
    numbers = tuple(range(len(layout.partitions)))
    first: Step = (
        SubscribeTopics()
        if subscribed
        else AssignPartitions(numbers[::-1] if draw(_orders) else numbers)
    )
    steps: list[Step] = [Poll(POLL_MS)] * _polls(layout, started)
    for _ in range(draw(_meanwhile)):
        place = draw(_places) % (len(steps) + 1)
        if subscribed:
            place = max(place, 1)
        steps[place:place] = draw(_meantime(layout, grouped=subscribed))
    if draw(_closed):
        steps.append(CloseClient())
    return Scenario(layout, (started, first, *steps))


def _polls(layout: Layout, started: StartClient) -> int:
    """How many polls it takes to read a layout, if each returns as much as it may."""
    records = sum(
        [
            entry.records
            for partition in layout.partitions
            for entry in partition.entries()
            if isinstance(entry, Batch)
        ]
    )
    most = started.max_poll_records or 500
    return min(MOST_POLLS, -(-records // most) + len(layout.partitions) + SPARE_POLLS)


def client_scripts() -> SearchStrategy[Scenario]:
    """Histories of one client; they shrink towards a few polls of three records."""
    return or_full_group(_histories())
