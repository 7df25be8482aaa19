"""Every timer and every cached parameter of the models, and what shows that a broker keeps it.

A timer has two sides, before its end and after it, for each way that begins, prolongs or
ends it, at two settings. A parameter that a broker remembers is raised and lowered, with data
between both values. A request is repeated while its first one still waits. Each cell names the
planted fault that a run finds there, the clause that decides it without a fault of its own, or the
reason why neither is there.

`test_timers` holds the table against the models, the clauses and the faults.
Run `python -m tests.conformance.subjects.timers > docs/timers.md` after a change.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Caught:
    """A planted fault that a run finds."""

    fault: str

    def __str__(self) -> str:
        """Its name."""
        return f"`{self.fault}`"


@dataclass(frozen=True, slots=True)
class Decided:
    """A clause that decides it."""

    clause: str

    def __str__(self) -> str:
        """Its id."""
        return self.clause


@dataclass(frozen=True, slots=True)
class Open:
    """No fault is planted, for this reason."""

    reason: str

    def __str__(self) -> str:
        """The reason."""
        return self.reason


Cell = Caught | Decided | Open


@dataclass(frozen=True, slots=True)
class Way:
    """A way that begins, prolongs or ends a timer.

    Attributes:
        name: what happens.
        holds: what shows that the timer holds before its end, or is prolonged.
        over: what shows that it is over after its end, or that this ends it.
    """

    name: str
    holds: Cell
    over: Cell


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer of a subject.

    Attributes:
        subject: which one.
        name: Kafka's word for its length.
        fields: the fields of the model that hold it, as `module:Class.field`.
        settings: what gives its two settings, as `module:NAME`; or why there is only one.
        ways: see `Way`.
    """

    subject: str
    name: str
    fields: tuple[str, ...]
    settings: str | Open
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Cached:
    """A parameter that a broker remembers.

    Attributes:
        subject, name, fields: as of a `Timer`.
        raised, lowered: what shows that a higher and a lower value, or one more and one fewer, are
            taken.
    """

    subject: str
    name: str
    fields: tuple[str, ...]
    raised: Cell
    lowered: Cell


@dataclass(frozen=True, slots=True)
class Repeated:
    """A request that may wait, sent again while its first one does."""

    subject: str
    name: str
    cell: Cell


SLOW = Open("no document says how soon a broker notices")
NEVER = Open("nothing bounds how late it may be, so that one that never ends is not distinguished")
MEMORY = Open("a broker that restarts or loses the connection has no memory of it")
EARLY = Open("an answer may come empty at any time before (`share-wait-ends-early` is legal)")
LOADING = Open("when a restarted broker has loaded a group is not observed")
HARMLESS = Open("what it begins is a wait of the judge, not of the broker")
AT_ONCE = Open("the request is answered at once: nothing waits on one replica")
CLOCK = Open("a bound on the broker's clock, not a timer: no moment ends it")

