"""What Apache Kafka answers exactly beside the error code; and what is not tested here."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.groups.examples import history, pair
from spec.groups.outcomes import JoinGroupAnswer, MemberId
from spec.groups.steps import NEW, NULL_PROTOCOL_SINCE, DescribeGroup, JoinGroup, WaitFor
from spec.groups.turn import Turn
from spec.scenario import Scenario
from spec.verdict import ABOVE, BELOW, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()


@chapter.clause(
    "GRP-002",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("GroupMetadataManager.java", "6397-6402"),
    Doc("protocol guide, error code 81"),
    slug="groups/answer/refusal",
    fence=Fence("the JoinGroup version", Unit.VERSIONS, "7, the first with a null protocol"),
)
def a_refusal_names_nothing(turn: Turn) -> Held | None:
    """A JoinGroup answer with the error GROUP_MAX_SIZE_REACHED has generation -1, an empty member
    id and no members. Its protocol name is null from version 7 on and empty before.
    """
    answer = turn.outcome
    if turn.join is None or not turn.is_refused_for_size or not isinstance(answer, JoinGroupAnswer):
        return None
    where = side(turn.join.version, NULL_PROTOCOL_SINCE)
    protocol = "" if where is BELOW else None
    if (answer.generation, answer.member, answer.members, answer.protocol) != (
        -1,
        MemberId.NONE,
        0,
        protocol,
    ):
        seen = (
            f"generation {answer.generation}, member id {answer.member.value}, {answer.members} "
            f"members, protocol {_protocol_in_words(answer.protocol)}"
        )
        return breaks(
            where,
            "expected a refusal that names nothing, protocol "
            f"{_protocol_in_words(protocol)}, found {seen}",
            "fields",
        )
    return holds(where)


def _protocol_in_words(name: str | None) -> str:
    return "null" if name is None else name or "empty"


@chapter.clause(
    "GRP-154",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Doc("consumer config session.timeout.ms"),
    Code("GroupMetadataManager.java", "expireClassicGroupMemberHeartbeat"),
    timing_sensitive=True,
    slug="groups/session/timeout",
    fence=Fence(
        "the time since a member was last heard of",
        Unit.MILLISECONDS,
        "its session timeout and 5 s more",
    ),
)
def a_session_runs_out(turn: Turn) -> Held | None:
    """A member of which nothing was received for its session timeout plus 5,000 ms + 2 D is no
    longer counted by DescribeGroups. D is the longest delay of a plain request that was sent beside
    the history on a connection of its own (0 below 100 ms).
    """
    if not turn.arrives or not isinstance(turn.step, DescribeGroup) or not turn.before.members:
        return None
    if turn.overdue:
        return breaks(
            ABOVE,
            f"expected {len(turn.overdue)} members to be removed when their session ran out, "
            "found them there",
            "stays",
        )
    return holds(BELOW)


@a_session_runs_out.example("a session of a second runs out")
def _runs_out() -> Scenario:
    joins = (JoinGroup(0, NEW, session_ms=1000), JoinGroup(0, session_ms=1000))
    return history(
        *joins,
        DescribeGroup(1, "CompletingRebalance", 1),
        WaitFor(100, 1),
        DescribeGroup(1, "", 1),
        limit=1,
    )


@chapter.clause(
    "GRP-140",
    Strength.REFERENCE,
    LimitClass.HARD,
    Doc("protocol guide"),
    slug="groups/answer/nothing-follows",
)
def nothing_follows_an_answer(turn: Turn) -> Held | None:
    """No byte follows the last field of a JoinGroup answer."""
    if not isinstance(turn.outcome, JoinGroupAnswer) or turn.phase is not None:
        return None
    why = f"expected no bytes after the message, found {turn.outcome.trailing}"
    return fails(why, "trailing bytes") if turn.outcome.trailing else holds()


@a_refusal_names_nothing.example("a full group is asked in every version")
@nothing_follows_an_answer.example("a full group is asked in every version")
def _versions() -> Scenario:
    return history(*pair(), *[JoinGroup(2, NEW, version=version) for version in range(2, 10)])


chapter.exclude(
    "GRP-020",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("config group.max.size, group.consumer.max.size, group.share.max.size: valid values"),
    slug="groups/config/bounds",
    statement=(
        "A broker does not start with a size limit below 1, or a share group limit outside 1 to "
        "1000."
    ),
    reason=(
        "a broker that does not start can't be asked anything; the bounds belong to the subject of "
        "configuration limits"
    ),
)
chapter.exclude(
    "GRP-021",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("GroupCoordinatorService.java", "heartbeat"),
    slug="groups/restart/loading",
    statement=(
        "While a coordinator loads, JoinGroup is answered with COORDINATOR_LOAD_IN_PROGRESS and "
        "Heartbeat with no error."
    ),
    reason="how long a coordinator loads can't be brought about from outside",
)
chapter.exclude(
    "GRP-060",
    Strength.MUST,
    LimitClass.HARD,
    KIP(389, "Proposed Changes"),
    Code("AbstractCoordinator.java", "714-719"),
    slug="groups/client/refused",
    statement=(
        "A client whose JoinGroup or heartbeat is answered with GROUP_MAX_SIZE_REACHED reports "
        "that to its application, and stops joining after a bounded number of tries."
    ),
    reason=(
        "it binds clients, not brokers; the tests hold real clients to it, of which Kafka's share "
        "consumer reports nothing"
    ),
)
