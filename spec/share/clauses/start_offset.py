"""The offset from which a fetch acquires: what Apache Kafka does where the promise leaves room."""

from spec.clause import KIP, Chapter, Code, Held
from spec.scenario import Scenario
from spec.share.clauses.comparing import acquiring, compare_with_reference
from spec.share.examples import FIVES, confirm, fetch, fetch_again, history
from spec.share.situation import GAPS
from spec.share.steps import Pause, ShareFetch
from spec.share.turn import Turn
from spec.steps import DeleteRecords
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "SHR-421",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ShareFetchUtils.java", "91"),
    acquiring("1202"),
    slug="share/acquire/log-start-noticed",
    aliases=("SHR-422",),
)
def the_log_start_is_noticed_by_a_failing_read(turn: Turn) -> Held | None:
    """A fetch of a share partition whose next fetch offset is below the log start offset acquires
    nothing of it.

    Its read fails, and moves the share-partition start offset to the log start offset or past it,
    as the next acquisition shows. Where what is acquired shows that an earlier read has moved it,
    nothing is said. An error in the answer is a matter of SHR-503.
    """
    return compare_with_reference(turn, "SHR-421")


@the_log_start_is_noticed_by_a_failing_read.example("records deleted that were not fetched yet")
def _deleted_example() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        confirm(0, 4),
        DeleteRecords(0, 7),
        ShareFetch(version=2),
        fetch_again(),
    )


@chapter.clause(
    "SHR-502",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    KIP(932, "AlterShareGroupOffsets"),
    acquiring("572"),
    slug="share/acquire/start-past-end",
)
def a_start_past_the_end_gives_nothing(turn: Turn) -> Held | None:
    """A fetch of a share partition whose next fetch offset is past the end of the log acquires
    nothing of it.

    So it is where the share-partition start offset was set there. Once the log has reached it, the
    first acquisition begins at it (SHR-113, SHR-121, SHR-123). An error in the answer is a matter
    of SHR-503.
    """
    return compare_with_reference(turn, "SHR-502")


@a_start_past_the_end_gives_nothing.example("a start offset past the end")
def _past_the_end() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, patience_ms=0),
        Pause(500),
        confirm(0, 4),
        fetch_again(patience_ms=0),
        start=100,
    )


@chapter.clause(
    "SHR-113",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    acquiring("775-795"),
    slug="share/acquire/start-inside-a-batch",
)
def a_start_inside_a_batch_is_where_acquiring_begins(turn: Turn) -> Held | None:
    """Where nothing is available again and the next fetch offset lies inside a batch of the log, an
    acquisition begins at the next fetch offset, not at the batch's base offset. It ends where
    SHR-121 or SHR-123 say.
    """
    return compare_with_reference(turn, "SHR-113")


@a_start_inside_a_batch_is_where_acquiring_begins.example("a start offset of 3, MaxRecords 1")
def _inside() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1), start=3)


chapter.exclude(
    GAPS,
    Strength.REFERENCE,
    LimitClass.HARD,
    acquiring("483-540,597-640,850-880"),
    slug="share/reload/gaps",
    statement=(
        "After a reload, offsets between the start offset and the end offset that no written state "
        "covers are acquired as new ones, before any offset past the end offset."
    ),
    reason=(
        "whatever takes the broker's memory from it in a history lets it write first what members "
        "hold, so that no gap is left"
    ),
)

chapter.exclude(
    "SHR-411",
    Strength.REFERENCE,
    LimitClass.HARD,
    acquiring("2690"),
    slug="share/offsets/described",
    statement=(
        "The StartOffset of DescribeShareGroupOffsets is the share-partition start offset as it "
        "was before the move that the last write caused."
    ),
    reason="histories do not describe offsets; the next acquisition shows the start offset better",
)

chapter.exclude(
    "SHR-420",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "share.auto.offset.reset"),
    slug="share/offsets/reset",
    statement=(
        "A share partition without a start offset begins, when it is first loaded, where the "
        "group's share.auto.offset.reset says: at the high watermark (latest), at the log start "
        "offset (earliest), or at the first record that is no older than a duration "
        "(by_duration:...)."
    ),
    reason=(
        "the observer follows latest and earliest, and any break shows in what is acquired; a "
        "duration depends on record timestamps"
    ),
)

chapter.exclude(
    "SHR-501",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareCoordinatorShard.java", "readStateAndMaybeUpdateLeaderEpoch"),
    slug="share/offsets/not-initialised",
    statement=(
        "A fetch of a share partition whose state was never initialised at the share coordinator "
        "is answered with the partition's error UNKNOWN_SERVER_ERROR. On 4.0 it is loaded all the "
        "same."
    ),
    reason="while it is being initialised the same error comes and goes; the observer takes either",
)
