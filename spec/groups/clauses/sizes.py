"""Which JoinGroups a classic group refuses for its size, `group.max.size` (KIP-389)."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Report, breaks, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.groups.examples import alone, first, history, pair, second, with_one_more_actor
from spec.groups.model.group import UNKNOWN_GENERATION, Kind, State
from spec.groups.steps import OWN, STRANGER, Heartbeat, JoinGroup, LeaveGroup
from spec.groups.turn import Turn
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.verdict import ABOVE, AT, BELOW, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

LIMIT = Doc("config group.max.size: the most consumers that one group can hold")
ACCEPTS = Code("GroupMetadataManager.java", "7399-7425")
REFUSES = Code("GroupMetadataManager.java", "6386-6402")


_INSTEAD_OF_A_REFUSAL = {
    None: "unanswered",
    0: "admitted",
    Error.MEMBER_ID_REQUIRED: "id given out",
}
"""The signature of each response to a newcomer that should have been refused."""


def response_of(turn: Turn) -> str:
    """The response to a request as messages name it: its error, or `no answer`."""
    return "no answer" if turn.code is None else error_name(turn.code)


def refusal_at_the_limit(turn: Turn, count: int, what: str) -> Held:
    """Hold the response to a newcomer against the limit: GROUP_MAX_SIZE_REACHED if and only if
    `count` is at or above it. Messages call `count` by the noun `what`, `members`.
    """
    where = side(count, turn.limit)
    full = where is not BELOW
    if full and not turn.is_refused_for_size:
        return breaks(
            where,
            f"{count} {what} under a limit of {turn.limit}: expected GROUP_MAX_SIZE_REACHED, "
            f"found {response_of(turn)}",
            _INSTEAD_OF_A_REFUSAL.get(turn.code, "other error"),
        )
    if not full and turn.is_refused_for_size:
        return breaks(
            where,
            f"{count} {what} under a limit of {turn.limit}: expected room, found "
            "GROUP_MAX_SIZE_REACHED",
            "refused",
        )
    return holds(where)


def expect_no_refusal(
    turn: Turn, signature: str, who: str = "a member", *, wanted: str = "no refusal for size"
) -> Held:
    """Hold the response to a sender that has a place already against GROUP_MAX_SIZE_REACHED, which
    it must not get however full the group is. Messages name the sender `who` and the expected
    response `wanted`.
    """
    where = side(turn.before.size, turn.limit)
    why = (
        f"{who} of a group of {turn.before.size} under a limit of {turn.limit}: expected {wanted}, "
        f"found {response_of(turn)}"
    )
    return breaks(where, why, signature) if turn.is_refused_for_size else holds(where)


def _places_taken(turn: Turn) -> int:
    """How many count towards the limit: the members, in a join phase the JoinGroups that wait."""
    preparing = turn.before.state is State.PREPARING
    return turn.before.awaiting_members if preparing else turn.before.size


def _places_taken_at_most(turn: Turn) -> int:
    """The same where a consumer group is taken to have become a classic one: no answer shows yet
    that a join phase began with that.
    """
    taken = _places_taken(turn)
    return max(taken, turn.before.size) if turn.before.generation == UNKNOWN_GENERATION else taken


@chapter.clause(
    "GRP-014",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    KIP(389),
    slug="groups/size/place-free-at-once",
    fence=Fence(
        "the members that are left, and the ids given out",
        Unit.MEMBERS,
        "the limit",
        never=UnreachableSides(
            AT | ABOVE, "a group that is still full refuses a newcomer: GRP-001"
        ),
    ),
)
def a_place_is_free_at_once(turn: Turn) -> Held | None:
    """A newcomer's JoinGroup is not refused for size, if the last event in the group was that a
    member left or its session ran out, and the members (in a join phase: the JoinGroups that wait)
    and the ids given out together, the newcomer's own among them, are fewer than group.max.size. In
    a group that was a consumer group, the members count until a generation is answered.

    A newcomer is who sends no member id, or one that was given out to it and has not joined yet,
    and no instance id of a member.
    """
    if not turn.newcomer or not turn.before.freed:
        return None
    count = _places_taken_at_most(turn)
    if count + len(turn.before.pending) >= turn.limit:
        return None
    why = (
        f"a member left and {count} are there under a limit of {turn.limit}: expected room, found "
        f"{response_of(turn)}"
    )
    return breaks(BELOW, why, "place not freed") if turn.is_refused_for_size else holds(BELOW)


@a_place_is_free_at_once.example("a member leaves a full group and another comes")
def _leaves() -> Scenario:
    return history(*pair(), LeaveGroup(1), first(2))


@chapter.clause(
    "GRP-001",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(389, "Proposed Changes"),
    LIMIT,
    REFUSES,
    slug="groups/size/newcomer",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def a_full_group_takes_no_newcomer(turn: Turn) -> Held | None:
    """In state Stable or CompletingRebalance, a newcomer's JoinGroup is answered with
    GROUP_MAX_SIZE_REACHED (81) if and only if the group has group.max.size members or more. A
    newcomer sends no member id, or one that was given out and has not joined yet, and no instance
    id of a member.

    Where the ids given out, the newcomer's own among them, would fill the group, either answer
    conforms here (GRP-005).
    """
    if not turn.newcomer or not turn.before.is_settled:
        return None
    if turn.before.size < turn.limit <= turn.before.size + len(turn.before.pending):
        return None
    return refusal_at_the_limit(turn, turn.before.size, "members")


@a_full_group_takes_no_newcomer.example("the third member of a group that holds two")
def _third() -> Scenario:
    return history(*pair(), first(2), *[Heartbeat(actor) for actor in (0, 1)])


@a_full_group_takes_no_newcomer.example("the last place of three goes to the first who comes")
def _last_place() -> Scenario:
    return history(
        *pair(),
        first(2),
        first(3),
        *with_one_more_actor(2, (0, 1))[1:],
        second(3, parked=False),
        limit=3,
    )


@chapter.clause(
    "GRP-003",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(389, "Proposed Changes"),
    ACCEPTS,
    slug="groups/size/member",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def a_member_is_never_refused(turn: Turn) -> Held | None:
    """In state Stable or CompletingRebalance, a JoinGroup with the id of a member is not answered
    with GROUP_MAX_SIZE_REACHED, however many members the group has.

    The limit blocks the registration of new members.
    """
    if turn.join is None or turn.known_member is None or not turn.before.is_settled:
        return None
    return expect_no_refusal(turn, "member refused")


@a_member_is_never_refused.example("a follower of a full group joins again")
def _second_join() -> Scenario:
    return history(*pair(), second(1, parked=False))


@chapter.clause(
    "GRP-100",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(389, "Proposed Changes"),
    LIMIT,
    slug="groups/size/generation",
    fence=Fence("the members of the new generation", Unit.MEMBERS, "the limit"),
)
def a_generation_keeps_the_limit(turn: Turn) -> Held | None:
    """The generation that a join phase makes has at most group.max.size members, counted in the
    leader's JoinGroup answer, if no static member stays in it that did not come (GRP-018).
    """
    if turn.phase is None or turn.phase.listed_members is None or turn.phase.static:
        return None
    where = side(turn.phase.listed_members, turn.limit)
    why = (
        f"expected a generation of at most {turn.limit}, found {turn.phase.listed_members} "
        "members in the leader's answer"
    )
    return breaks(where, why, "over the limit") if where is ABOVE else holds(where)


@a_generation_keeps_the_limit.example(
    "a group of one rebalances for a second member, the last that fits"
)
def _generation() -> Scenario:
    return history(*pair())


@chapter.clause(
    "GRP-005",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("GroupMetadataManager.java", "6596-6617"),
    Report("KAFKA-9885"),
    slug="groups/size/ids-given-out",
    fence=Fence("the members and the ids given out", Unit.MEMBERS, "the limit"),
)
def ids_given_out_do_not_count(turn: Turn) -> Held | None:
    """An id that was given out with MEMBER_ID_REQUIRED takes no place before its second JoinGroup:
    outside of a join phase, a newcomer is not refused for size while the members are fewer than
    group.max.size, however many ids have been given out.
    """
    if (
        not turn.newcomer
        or turn.before.state is State.PREPARING
        or turn.before.size >= turn.limit
        or not turn.before.pending
    ):
        return None
    others = len(turn.before.pending) - turn.before.is_pending(turn.member)
    where = side(turn.before.size + others, turn.limit)
    why = (
        f"{turn.before.size} members and {others} ids given out under a limit of {turn.limit}: "
        f"expected room, found {response_of(turn)}"
    )
    return breaks(where, why, "ids counted") if turn.is_refused_for_size else holds(where)


@ids_given_out_do_not_count.example("five ids given out by a group with one place left")
def _ids() -> Scenario:
    return history(*alone(), *[first(actor) for actor in range(1, 6)])


@chapter.clause(
    "GRP-012",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ACCEPTS,
    slug="groups/size/empty-group",
    fence=Fence("the ids given out by an empty group", Unit.MEMBERS, "the limit"),
)
def an_empty_group_takes_everybody(turn: Turn) -> Held | None:
    """A group without members refuses no newcomer for size, however many ids it has given out."""
    if (
        not turn.newcomer
        or turn.before.state not in {State.DEAD, State.EMPTY}
        or turn.before.members
    ):
        return None
    where = side(len(turn.before.pending), turn.limit)
    if not turn.is_refused_for_size:
        return holds(where)
    return breaks(where, f"an empty group: expected room, found {response_of(turn)}", "refused")


@an_empty_group_takes_everybody.example(
    "four ids given out by an empty group that holds two (KAFKA-9885)"
)
def _empty() -> Scenario:
    return history(*[first(actor) for actor in range(4)])


@chapter.clause(
    "GRP-004",
    Strength.REFERENCE,
    LimitClass.SOFT,
    REFUSES,
    slug="groups/size/before-the-id",
    fence=Fence("the members of the group", Unit.MEMBERS, "the limit"),
)
def size_is_looked_at_before_the_id(turn: Turn) -> Held | None:
    """Outside of a join phase of a classic group, a JoinGroup with a member id that is neither a
    member's nor one given out, and without the group.instance.id of a member, is answered with
    GROUP_MAX_SIZE_REACHED if the group has group.max.size members or more, and otherwise with
    UNKNOWN_MEMBER_ID.
    """
    known = (
        turn.known_member is not None
        or turn.before.is_pending(turn.member)
        or turn.before.kind is Kind.CONSUMER
    )
    if (
        turn.join is None
        or not turn.member
        or known
        or turn.static_member is not None
        or turn.before.state is State.PREPARING
    ):
        return None
    where = side(turn.before.size, turn.limit) if turn.before.is_settled else BELOW
    wanted = Error.UNKNOWN_MEMBER_ID if where is BELOW else Error.GROUP_MAX_SIZE_REACHED
    why = (
        f"{turn.before.size} members under a limit of {turn.limit}: expected {wanted.name}, found "
        f"{response_of(turn)}"
    )
    if turn.code == wanted:
        return holds(where)
    return breaks(where, why, "error code" if where is BELOW else "id first")


@size_is_looked_at_before_the_id.example(
    "an id that nobody was given, to a group with room and to a full one"
)
def _stranger() -> Scenario:
    return history(
        *alone(), JoinGroup(5, STRANGER), *with_one_more_actor(1, (0,)), JoinGroup(5, STRANGER)
    )


@chapter.clause(
    "GRP-006",
    Strength.REFERENCE,
    LimitClass.SOFT,
    REFUSES,
    slug="groups/size/refused-id",
    fence=Fence(
        "the members of the group, or the JoinGroups that wait, when the id is used again",
        Unit.MEMBERS,
        "the limit",
    ),
)
def a_refused_id_is_forgotten(turn: Turn) -> Held | None:
    """A member id that was refused for size is forgotten: a JoinGroup with it, while the members
    (in a join phase: the JoinGroups that wait) are fewer than group.max.size, is answered with
    UNKNOWN_MEMBER_ID.
    """
    gone = (
        turn.member in turn.before.forgotten
        and turn.known_member is None
        and not turn.before.is_pending(turn.member)
    )
    if turn.join is None or not gone:
        return None
    where = side(_places_taken(turn), turn.limit)
    if where is not BELOW:
        return holds(where)
    why = f"expected UNKNOWN_MEMBER_ID for a forgotten id, found {response_of(turn)}"
    if turn.code == Error.UNKNOWN_MEMBER_ID:
        return holds(where)
    return breaks(where, why, "id remembered")


@a_refused_id_is_forgotten.example("an id that was refused is used again when there is room")
def _forgotten() -> Scenario:
    return history(
        *alone(),
        first(2),
        *with_one_more_actor(1, (0,)),
        second(2, parked=False),
        LeaveGroup(1),
        second(0, parked=False),
        JoinGroup(2, OWN),
    )