TIMERS = (
    Timer(
        "share",
        "record lock duration",
        (
            "spec.share.model.records:Lock.from_ms",
            "spec.share.model.records:Lock.to_ms",
            "spec.share.model.records:Record.unlocked_ms",
        ),
        "generators.share.histories:LOCKS_MS",
        (
            Way("acquired", Caught("lock-ends-early"), Caught("lock-never-ends")),
            Way(
                "acquired, one record",
                Caught("lock-of-one-record-ends-early"),
                Caught("lock-of-one-record-never-ends"),
            ),
            Way(
                "acquired, a long batch",
                Caught("lock-of-a-long-batch-ends-early"),
                Caught("lock-of-a-long-batch-never-ends"),
            ),
            Way(
                "acquired by a fetch that waited",
                Caught("lock-begins-with-the-wait"),
                Caught("lock-never-ends"),
            ),
            Way(
                "acquired again",
                Caught("second-lock-ends-early"),
                Caught("second-lock-never-ends"),
            ),
            Way("renewed", Caught("renewal-prolongs-nothing"), Caught("renewed-lock-never-ends")),
            Way(
                "renewed in part",
                Caught("renewal-of-a-part-prolongs-nothing"),
                Caught("renewed-lock-never-ends"),
            ),
            Way(
                "a part acknowledged",
                Caught("lock-ends-early"),
                Caught("lock-of-the-rest-never-ends"),
            ),
            Way(
                "released, acquired by another",
                Caught("released-lock-ends-the-next"),
                Caught("released-is-lost"),
            ),
            Way(
                "session closed, acquired again",
                Caught("closed-lock-ends-the-next"),
                Decided("SHR-025"),
            ),
            Way("accepted", Caught("lock-outlives-acceptance"), Caught("accepted-comes-again")),
            Way("connection lost, broker restarted", MEMORY, Decided("SHR-155")),
            Way(
                "ran out",
                Caught("lock-that-ends-is-not-counted"),
                Caught("lock-that-ends-archives"),
            ),
            Way("ran out for the last time", SLOW, Caught("lock-that-ends-knows-no-limit")),
        ),
    ),
    Timer(
        "share",
        "MaxWaitMs",
        ("spec.share.model.state:Parked.until_ms",),
        "generators.share.actions:WAITS_MS",
        (
            Way("nothing comes", EARLY, Caught("share-wait-never-ends")),
            Way("records come", EARLY, Caught("records-wake-no-share-fetch")),
            Way("a lock runs out", EARLY, Caught("lock-end-wakes-no-share-fetch")),
            Way("the start offset moves", EARLY, Decided("SHR-144")),
            Way("records are released", EARLY, Open("a broker need not look again (SHR-144)")),
        ),
    ),
    Timer(
        "share",
        "closing of a session",
        (
            "spec.share.model.state:Closing.to_ms",
            "spec.share.model.state:PartitionState.tried_ms",
        ),
        HARMLESS,
        (Way("closed", Decided("SHR-008"), Decided("SHR-025")),),
    ),
    Timer(
        "groups",
        "session timeout",
        ("spec.groups.model.group:Member.seen",),
        "generators.groups.constants:SESSIONS_MS",
        (
            Way("joined", Caught("session-ends-early"), Caught("session-never-ends")),
            Way("Heartbeat", Caught("heartbeat-prolongs-nothing"), Caught("session-never-ends")),
            Way("SyncGroup", Caught("sync-prolongs-nothing"), Caught("session-never-ends")),
            Way("JoinGroup", Caught("join-prolongs-nothing"), Caught("session-never-ends")),
            Way("SyncGroup in a Stable group", Decided("GRP-151"), Caught("session-never-ends")),
            Way("LeaveGroup", Decided("GRP-150"), Caught("leave-not-counted")),
            Way("broker restarted", LOADING, Caught("loaded-session-never-ends")),
            Way("a request waits", Decided("GRP-103"), SLOW),
        ),
    ),
    Timer(
        "groups",
        "session timeout of an id that was given out",
        (
            "spec.groups.model.group:Pending.since",
            "spec.groups.model.group:Pending.session_ms",
        ),
        "generators.groups.constants:SESSIONS_MS",
        (Way("given out", Decided("GRP-150"), NEVER),),
    ),
    Timer(
        "groups",
        "rebalance timeout",
        ("spec.groups.model.group:Group.join_due", "spec.groups.model.group:Group.sync_due"),
        "generators.groups.constants:REBALANCES_MS",
        (
            Way("a join phase begins", Caught("join-phase-ends-early"), NEVER),
            Way("members differ in it", Caught("join-phase-by-the-shortest"), NEVER),
            Way("all members come", Caught("refusal-cuts-join-phase-short"), Decided("GRP-155")),
            Way("a generation waits for SyncGroups", Caught("sync-phase-ends-early"), NEVER),
            Way("of members that differ", Caught("sync-phase-by-the-shortest"), NEVER),
        ),
    ),
    Timer(
        "groups",
        "group.initial.rebalance.delay.ms",
        ("spec.groups.model.group:Group.delay_left",),
        Open("a broker's config: each setting takes a restart"),
        (
            Way("the first member comes", Caught("one-fewer-in-the-initial-delay"), NEVER),
            Way("another one comes", Decided("GRP-155"), NEVER),
        ),
    ),
    Timer(
        "groups",
        "session and rebalance timeout of consumer, share and streams members",
        (),
        Open("45 s at least on an unchanged broker"),
        (Way("heartbeat", Decided("GRP-157"), Open("no history waits for so long")),),
    ),
    Timer(
        "fetch",
        "max_wait_ms",
        ("spec.fetch.model.machine:DelayedFetch.deadline",),
        "generators.fetch.frame_questions:SHORT_MS",
        (
            Way("nothing comes", Caught("never-waits"), Decided("FET-014")),
            Way(
                "min_bytes can be read", Caught("min-bytes-one-less"), Caught("min-bytes-one-more")
            ),
            Way(
                "a first batch past its limit",
                Caught("first-batch-counts-up-to-its-limit"),
                Decided("FET-114"),
            ),
            Way(
                "data that is not stable", Caught("unstable-data-ends-the-wait"), Decided("FET-055")
            ),
            Way(
                "an older segment",
                Caught("last-record-waited-out"),
                Caught("older-segment-waited-out"),
            ),
            Way(
                "an unknown partition",
                Decided("FET-008"),
                Caught("unknown-partition-ends-the-wait"),
            ),
        ),
    ),
    Timer(
        "fetch",
        "min.incremental.fetch.session.eviction.ms",
        (),
        Open("a constant of two minutes"),
        (Way("a session is not used", Decided("FET-037"), Open("no history waits for so long")),),
    ),
    Timer(
        "segments",
        "segment.ms",
        (
            "spec.replica:Replica.began",
            "spec.replica:WriteLimits.segment_ms",
            "spec.offsets.timeline:Timeline.began",
            "spec.segments.settings:SegmentSettings.segment_ms",
        ),
        Open("the times are those of the records: no clock runs"),
        (
            Way(
                "a record is later than the first",
                Caught("segment-time-itself-is-too-late"),
                Caught("segment-time-ignored"),
            ),
            Way("a record is earlier", Caught("earlier-begins-a-segment"), Decided("SEG-003")),
        ),
    ),
    Timer(
        "segments",
        "retention.ms",
        ("spec.segments.settings:SegmentSettings.retention_ms",),
        Open("a broker looks every few minutes"),
        (Way("a segment is old", Open("no scenario deletes by time"), SLOW),),
    ),
    Timer(
        "produce",
        "message.timestamp.before.max.ms and message.timestamp.after.max.ms",
        (
            "spec.produce.topic:TopicSettings.after_max_ms",
            "spec.produce.topic:TopicSettings.before_max_ms",
        ),
        CLOCK,
        (
            Way("a record is too old", Caught("no-limit-behind"), Decided("PRO-132")),
            Way("a record is ahead", Caught("no-limit-ahead"), Decided("PRO-030")),
        ),
    ),
)

