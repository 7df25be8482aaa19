"""Decisions of the model of share groups wherever it could decide otherwise: the part of
`spec.semantics` that is about them.
"""

from collections.abc import Mapping
from enum import StrEnum

from spec.frozen import frozen

MEMBER_ID_LENGTH = 36
"""Most characters of a member id (4.2+)."""


class LockBudget(StrEnum):
    """The quantity that `group.share.partition.max.record.locks` bounds (SHR-112)."""

    EVERY_ACQUISITION = "every_acquisition"
    """One fetch acquires at most the rest of the limit."""
    GATE = "gate"
    """It is looked at before reading only; one fetch may pass it freely."""


class RangeReport(StrEnum):
    """The ranges in which offsets of a batch followed offset by offset are reported (SHR-117)."""

    MERGED = "merged"
    """Neighbours of one batch with the same delivery count are one range."""
    SINGLE = "single"
    """One range for each offset."""


class ClosedCount(StrEnum):
    """The delivery count of records that a closing session gives back (SHR-009)."""

    KEPT = "kept"
    """The delivery counts: the next one has a count one higher."""
    TAKEN_BACK = "taken_back"
    """The delivery does not count."""


class UnknownTopic(StrEnum):
    """The effect of an unknown topic id on a share fetch (SHR-013)."""

    PARTITION = "partition"
    """UNKNOWN_TOPIC_ID for its partition; the others are served."""
    REQUEST = "request"
    """UNKNOWN_SERVER_ERROR for the whole request."""


class Throttling(StrEnum):
    """The delivery of records near their last delivery (SHR-170)."""

    HALVED = "halved"
    """In ever smaller parts, the last time one by one."""
    NONE = "none"


class Slicing(StrEnum):
    """Which of the batches read come back (SHR-150)."""

    ACQUIRED = "acquired"
    """Those from the first acquired offset to the last."""
    READ = "read"
    """All."""


class BaseAdjustment(StrEnum):
    """The fate of a read that begins below the share-partition start offset (SHR-113)."""

    WHERE_NOTHING_IS_CACHED_BEFORE = "where_nothing_is_cached_before"
    """It is raised to the start offset, unless an older cached batch lies before it."""
    ALWAYS = "always"


@frozen
class GroupConfigBounds:
    """A numeric group config and the values that are taken, both included.

    Attributes:
        key: the config.
        low, high: the least and the greatest value.
        knows_low, knows_high: the broker or its user says these two; otherwise they are Kafka's
            defaults, and nothing is said of a value that they decide about.
    """

    key: str
    low: int
    high: int
    knows_low: bool = True
    knows_high: bool = True


DURATION_BOUNDS = (
    GroupConfigBounds("share.record.lock.duration.ms", 15000, 60000),
    GroupConfigBounds("share.session.timeout.ms", 45000, 60000),
    GroupConfigBounds("share.heartbeat.interval.ms", 5000, 15000),
)
KIP_1240_BOUNDS = (
    GroupConfigBounds("share.delivery.count.limit", 2, 10),
    GroupConfigBounds("share.partition.max.record.locks", 100, 4000),
)

BOOLEAN = ("true", "false")
"""The values that a boolean config takes, in any case and with blanks about it. Source:
ConfigDef.java of Kafka 4.3.1.
"""
WORDS: Mapping[str, tuple[str, ...]] = {
    "share.auto.offset.reset": ("latest", "earliest"),
    "share.isolation.level": ("read_uncommitted", "read_committed"),
    "share.renew.acknowledge.enable": BOOLEAN,
}
"""Group configs that take words; `share.auto.offset.reset` takes `by_duration:` too."""


