"""Join phases: whose place it is while everybody joins again."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.groups.clauses.sizes import ACCEPTS, REFUSES, refusal_at_the_limit, response_of
from spec.groups.examples import first, history, pair, second, static_pair
from spec.groups.model.classic import Decision
from spec.groups.model.group import State
from spec.groups.outcomes import JoinGroupAnswer
from spec.groups.steps import DescribeGroup, JoinGroup
from spec.groups.turn import JoinPhaseEnd, Phase, Turn
from spec.kafka import error_name
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

COMPLETES = Code("GroupMetadataManager.java", "6816-6831")


@chapter.clause(
    "GRP-009",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ACCEPTS,
    slug="groups/join-phase/newcomer",
    fence=Fence("the JoinGroups that wait", Unit.MEMBERS, "the limit"),
)
def in_a_join_phase_those_who_wait_count(turn: Turn) -> Held | None:
    """In state PreparingRebalance, after the group had members, a newcomer's JoinGroup is answered
    with GROUP_MAX_SIZE_REACHED if and only if group.max.size JoinGroups or more wait, however many
    members the group has.
    """
    if not turn.newcomer or not turn.is_preparing:
        return None
    return refusal_at_the_limit(turn, turn.before.awaiting_members, "JoinGroups that wait")


@in_a_join_phase_those_who_wait_count.example(
    "a stranger takes a place in a join phase, the next finds none"
)
def _stranger() -> Scenario:
    return history(*pair(), *_leader_rejoins(), first(3))


@chapter.clause(
    "GRP-013",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("GroupMetadataManager.java", "7124-7232"),
    Doc("config group.initial.rebalance.delay.ms"),
    slug="groups/join-phase/initial-delay",
    fence=Fence("the JoinGroups that wait for the initial delay to end", Unit.MEMBERS, "the limit"),
)
def so_they_do_during_the_initial_delay(turn: Turn) -> Held | None:
    """In the first join phase of an empty group, while group.initial.rebalance.delay.ms lasts, a
    newcomer's JoinGroup is answered with GROUP_MAX_SIZE_REACHED if and only if group.max.size
    JoinGroups or more wait.
    """
    if not turn.newcomer or turn.before.state is not State.PREPARING or not turn.before.initial:
        return None
    return refusal_at_the_limit(turn, turn.before.awaiting_members, "JoinGroups that wait")


@so_they_do_during_the_initial_delay.example(
    "three come to an empty group that holds two and waits for half a second"
)
def _delayed_example() -> Scenario:
    return history(
        first(0),
        second(0),
        first(1),
        second(1),
        DescribeGroup(5, "", 2),
        first(2),
        limit=2,
        delay_ms=500,
    )


@chapter.clause(
    "GRP-010",
    Strength.REFERENCE,
    LimitClass.SOFT,
    ACCEPTS,
    slug="groups/join-phase/late-member",
    fence=Fence("the JoinGroups that wait", Unit.MEMBERS, "the limit"),
)
def places_go_to_those_who_come_first(turn: Turn) -> Held | None:
    """In state PreparingRebalance, a JoinGroup of a member whose JoinGroup does not wait yet is
    answered with GROUP_MAX_SIZE_REACHED if and only if group.max.size JoinGroups or more wait.

    The member is then removed: a newcomer may have taken its place.
    """
    if (
        turn.join is None
        or turn.known_member is None
        or turn.known_member.awaiting is not None
        or turn.before.state is not State.PREPARING
    ):
        return None
    return refusal_at_the_limit(turn, turn.before.awaiting_members, "JoinGroups that wait")


@chapter.clause(
    "GRP-015",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("ClassicGroup.java", "1199-1218"),
    ACCEPTS,
    slug="groups/join-phase/asked-again",
    fence=Fence("the JoinGroups that wait", Unit.MEMBERS, "the limit"),
)
def one_who_waits_may_ask_again(turn: Turn) -> Held | None:
    """In state PreparingRebalance, a member whose JoinGroup waits may send another, which is not
    answered with GROUP_MAX_SIZE_REACHED however many wait. What becomes of the first one is
    GRP-161.
    """
    if (
        turn.join is None
        or turn.known_member is None
        or turn.known_member.awaiting is None
        or turn.before.state is not State.PREPARING
    ):
        return None
    where = side(turn.before.awaiting_members, turn.limit)
    return (
        breaks(where, "expected one who waits to be let in again, found it refused", "refused")
        if turn.is_refused_for_size
        else holds(where)
    )


@chapter.clause(
    "GRP-161",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("ClassicGroup.java", "updateMember"),
    slug="groups/join-phase/first-unanswered",
)
def the_first_request_is_never_answered(turn: Turn) -> Held | None:
    """A JoinGroup that waits is never answered once another JoinGroup of the same member waits in
    its place.

    A broker that ends the connection, or answers nothing that can be read, conforms.
    """
    if not turn.orphaned or not isinstance(turn.step, JoinGroup):
        return None
    if not isinstance(turn.outcome, JoinGroupAnswer):
        return holds()
    return fails(
        f"expected no answer to the first JoinGroup, found {error_name(turn.outcome.error)}",
        "first answered",
    )


@one_who_waits_may_ask_again.example(
    "a member joins again over another connection while its first JoinGroup waits"
)
@the_first_request_is_never_answered.example(
    "a member joins again over another connection while its first JoinGroup waits"
)
def _join_over_another_connection() -> Scenario:
    waits = JoinGroup(0, parked=True, rebalance_ms=600, patience_ms=500)
    return history(
        *pair(),
        waits,
        DescribeGroup(5, "PreparingRebalance", 2),
        JoinGroup(3, 0, rebalance_ms=600, parked=True),
        DescribeGroup(5, "", 2),
        second(1, parked=False),
    )


@chapter.clause(
    "GRP-011",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    REFUSES,
    slug="groups/join-phase/refusal",
)
def a_refusal_ends_no_join_phase(turn: Turn) -> Held | None:
    """A refusal for size removes a member or an id that a join phase waited for. If it waited for
    nobody else, it still lasts until its time is over.

    A broker that ends it at once is legal, and quicker.
    """
    if turn.phase is None or not turn.phase.before.all_joined or turn.phase.before.initial:
        return None
    if turn.phase.cause is JoinPhaseEnd.REFUSAL:
        return fails(
            "expected the join phase to last until its time, found it ended after the refusal",
            "ended at once",
        )
    return holds() if turn.phase.cause is JoinPhaseEnd.TIME else None


@places_go_to_those_who_come_first.example("the old member that comes last is refused and removed")
@a_refusal_ends_no_join_phase.example("the join phase lasts although only those who wait are left")
def _late() -> Scenario:
    return history(*pair(), *_leader_rejoins(), second(1, parked=False))


@chapter.clause(
    "GRP-018",
    Strength.REFERENCE,
    LimitClass.SOFT,
    COMPLETES,
    slug="groups/join-phase/late-static-members",
    fence=Fence("the members of the new generation", Unit.MEMBERS, "the limit"),
)
def late_static_members_stay(turn: Turn) -> Held | None:
    """When a join phase ends by its time, static members that did not come stay and dynamic ones
    are removed, even past the limit: the leader's JoinGroup answer lists as many members as
    JoinGroups waited plus static members that did not come.
    """
    if turn.phase is None or not turn.phase.static or turn.phase.listed_members is None:
        return None
    expected = turn.phase.static + len(turn.phase.answers)
    where = side(expected, turn.limit)
    why = (
        f"expected {expected} members with {turn.phase.static} static ones that did not come, "
        f"found {turn.phase.listed_members}"
    )
    return (
        holds(where)
        if turn.phase.listed_members == expected
        else breaks(where, why, "static member dropped")
    )


@late_static_members_stay.example("a static member of three does not come to a join phase")
def _late_static() -> Scenario:
    """A dynamic newcomer sets off a join phase that i1 does not come to."""
    return history(
        *static_pair(600),
        first(2),
        second(2, rebalance_ms=600),
        DescribeGroup(5, "PreparingRebalance", 3),
        JoinGroup(0, instance="i0", parked=True, rebalance_ms=600),
        DescribeGroup(5, "CompletingRebalance", 3),
        limit=3,
    )


@chapter.clause(
    "GRP-101",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    COMPLETES,
    slug="groups/join-phase/next-generation",
)
def a_join_phase_makes_the_next_generation(turn: Turn) -> Held | None:
    """At the end of a join phase each answer without an error to a JoinGroup that waited carries
    the generation before plus one.

    Of a group that was a consumer group before, whose generation is not known, the answers have the
    same generation.
    """
    if turn.phase is None or not turn.phase.answers:
        return None
    answers = _let_in(turn.phase)
    if any(one.generation != turn.phase.generation for one in answers):
        numbers = ", ".join([str(one.generation) for one in answers])
        return fails(f"expected generation {turn.phase.generation}, found {numbers}", "generation")
    return holds() if answers else None


def _let_in(phase: Phase) -> list[JoinGroupAnswer]:
    """The answers without an error to the JoinGroups that waited."""
    return [one for _, one in phase.answers if isinstance(one, JoinGroupAnswer) and not one.error]


@chapter.clause(
    "GRP-162",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    COMPLETES,
    slug="groups/join-phase/one-leader",
)
def a_generation_has_one_leader(turn: Turn) -> Held | None:
    """Where each JoinGroup that waited is answered without an error at the end of a join phase,
    exactly one of them is answered as the leader's: the leader in it is the member itself.

    Which of them leads is the broker's choice.
    """
    if turn.phase is None or not turn.phase.answers:
        return None
    answers = _let_in(turn.phase)
    if len(answers) != len(turn.phase.answers):
        return None
    leaders = sum(one.leader for one in answers)
    return holds() if leaders == 1 else fails(f"expected one leader, found {leaders}", "leaders")


@chapter.clause(
    "GRP-163",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    COMPLETES,
    slug="groups/join-phase/members-listed",
)
def the_leader_is_listed_each_member(turn: Turn) -> Held | None:
    """The leader's answer at the end of a join phase lists as many members as JoinGroups waited, if
    no static member stays that did not come (GRP-018).
    """
    if turn.phase is None or turn.phase.static or turn.phase.listed_members is None:
        return None
    expected, found = len(turn.phase.answers), turn.phase.listed_members
    if found == expected:
        return holds()
    why = f"expected {expected} members in the leader's answer, found {found}"
    return fails(why, "members")


@chapter.clause(
    "GRP-155",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    COMPLETES,
    timing_sensitive=True,
    slug="groups/join-phase/end",
)
def a_join_phase_waits(turn: Turn) -> Held | None:
    """A join phase does not end before the JoinGroup of each member waits and no id given out is
    still to come, or its time is over: the longest rebalance timeout of its members, or the initial
    delay. How long it lasts beyond that is not asked.

    An end after a refusal for size, when all who are left wait, is a matter of GRP-011.
    """
    if turn.phase is None:
        return None
    if turn.phase.cause is JoinPhaseEnd.EARLY:
        waited = (
            turn.phase.before.size
            + len(turn.phase.before.pending)
            - turn.phase.before.awaiting_members
        )
        return fails(
            f"{waited} were still to come: expected the join phase to continue, found it ended",
            "ended early",
        )
    return holds()


@chapter.clause(
    "GRP-102",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("GroupMetadataManager.java", "6640-6720"),
    KIP(345),
    slug="groups/join-phase/nothing-changed",
)
def what_changes_nothing_is_answered_at_once(turn: Turn) -> Held | None:
    """A JoinGroup of a member with the metadata that it has is answered at once with the present
    generation, if the group is in state CompletingRebalance, or Stable and the member is not its
    leader. A JoinGroup of a member with other metadata, or of the leader of a Stable group, waits
    for a join phase.
    """
    if (
        turn.join is None
        or turn.decision not in {Decision.JOINS, Decision.CURRENT}
        or turn.expected_decision not in {Decision.JOINS, Decision.CURRENT}
    ):
        return None
    if turn.decision is not turn.expected_decision:
        why = (
            f"expected it to be {_SHOWN[turn.expected_decision]}, found it {_SHOWN[turn.decision]}"
        )
        return fails(why, turn.decision.value)
    return holds()


_SHOWN = {Decision.JOINS: "kept for the join phase", Decision.CURRENT: "answered at once"}


@chapter.clause(
    "GRP-103",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    COMPLETES,
    slug="groups/join-phase/waiting-request",
)
def what_waited_is_answered_as_it_ended(turn: Turn) -> Held | None:
    """A JoinGroup or SyncGroup that waits is answered by what ends its wait, and not before:
    without an error and with the new generation when the join phase or the leader's SyncGroup ends
    it, REBALANCE_IN_PROGRESS when a new join phase begins, UNKNOWN_MEMBER_ID or FENCED_INSTANCE_ID
    when its member is removed or replaced.
    """
    if turn.early:
        return fails(
            f"expected it to wait, found it answered with {response_of(turn)}", "answered early"
        )
    if turn.expected_answer is None:
        return None
    if turn.code is None:
        return fails(
            f"expected {error_name(turn.expected_answer.error)}, found no answer", "unanswered"
        )
    if turn.code != turn.expected_answer.error:
        return fails(
            f"expected {error_name(turn.expected_answer.error)}, found {response_of(turn)}",
            "error code",
        )
    if (
        isinstance(turn.outcome, JoinGroupAnswer)
        and not turn.code
        and turn.outcome.generation != turn.expected_answer.generation
    ):
        return fails(
            f"expected generation {turn.expected_answer.generation}, "
            f"found {turn.outcome.generation}",
            "generation",
        )
    return holds()


@a_join_phase_makes_the_next_generation.example("a group of one becomes a group of two")
@a_generation_has_one_leader.example("a group of one becomes a group of two")
@the_leader_is_listed_each_member.example("a group of one becomes a group of two")
@a_join_phase_waits.example("a group of one becomes a group of two")
@what_waited_is_answered_as_it_ended.example("a group of one becomes a group of two")
@what_changes_nothing_is_answered_at_once.example("a group of one becomes a group of two")
def _two() -> Scenario:
    return history(*pair())


def _leader_rejoins() -> tuple[JoinGroup | DescribeGroup, ...]:
    """The leader joins again, and a stranger takes the second place."""
    return (
        second(0, rebalance_ms=900),
        DescribeGroup(5, "PreparingRebalance", 2),
        first(2),
        second(2, rebalance_ms=900),
        DescribeGroup(5, "", 3),
    )
