"""Group configs: which a release knows, and which values it takes."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.layout import Layout
from spec.scenario import Scenario
from spec.share.examples import FIVES, history
from spec.share.model.settings import whole_number
from spec.share.outcomes import GroupChanged
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    FindShareCoordinator,
    NameGroup,
)
from spec.share.turn import Configured, Turn
from spec.verdict import AT, NO_SIDE, LimitClass, Side, Strength, side, side_of_range

chapter: Chapter[Turn] = Chapter()


def _side(one: Configured) -> Side:
    """Below the least value, at one of the ends, or above the greatest; no side in between. Words
    and the values of unknown keys are at the fence.
    """
    value = whole_number(one.value)
    if one.bounds is None or value is None:
        return AT
    low, high = one.bounds
    return NO_SIDE if low < value < high else side_of_range(value, low, high)


@chapter.clause(
    "SHR-701",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("group configs, valid values"),
    KIP(1240),
    Code("GroupConfig.java", "validate"),
    Report("KAFKA-20159"),
    slug="share/config/bounds",
    fence=Fence(
        "the value of a group config",
        Unit.VALUES,
        "the least and the greatest that the broker allows",
    ),
    aliases=("C08",),
)
def group_configs_are_checked(turn: Turn) -> Held | None:
    """Setting group configs is answered without an error if the release knows each key and each
    value is legal: a number within the broker's bounds for the key, or one of the key's words.
    Otherwise it is answered with INVALID_CONFIG.
    """
    if (
        not turn.configured
        or not isinstance(turn.outcome, GroupChanged)
        or any(one.expected is None for one in turn.configured)
    ):
        return None
    where = NO_SIDE
    for one in turn.configured:
        where |= _side(one)
    wrong = [f"{one.key}={one.value}" for one in turn.configured if not one.expected]
    if wrong and turn.outcome.error != Error.INVALID_CONFIG:
        signature = "taken" if not turn.outcome.error else "error code"
        return breaks(
            where,
            f"{', '.join(wrong)}: expected INVALID_CONFIG, found {error_name(turn.outcome.error)}",
            signature,
        )
    if not wrong and turn.outcome.error:
        what = ", ".join([f"{one.key}={one.value}" for one in turn.configured])
        return breaks(
            where,
            f"{what}: expected it to be taken, found {error_name(turn.outcome.error)}",
            "refused",
        )
    return holds(where) if where else None


@group_configs_are_checked.example("a delivery count limit of 1, 2, 10 and 11")
def _limits() -> Scenario:
    return history(
        (FIVES,),
        *[
            AlterGroupConfig((("share.delivery.count.limit", value),))
            for value in ("1", "2", "10", "11")
        ],
    )


@chapter.clause(
    "SHR-504",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "FindCoordinator API"),
    Report("KAFKA-20183"),
    slug="share/config/coordinator",
    fence=Fence("the colons in the group's name", Unit.CHARACTERS, "one"),
    since="4.1",
    aliases=("S05",),
)
def every_share_partition_has_a_coordinator(turn: Turn) -> Held | None:
    """FindCoordinator with the key type 2 (share) is answered without an error for each share
    partition of a group, whatever legal name the group has.
    """
    if not isinstance(turn.step, FindShareCoordinator) or not isinstance(
        turn.outcome, GroupChanged
    ):
        return None
    where = side(turn.group_prefix.count(":"), 1)
    if turn.outcome.error:
        why = (
            f"partition {turn.step.partition}: expected a coordinator, found "
            f"{error_name(turn.outcome.error)}"
        )
        return breaks(
            where,
            why,
            "colon in the group's name" if ":" in turn.group_prefix else "no coordinator",
        )
    return holds(where)


@every_share_partition_has_a_coordinator.example("a group whose name holds no colon")
def _no_colon() -> Scenario:
    return history((FIVES,), FindShareCoordinator())


@every_share_partition_has_a_coordinator.example(
    "a group whose name holds a colon (before 4.2.2, INVALID_REQUEST)"
)
def _colon() -> Scenario:
    return Scenario(
        Layout((FIVES,)),
        (NameGroup("a:b"), AlterShareGroupOffsets(((0, 0),)), FindShareCoordinator()),
    )