@frozen
class ShareSemantics:
    """The named decisions about share groups.

    Attributes:
        oldest_fetch, newest_fetch: ShareFetch versions that are answered; those of ShareAcknowledge
            are the same.
        fetch_max_bytes: the broker's `fetch.max.bytes`.
        max_record_locks: the broker's `group.share.partition.max.record.locks`.
        delivery_count_limit: the broker's `group.share.delivery.count.limit`.
        lock_duration_ms: the broker's `group.share.record.lock.duration.ms`.
        lock_budget, range_report, closed_count, unknown_topic, throttling, slicing,
            base_adjustment: see the classes.
        serves_large_batch: a first batch above the byte limit is served all the same (SHR-140).
        disconnect_closes: a lost connection closes its session (SHR-010).
        final_fetch_acknowledges: a fetch that closes its session may acknowledge something by the
            way (SHR-003).
        any_member_id: a member id need not be a Kafka Uuid (SHR-017); otherwise any other is
            UNKNOWN_SERVER_ERROR.
        final_fetch_names_partitions: a fetch with the final epoch may name partitions, to
            acknowledge something too.
        closed_records_come_back: each record that a closing session gave back can be acquired again
            at once; otherwise some only once their old locks have run out (SHR-155).
        cut_batches_come: what the log start leaves of a batch that was held can be acquired;
            otherwise reads may begin at deleted records before it, time and again (SHR-155).
        archives_all_deleted: once a read has noticed that the log start has moved, all available
            records below it are archived (SHR-421); otherwise those of some batches alone, and
            reads begin at the others, time and again (SHR-155).
        reads_what_is_being_written: a read begins at records that were given back though the change
            is still being written, so that they can't be acquired yet (SHR-150).
        empty_fetch_reads: a fetch of no records reads all the same, and so may find out that the
            log start has moved (SHR-421).
        empty_fetch_may_not_read: of those, one of 0 records reads in some states of a share
            partition and not in others, so that the next one may be the first to find it out.
        archives_compacted: available records that compaction has taken out are archived by the next
            read past them (SHR-111); otherwise each read begins at them again.
        group_configs: numeric group configs that are known, with the bounds of an unchanged broker
            (SHR-701).
        group_words: group configs that take words and are known.
    """

    oldest_fetch: int = 1
    newest_fetch: int = 2
    fetch_max_bytes: int = 57671680
    max_record_locks: int = 2000
    delivery_count_limit: int = 5
    lock_duration_ms: int = 30000
    lock_budget: LockBudget = LockBudget.EVERY_ACQUISITION
    range_report: RangeReport = RangeReport.MERGED
    closed_count: ClosedCount = ClosedCount.KEPT
    unknown_topic: UnknownTopic = UnknownTopic.PARTITION
    throttling: Throttling = Throttling.HALVED
    slicing: Slicing = Slicing.ACQUIRED
    base_adjustment: BaseAdjustment = BaseAdjustment.WHERE_NOTHING_IS_CACHED_BEFORE
    serves_large_batch: bool = True
    disconnect_closes: bool = True
    final_fetch_acknowledges: bool = True
    any_member_id: bool = True
    final_fetch_names_partitions: bool = True
    closed_records_come_back: bool = True
    cut_batches_come: bool = True
    archives_all_deleted: bool = True
    reads_what_is_being_written: bool = False
    empty_fetch_reads: bool = False
    empty_fetch_may_not_read: bool = False
    archives_compacted: bool = True
    group_configs: tuple[GroupConfigBounds, ...] = (*DURATION_BOUNDS, *KIP_1240_BOUNDS)
    group_words: tuple[str, ...] = tuple(WORDS)


EARLY_ACCESS = ShareSemantics(
    oldest_fetch=0,
    newest_fetch=0,
    max_record_locks=200,
    lock_budget=LockBudget.GATE,
    range_report=RangeReport.SINGLE,
    unknown_topic=UnknownTopic.REQUEST,
    throttling=Throttling.NONE,
    slicing=Slicing.READ,
    serves_large_batch=False,
    disconnect_closes=False,
    final_fetch_acknowledges=False,
    any_member_id=False,
    final_fetch_names_partitions=False,
    closed_records_come_back=False,
    reads_what_is_being_written=True,
    empty_fetch_reads=True,
    archives_compacted=False,
    group_configs=DURATION_BOUNDS,
    group_words=("share.auto.offset.reset",),
)
"""Kafka 4.0."""

PREVIEW = ShareSemantics(
    newest_fetch=1,
    lock_budget=LockBudget.GATE,
    range_report=RangeReport.SINGLE,
    closed_count=ClosedCount.TAKEN_BACK,
    closed_records_come_back=False,
    cut_batches_come=False,
    archives_all_deleted=False,
    unknown_topic=UnknownTopic.REQUEST,
    throttling=Throttling.NONE,
    reads_what_is_being_written=True,
    empty_fetch_reads=True,
    any_member_id=False,
    group_configs=DURATION_BOUNDS,
    group_words=("share.auto.offset.reset", "share.isolation.level"),
)
"""Kafka 4.1."""

PRODUCTION = ShareSemantics(
    empty_fetch_reads=True,
    empty_fetch_may_not_read=True,
    group_configs=DURATION_BOUNDS,
    group_words=("share.auto.offset.reset", "share.isolation.level"),
)
"""Kafka 4.2."""

SHARE_RELEASES: Mapping[str, ShareSemantics] = {
    "4.0": EARLY_ACCESS,
    "4.1": PREVIEW,
    "4.2": PRODUCTION,
    "4.3": ShareSemantics(unknown_topic=UnknownTopic.REQUEST),
    "4.4": ShareSemantics(),
}
