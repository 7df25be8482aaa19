"""The seams of a group coordinator at which a fault can be planted."""

from collections.abc import Callable

from spec.frozen import frozen
from spec.groups.clauses.migrating import decide_upgrade, fits_downgraded
from spec.groups.clauses.mixed import decide_in_consumer_group
from spec.groups.model.assigned import HeartbeatRequest, decide_heartbeat
from spec.groups.model.classic import Decision, Effect, ReceivedJoin, decide
from spec.groups.model.commits import Sender, commit_error, fetch_error
from spec.groups.model.group import Group
from spec.groups.model.membership import leave, load_group, remove_member
from spec.groups.model.timers import Timer, timers
from spec.groups.outcomes import GroupOutcome
from spec.groups.releases import GroupSemantics, Limits
from spec.groups.steps import GroupStep
from spec.outcomes import Outcome


def _as_it_is(_: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
    return outcome


def _as_chosen(effect: Effect) -> Effect:
    return effect


def _no_more(_: Group, effect: Effect, __: float) -> Effect:
    return effect


def _same_group(group: Group, _: tuple[Group, ...]) -> Group:
    return group


def _as_assigned(_: Group, __: str, effect: Effect) -> Effect:
    return effect


def _as_it_prolongs(_: GroupStep, __: Group, effect: Effect) -> Effect:
    return effect


@frozen
class Coordinator:
    """The deciding functions, each of which a planted fault can replace.

    Attributes:
        deciding: what is made of a JoinGroup.
        mixing: what is made of a JoinGroup to a consumer group.
        upgrading: the error code of a consumer's heartbeat to a classic group with members.
        downgrading: whether a consumer group that is left to so many classic members becomes a
            classic group.
        heartbeat: the error code of a heartbeat of a member that names itself.
        leaving: what LeaveGroup does.
        running_out: what a session that ran out does.
        loading: how a classic group is loaded.
        refusing: what more follows on a refusal for size, given the group before it.
        seeing: what a JoinGroup is measured by, given the other groups of the broker.
        committing: the error code of an OffsetCommit, given its version.
        fetching: the error code of an OffsetFetch (v9).
        leading: who leads when a join phase ends.
        altering: what becomes of an answer on its way out, a closed connection for one.
        timing: when a classic group's timers fire.
        assigning: what a SyncGroup to a classic group is answered with, given the group before it
            and the member id in it.
        prolonging: what a request to a classic group prolongs, given the group before it.
    """

    deciding: Callable[[Group, ReceivedJoin, int], Decision] = decide
    mixing: Callable[[Group, ReceivedJoin, int], Decision] = decide_in_consumer_group
    upgrading: Callable[[Group, HeartbeatRequest, Limits], int] = decide_upgrade
    downgrading: Callable[[int, Limits], bool] = fits_downgraded
    heartbeat: Callable[[Group, HeartbeatRequest, int, GroupSemantics], int] = decide_heartbeat
    leaving: Callable[[Group, int, str, str | None, float], Effect] = leave
    running_out: Callable[[Group, str, float], Effect] = remove_member
    loading: Callable[[Group, int, float], Group] = load_group
    refusing: Callable[[Group, Effect, float], Effect] = _no_more
    seeing: Callable[[Group, tuple[Group, ...]], Group] = _same_group
    committing: Callable[[Group, Sender, int], int] = commit_error
    fetching: Callable[[Group, Sender], int] = fetch_error
    leading: Callable[[Effect], Effect] = _as_chosen
    altering: Callable[[GroupStep, GroupOutcome], Outcome] = _as_it_is
    timing: Callable[[Group], tuple[Timer, ...]] = timers
    assigning: Callable[[Group, str, Effect], Effect] = _as_assigned
    prolonging: Callable[[GroupStep, Group, Effect], Effect] = _as_it_prolongs


REFERENCE = Coordinator()
