"""How records are acquired that are available again: what Apache Kafka does where the promise
leaves room.
"""

from spec.clause import Chapter, Held, Reading, Report
from spec.fence import Fence, Unit, UnreachableSides
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.share.clauses.comparing import acquiring, by_max_records, compare_with_reference
from spec.share.examples import FIVES, fetch, fetch_again, history, plain, release
from spec.share.model.counting import part_of_throttled, throttled_from
from spec.share.model.records import Cached
from spec.share.releases import ShareSemantics, Throttling
from spec.share.steps import RECORD_LIMIT
from spec.share.turn import Served, Turn
from spec.verdict import BELOW, LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()


def by_deliveries(turn: Turn, served: Served) -> Side:
    """The greatest delivery count of an available record, against the count from which batches come
    in parts.
    """
    assert served.before is not None
    counts = [
        record.count
        for batch in served.before.cached
        for record in batch.records
        if record.available
    ]
    return side(max(counts), throttled_from(turn.settings.delivery_count_limit))


@chapter.clause(
    "SHR-170",
    Strength.REFERENCE,
    LimitClass.SOFT,
    acquiring("880-930,1918-2010,2063"),
    Report("KAFKA-17541"),
    slug="share/delivery/last-deliveries",
    fence=Fence(
        "the greatest delivery count of an available record",
        Unit.DELIVERIES,
        "max(2, ceil(limit / 2)), from which a batch comes in parts",
        never=UnreachableSides(BELOW, "below it a batch comes whole: SHR-115"),
    ),
    readings=(
        Reading(
            "halved",
            "A batch near its last deliveries comes in ever smaller parts, so that one bad record "
            "does not take it along.",
            decision_change(ShareSemantics, throttling=Throttling.HALVED),
        ),
        Reading(
            "whole",
            "It comes whole until the delivery limit is reached.",
            decision_change(ShareSemantics, throttling=Throttling.NONE),
        ),
    ),
    aliases=("SHR-171", "SHR-172", "DIV-15", "S04"),
)
def records_near_their_last_delivery_come_in_parts(turn: Turn) -> Held | None:
    """Let `L` be the delivery count limit, `t = max(2, ceil(L / 2))`, and a worn batch a cached
    batch with an available record whose DeliveryCount is `t` or above. A fetch acquires records of
    a worn batch only where it acquires nothing else of the partition, at most
    `max(1, size >> (c - t + 1))` of them, where `c` is the DeliveryCount of the first such record;
    and where `L` is above 2, a record with the DeliveryCount `L - 1` comes alone. Before 4.2 such a
    batch comes whole.
    """
    return compare_with_reference(turn, "SHR-170", by_deliveries)


@records_near_their_last_delivery_come_in_parts.fits
def parts_fit(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-170, whether the turn fits it; empty where what is near its last
    delivery is no more than a part.
    """
    limit = turn.settings.delivery_count_limit
    for served in turn.followed_partitions:
        batch = _worn_batch(turn, served)
        if batch is None or turn.mode == RECORD_LIMIT:
            continue
        found = sum(batch.first <= offset <= batch.last for offset in served.counts)
        part = part_of_throttled(batch.size, batch.at(batch.first).count, throttled_from(limit))
        if found and part < batch.size:
            return {"halved": found <= part, "whole": found == batch.size}
    return {}


def _worn_batch(turn: Turn, served: Served) -> Cached | None:
    """The cached batch that comes next, where all of it is available with one count that is near
    the delivery limit.
    """
    state, limit = served.before, turn.settings.delivery_count_limit
    batch = state.floor(state.next_fetch_offset) if state is not None else None
    if state is None or batch is None or batch.first != state.next_fetch_offset:
        return None
    counts = {record.count if record.available else 0 for _, record in batch.offsets()}
    return batch if len(counts) == 1 and max(counts) >= throttled_from(limit) else None


@records_near_their_last_delivery_come_in_parts.example(
    "one batch of eight, released again and again"
)
def _throttled_example() -> Scenario:
    return _released_again()


@records_near_their_last_delivery_come_in_parts.example(
    "one batch of eight under a delivery limit of 4, released again and again"
)
def _throttled_at_two() -> Scenario:
    return _released_again((("group.share.delivery.count.limit", "4"),))


def _released_again(config: tuple[tuple[str, str], ...] = ()) -> Scenario:
    rounds = [step for _ in range(4) for step in (release(0, 7), fetch_again())]
    return history((plain(8),), fetch(0), *rounds, config=config)


@chapter.clause(
    "SHR-115",
    Strength.REFERENCE,
    LimitClass.SOFT,
    acquiring("835-950"),
    slug="share/acquire/available-first",
    fence=Fence("the offsets that a partition acquires", Unit.RECORDS, "MaxRecords"),
    aliases=("SHR-101", "SHR-116"),
)
def records_that_are_available_again_come_first(turn: Turn) -> Held | None:
    """Available records of cached batches are acquired before new ones, in the order of their
    offsets, each with its DeliveryCount plus one. In batch_optimized mode each cached batch gives
    all that is available of it, until n offsets with n at or above MaxRecords are acquired; in
    record_limit mode n is at most MaxRecords. Where n is below MaxRecords, new offsets that were
    read follow, as many as SHR-121 or SHR-123 say for MaxRecords - n.
    """
    return compare_with_reference(turn, "SHR-115", by_max_records)


@records_that_are_available_again_come_first.example("released records, then new ones")
def _again_first() -> Scenario:
    return history(
        (FIVES,), fetch(0, max_records=5), release(1, 1), release(3, 3), fetch_again(max_records=3)
    )


chapter.exclude(
    "SHR-111",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    acquiring("1265"),
    Report("KAFKA-17351"),
    slug="share/reload/compacted",
    statement=(
        "Available records whose offsets compaction has taken out of the log are archived by the "
        "next read that begins past them. On 4.0 they stay available."
    ),
    reason=(
        "the observer follows it where a hole is released, and any break shows in what is acquired "
        "next"
    ),
)