FIXED = Open("fixed when the broker starts: IncrementalAlterConfigs refuses it (GRP-019)")
NEVER_LATE = Open(
    "nothing bounds how late a phase may end (`lowered-rebalance-timeout-not-taken` is legal)"
)

CACHES = (
    Cached(
        "replication",
        "leader and leader epoch of a partition",
        (),
        Caught("names-an-older-epoch"),
        Open("a leader epoch never falls"),
    ),
    Cached(
        "replication",
        "first offsets of the leader epochs of before",
        (),
        Caught("epochs-end-at-the-end"),
        Open("no epoch of records that were acknowledged is taken back"),
    ),
    Cached(
        "fetch",
        "limits of a session's partitions",
        ("spec.fetch.model.session:Cached.ask",),
        Caught("session-keeps-no-higher-limits"),
        Caught("session-keeps-no-lower-limits"),
    ),
    Cached(
        "fetch",
        "fetch offsets of a session's partitions",
        (),
        Caught("session-keeps-no-later-offsets"),
        Caught("session-keeps-no-earlier-offsets"),
    ),
    Cached(
        "fetch",
        "leader epochs of a session's partitions",
        (),
        Caught("session-keeps-no-leader-epochs"),
        Caught("session-keeps-no-leader-epochs"),
    ),
    Cached(
        "fetch",
        "offsets that were reported",
        (
            "spec.fetch.model.session:Cached.high_watermark",
            "spec.fetch.model.session:Cached.log_start",
        ),
        Caught("session-hides-moved-offsets"),
        Open("an offset that was reported does not move back"),
    ),
    Cached(
        "fetch",
        "partitions of a session",
        ("spec.fetch.model.session:Session.cached",),
        Caught("session-hides-new-partitions"),
        Caught("session-forgets-nothing"),
    ),
    Cached(
        "fetch",
        "epoch of a session",
        ("spec.fetch.model.session:Session.epoch",),
        Caught("session-epoch-stands-still"),
        Caught("session-epoch-not-checked"),
    ),
    Cached(
        "fetch",
        "names or ids",
        ("spec.fetch.model.session:Session.by_id",),
        Caught("session-mixes-names-and-ids"),
        Caught("session-mixes-names-and-ids"),
    ),
    Cached(
        "share",
        "epoch of a session",
        ("spec.share.model.session:ShareSession.epoch",),
        Caught("epoch-stands-still"),
        Caught("session-errors-swapped"),
    ),
    Cached(
        "share",
        "partitions of a session",
        ("spec.share.model.session:ShareSession.partitions",),
        Caught("share-session-keeps-no-added-partitions"),
        Caught("share-session-forgets-nothing"),
    ),
    Cached(
        "share",
        "share.delivery.count.limit",
        ("spec.share.model.settings:Settings.delivery_count_limit",),
        Caught("raised-delivery-limit-not-taken"),
        Caught("lowered-delivery-limit-not-taken"),
    ),
    Cached(
        "share",
        "share.partition.max.record.locks",
        ("spec.share.model.settings:Settings.max_record_locks",),
        Caught("raised-lock-limit-not-taken"),
        Caught("lowered-lock-limit-not-taken"),
    ),
    Cached(
        "share",
        "share.record.lock.duration.ms",
        ("spec.share.model.settings:Settings.lock_duration_ms",),
        Caught("raised-lock-duration-not-taken"),
        Caught("lowered-lock-duration-not-taken"),
    ),
    Cached(
        "share",
        "share.renew.acknowledge.enable",
        ("spec.share.model.settings:Settings.renew",),
        Caught("renewing-stays-forbidden"),
        Caught("renewing-stays-allowed"),
    ),
    Cached(
        "share",
        "share.isolation.level",
        ("spec.share.model.settings:Settings.isolation",),
        Caught("aborted-records-stay-filtered"),
        Caught("aborted-records-stay-unfiltered"),
    ),
    Cached(
        "share",
        "share.auto.offset.reset",
        ("spec.share.model.settings:Settings.reset",),
        Open("read once, when a share partition without a start offset is loaded (SHR-420)"),
        Open("read once, when a share partition without a start offset is loaded (SHR-420)"),
    ),
    Cached(
        "groups",
        "session timeout of a member",
        ("spec.groups.model.group:Member.session_ms",),
        Caught("raised-session-timeout-not-taken"),
        Caught("lowered-session-timeout-not-taken"),
    ),
    Cached(
        "groups",
        "rebalance timeout of a member",
        ("spec.groups.model.group:Member.rebalance_ms",),
        Caught("raised-rebalance-timeout-not-taken"),
        NEVER_LATE,
    ),
    Cached(
        "groups",
        "group.max.size, group.consumer.max.size, group.share.max.size, group.streams.max.size",
        (
            "spec.groups.releases:Limits.classic",
            "spec.groups.releases:Limits.consumer",
            "spec.groups.releases:Limits.share",
            "spec.groups.releases:Limits.streams",
        ),
        FIXED,
        FIXED,
    ),
    Cached(
        "groups",
        "group.initial.rebalance.delay.ms",
        ("spec.groups.releases:Limits.initial_delay_ms",),
        FIXED,
        FIXED,
    ),
    Cached(
        "produce",
        "epoch and sequence of a producer",
        ("spec.replica:ProducerState.epoch", "spec.replica:ProducerState.batches"),
        Caught("gap-accepted"),
        Caught("older-epoch-accepted"),
    ),
    Cached(
        "produce",
        "configs of a topic",
        (),
        Caught("raised-message-size-not-taken"),
        Caught("lowered-message-size-not-taken"),
    ),
    Cached(
        "offsets",
        "committed offset and metadata",
        (),
        Caught("metadata-forgotten"),
        Caught("nothing-committed-is-zero"),
    ),
)

