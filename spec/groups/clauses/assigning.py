"""What the leader of a classic group assigns, and what SyncGroup is answered with."""

from spec.clause import Chapter, Code, Doc, Held, fails, holds
from spec.groups.examples import alone, history, pair, static, static_pair
from spec.groups.model.group import Kind
from spec.groups.outcomes import Assigned, GroupAnswer
from spec.groups.steps import SyncGroup
from spec.groups.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength

chapter: Chapter[Turn] = Chapter()

_FOUND = {
    Assigned.NOTHING: "an empty one",
    Assigned.OTHER: "what it gave another member",
    Assigned.EARLIER: "one of an earlier generation",
    Assigned.STRANGE: "one that no leader gave",
}


@chapter.clause(
    "GRP-165",
    Strength.MUST,
    LimitClass.EMERGENT,
    Doc(
        "protocol guide, SyncGroup: each assignment of the request names the member to assign, and "
        "the response has the member's assignment"
    ),
    Code("GroupMetadataManager.java", "setAndPropagateAssignment"),
    slug="groups/sync/assignment",
)
def a_member_is_given_what_its_leader_assigned(turn: Turn) -> Held | None:
    """A SyncGroup to a classic group that is answered without an error is answered with the
    assignment, byte for byte, that the leader of the request's generation gave the request's member
    id in its own SyncGroup: not with an empty one, another member's, or one of an earlier
    generation. So is each further SyncGroup of that member in that generation.

    Nothing is said where the leader gave the member id none, as of a static member that came back
    under a new id; of a generation for which JoinGroup named two leaders, as when a static leader
    came back; of a generation that began before the broker was restarted; nor of an assignment of a
    later generation than the request's.
    """
    if not isinstance(turn.step, SyncGroup) or turn.before.kind is not Kind.CLASSIC:
        return None
    answer = turn.outcome
    if not isinstance(answer, GroupAnswer) or answer.error or answer.assigned is Assigned.UNKNOWN:
        return None
    if answer.assigned is not Assigned.OWN:
        found = _FOUND[answer.assigned]
        return fails(
            f"expected the assignment that the leader gave the member, found {found}", found
        )
    return holds()


@a_member_is_given_what_its_leader_assigned.example("two members of one group")
def _pair() -> Scenario:
    return history(*pair())


@a_member_is_given_what_its_leader_assigned.example("a member that sends its SyncGroup again")
def _sync_twice() -> Scenario:
    return history(*alone(), SyncGroup(0))


@a_member_is_given_what_its_leader_assigned.example(
    "the leader of two static members comes back under a new id, and the other one asks again"
)
def _leader_comes_back() -> Scenario:
    back = static(0, "i0", parked=False)
    syncs = SyncGroup(0, instance="i0"), SyncGroup(1, instance="i1")
    return history(*static_pair(), *syncs, back, *syncs, limit=3)