REPEATS = (
    Repeated("fetch", "Fetch", Caught("session-moves-with-the-answer")),
    Repeated("share", "ShareFetch", Caught("share-session-moves-with-the-answer")),
    Repeated("share", "ShareAcknowledge", AT_ONCE),
    Repeated("groups", "JoinGroup", Caught("waiting-refused")),
    Repeated("groups", "SyncGroup", Decided("GRP-103")),
    Repeated("groups", "Heartbeat, LeaveGroup, heartbeats of the new protocols", AT_ONCE),
    Repeated("produce", "Produce", Caught("repetition-stored")),
    Repeated("offsets", "ListOffsets, OffsetCommit, OffsetFetch, DeleteRecords", AT_ONCE),
    Repeated("segments", "Produce, Fetch", AT_ONCE),
    Repeated("limits", "CreateTopics, CreatePartitions", AT_ONCE),
)

NO_TIMERS = {
    "spec.groups.model.assigned:HeartbeatRequest.session_ms": "carried by a request",
    "spec.groups.model.classic:ReceivedJoin.rebalance_ms": "carried by a request",
    "spec.groups.model.classic:ReceivedJoin.session_ms": "carried by a request",
    "spec.groups.model.group:Member.awaiting": "the number of a request",
    "spec.groups.model.state:ObservedHistory.delay_ms": "how slow the machine was",
    "spec.fetch.model.session:Cached.unseen": "what the judge does not know",
    "spec.fetch.model.session:Session.unserved": "what the judge counts",
    "spec.fetch.model.session:Session.extra": "the fields of a draft",
    "spec.produce.model.coordinator:InitProducerRequest.timeout_ms": "carried by a request",
    "spec.share.model.session:ShareSession.doubtful": "what the judge does not know",
    "spec.share.model.session:ShareSession.announced": "follows from the partitions",
}
"""Fields that look like those of a timer or a cached parameter and are none, each with what it is.
"""
OF_CLIENTS = {
    "max.poll.interval.ms": "a client leaves its group by itself; no broker knows it",
    "heartbeat.interval.ms": "a client's; brokers propose one to consumer and share members",
    "request.timeout.ms, delivery.timeout.ms": "a client's; no broker knows them",
    "producer.id.expiration.ms, transaction.timeout.ms": "no scenario waits a minute or more",
    "offsets.retention.minutes": "a minute at least, and looked at every ten",
}
"""Timers that no model has, each with the reason."""


def cells() -> Iterator[tuple[str, str, Cell]]:
    """(subject, place, cell) of all that the table has."""
    for timer in TIMERS:
        for way in timer.ways:
            yield timer.subject, f"{timer.name}, {way.name}, holds", way.holds
            yield timer.subject, f"{timer.name}, {way.name}, over", way.over
    for cached in CACHES:
        yield cached.subject, f"{cached.name}, raised", cached.raised
        yield cached.subject, f"{cached.name}, lowered", cached.lowered
    for repeated in REPEATS:
        yield repeated.subject, f"{repeated.name}, repeated", repeated.cell


def page() -> Iterator[str]:
    """The lines of the published table."""
    yield "# Timers and remembered parameters"
    yield ""
    yield (
        "What shows that a broker keeps each timer and takes each change of what it remembers: a "
        "planted fault that a run finds, a clause, or why there is neither. This page is made from "
        "`tests/conformance/subjects/timers.py`."
    )
    yield ""
    yield "## Timers"
    yield ""
    about = "subject | timer | settings | what begins, prolongs or ends it"
    yield f"| {about} | holds before | over after |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for timer in TIMERS:
        settings = timer.settings if isinstance(timer.settings, Open) else "two"
        for way in timer.ways:
            yield (
                f"| {timer.subject} | {timer.name} | {settings} | {way.name} | {way.holds} "
                f"| {way.over} |"
            )
    yield ""
    yield "## Remembered parameters"
    yield ""
    yield "| subject | parameter | raised, or one more | lowered, or one fewer |"
    yield "| --- | --- | --- | --- |"
    for one in CACHES:
        yield f"| {one.subject} | {one.name} | {one.raised} | {one.lowered} |"
    yield ""
    yield "## Requests that are repeated while they wait"
    yield ""
    yield "| subject | request | |"
    yield "| --- | --- | --- |"
    for repeated in REPEATS:
        yield f"| {repeated.subject} | {repeated.name} | {repeated.cell} |"
    yield ""
    yield "## Timers that no model has"
    yield ""
    yield "| timer | reason |"
    yield "| --- | --- |"
    for name, reason in OF_CLIENTS.items():
        yield f"| {name} | {reason} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(page()) + "\n")
