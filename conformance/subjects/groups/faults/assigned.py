"""Faults of groups whose coordinator assigns (consumer, share and streams groups), and of classic
members in them: their limits, and the change from one protocol to the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.frozen import replace
from spec.groups.clauses.migrating import decide_upgrade
from spec.groups.clauses.mixed import decide_in_consumer_group
from spec.groups.model.assigned import JOIN, HeartbeatRequest, decide_heartbeat
from spec.groups.model.classic import (
    Decision,
    ReceivedJoin,
)
from spec.groups.model.commits import Sender, commit_error, fetch_error
from spec.groups.model.group import Group, Kind
from spec.groups.outcomes import GroupOutcome, MemberHeartbeatAnswer
from spec.groups.seams import Coordinator
from spec.groups.steps import GroupStep, NamedStep
from spec.kafka import INT32_MAX, Error

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.groups.releases import GroupSemantics, Limits

from conformance.subjects.groups.faults.fault import GroupFault


def _faulty_heartbeat(
    change: Callable[[Group, HeartbeatRequest, int, GroupSemantics, int], int],
) -> Coordinator:
    def heartbeat(
        group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics
    ) -> int:
        return change(group, ask, limit, semantics, decide_heartbeat(group, ask, limit, semantics))

    return Coordinator(heartbeat=heartbeat)


def _one_more_consumer(
    group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics, _: int
) -> int:
    return decide_heartbeat(group, ask, limit + (ask.kind is Kind.CONSUMER), semantics)


def _ignore_share_limit(
    group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics, _: int
) -> int:
    return decide_heartbeat(group, ask, INT32_MAX if ask.kind is Kind.SHARE else limit, semantics)


def _refuses_epoch_zero(
    group: Group, ask: HeartbeatRequest, limit: int, _: GroupSemantics, error: int
) -> int:
    full = ask.epoch == JOIN and group.size >= limit
    return Error.GROUP_MAX_SIZE_REACHED if full and group.member(ask.member) is not None else error


def _shrink_named(
    group: Group, ask: HeartbeatRequest, limit: int, _: GroupSemantics, error: int
) -> int:
    return (
        Error.UNKNOWN_MEMBER_ID
        if group.loaded and group.size > limit and ask.epoch > JOIN
        else error
    )


def _checks_epoch_first(
    group: Group, ask: HeartbeatRequest, _: int, __: GroupSemantics, error: int
) -> int:
    unknown = group.member(ask.member) is None and ask.epoch > JOIN and group.kind is not Kind.NONE
    return Error.UNKNOWN_MEMBER_ID if unknown else error


def _seats_instance(
    group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics, _: int
) -> int:
    return decide_heartbeat(group, ask, limit, replace(semantics, seats_known_instance=True))


def _one_more_streams_member(
    group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics, _: int
) -> int:
    return decide_heartbeat(group, ask, limit + (ask.kind is Kind.STREAMS), semantics)


def _streams_size_first(
    group: Group, ask: HeartbeatRequest, limit: int, _: GroupSemantics, error: int
) -> int:
    stranger = ask.kind is Kind.STREAMS and ask.epoch > JOIN and group.member(ask.member) is None
    return Error.GROUP_MAX_SIZE_REACHED if stranger and group.size >= limit else error


def _seats_streams_members(
    group: Group, ask: HeartbeatRequest, limit: int, semantics: GroupSemantics, _: int
) -> int:
    return decide_heartbeat(group, ask, limit, replace(semantics, seats_streams_members=True))


def _measured_as_classic(group: Group, ask: ReceivedJoin, _: int) -> Decision:
    """By the limit of classic groups, which the history sets to one."""
    return decide_in_consumer_group(group, ask, 1)


def _refuses_classic_members(group: Group, ask: ReceivedJoin, limit: int) -> Decision:
    decision = decide_in_consumer_group(group, ask, limit)
    return Decision.FULL if group.size >= limit else decision


def _upgraded_by(change: Callable[[Limits], int]) -> Coordinator:
    """A classic group that a consumer comes to is measured by another limit."""
    return Coordinator(
        upgrading=lambda group, ask, limits: decide_upgrade(
            group, ask, replace(limits, consumer=change(limits))
        )
    )


def _too_large_is_full(group: Group, ask: HeartbeatRequest, limits: Limits) -> int:
    return (
        Error.GROUP_MAX_SIZE_REACHED
        if group.size > limits.consumer and ask.epoch == JOIN
        else decide_upgrade(group, ask, limits)
    )


def _commits(change: Callable[[Group, Sender, int], int]) -> Coordinator:
    """What becomes of the error code of a commit."""
    return Coordinator(
        committing=lambda group, sender, version: change(
            group, sender, commit_error(group, sender, version)
        )
    )


def _accepts(error: Error) -> Coordinator:
    """A commit that is to be answered so is taken."""
    return _commits(lambda _, __, code: 0 if code == error else code)


def _refuses_members(group: Group, sender: Sender, error: int) -> int:
    member = group.member(sender.member)
    return Error.STALE_MEMBER_EPOCH if member is not None and not error else error


def _assigns(wanted: Callable[[NamedStep], bool]) -> Coordinator:
    """An answer to the heartbeat of a consumer or share member holds an assignment if so wanted."""

    def altering(step: GroupStep, outcome: GroupOutcome) -> GroupOutcome:
        if not isinstance(step, NamedStep) or not isinstance(outcome, MemberHeartbeatAnswer):
            return outcome
        says_nothing = outcome.error or outcome.assigns is None
        return outcome if says_nothing else replace(outcome, assigns=wanted(step))

    return Coordinator(altering=altering)


def _fetches(change: Callable[[Group, Sender, int], int]) -> Coordinator:
    """What becomes of the error code of an OffsetFetch."""
    return Coordinator(
        fetching=lambda group, sender: change(group, sender, fetch_error(group, sender))
    )


def _refuses_named_members(_: Group, sender: Sender, error: int) -> int:
    return Error.STALE_MEMBER_EPOCH if sender.member and not error else error


def _asks_for_a_name(group: Group, sender: Sender, error: int) -> int:
    nameless = group.kind is Kind.CONSUMER and not sender.member
    return Error.UNKNOWN_MEMBER_ID if nameless else error


def _looks_at_classic_members(group: Group, sender: Sender, error: int) -> int:
    stranger = sender.member and group.member(sender.member) is None
    return Error.UNKNOWN_MEMBER_ID if group.kind is Kind.CLASSIC and stranger else error


def _takes_older_epochs(group: Group, sender: Sender, error: int) -> int:
    member = group.member(sender.member)
    older = member is not None and 0 <= sender.epoch < member.epoch and not member.classic
    return 0 if older else error


def _refuses_unshown_generations(group: Group, sender: Sender, error: int) -> int:
    member = group.member(sender.member)
    unshown = member is not None and member.classic and not member.carried
    return Error.ILLEGAL_GENERATION if group.kind is Kind.CONSUMER and unshown else error


V, D, C = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS

FAULTS: tuple[GroupFault, ...] = (
    GroupFault(
        "one-consumer-too-many",
        "GRP-030",
        V,
        "A consumer group takes one member more.",
        _faulty_heartbeat(_one_more_consumer),
    ),
    GroupFault(
        "share-group-unlimited",
        "GRP-035",
        V,
        "A share group takes any number.",
        _faulty_heartbeat(_ignore_share_limit),
    ),
    GroupFault(
        "named-member-refused",
        "GRP-033",
        V,
        "A member that sends epoch 0 again is refused.",
        _faulty_heartbeat(_refuses_epoch_zero),
    ),
    GroupFault(
        "named-group-shrunk",
        "GRP-037",
        D,
        "Members over a new limit are forgotten.",
        _faulty_heartbeat(_shrink_named),
    ),
    GroupFault(
        "one-streams-member-too-many",
        "GRP-036",
        V,
        "A streams group takes one member more.",
        _faulty_heartbeat(_one_more_streams_member),
    ),
    GroupFault(
        "streams-size-before-member",
        "GRP-039",
        D,
        "A full streams group refuses strangers of any epoch.",
        _faulty_heartbeat(_streams_size_first),
    ),
    GroupFault(
        "classic-limit-for-consumers",
        "GRP-040",
        V,
        "The classic limit holds in a consumer group.",
        Coordinator(mixing=_measured_as_classic),
    ),
    GroupFault(
        "classic-member-refused",
        "GRP-042",
        V,
        "A classic member of a full consumer group is refused.",
        Coordinator(mixing=_refuses_classic_members),
    ),
    GroupFault(
        "assignment-sent-once",
        "GRP-156",
        D,
        "A member that sends all its fields again is not sent its assignment again.",
        _assigns(lambda step: step.epoch == JOIN),
    ),
    GroupFault(
        "no-assignment-for-who-joins",
        "GRP-156",
        D,
        "A member that joins is not sent an assignment.",
        _assigns(lambda step: step.epoch != JOIN),
    ),
    GroupFault(
        "upgraded-when-full",
        "GRP-043",
        V,
        "A classic group that fills a consumer group is upgraded.",
        _upgraded_by(lambda of: of.consumer + 1),
    ),
    GroupFault(
        "upgraded-one-too-few",
        "GRP-043",
        V,
        "A group is full one member before it.",
        _upgraded_by(lambda of: of.consumer - 1),
    ),
    GroupFault(
        "upgraded-by-classic-limit",
        "GRP-043",
        V,
        "The classic limit holds for an upgrade.",
        _upgraded_by(lambda of: of.classic),
    ),
    GroupFault(
        "too-large-to-upgrade-is-full",
        "GRP-157",
        D,
        "One that is too large is refused for size.",
        Coordinator(upgrading=_too_large_is_full),
    ),
    GroupFault(
        "downgraded-past-limit",
        "GRP-045",
        V,
        "A consumer group becomes a classic group of any size.",
        Coordinator(downgrading=lambda _, __: True),
    ),
    GroupFault(
        "downgraded-by-consumer-limit",
        "GRP-045",
        V,
        "The limit of consumer groups holds for a downgrade.",
        Coordinator(downgrading=lambda remaining, limits: remaining <= limits.consumer),
    ),
    GroupFault(
        "downgrades-nobody",
        "GRP-164",
        D,
        "No consumer group is downgraded.",
        Coordinator(downgrading=lambda _, __: False),
    ),
    GroupFault(
        "member-may-not-commit",
        "GRP-046",
        V,
        "A member's commit by its own generation or epoch is refused.",
        _commits(_refuses_members),
    ),
    GroupFault(
        "stranger-commits",
        "GRP-047",
        V,
        "A commit of who is no member is taken.",
        _accepts(Error.UNKNOWN_MEMBER_ID),
    ),
    GroupFault(
        "stale-generation-commits",
        "GRP-047",
        V,
        "A commit by another generation is taken.",
        _accepts(Error.ILLEGAL_GENERATION),
    ),
    GroupFault(
        "higher-epoch-commits",
        "GRP-047",
        V,
        "A commit by another member epoch is taken.",
        _accepts(Error.STALE_MEMBER_EPOCH),
    ),
    GroupFault(
        "commits-before-sync",
        "GRP-158",
        D,
        "A commit is taken before the leader has sent its SyncGroup.",
        _accepts(Error.REBALANCE_IN_PROGRESS),
    ),
    GroupFault(
        "member-may-not-fetch-offsets",
        "GRP-048",
        V,
        "A consumer's OffsetFetch by its own epoch is refused.",
        _fetches(_refuses_named_members),
    ),
    GroupFault(
        "offsets-for-members-alone",
        "GRP-048",
        V,
        "An OffsetFetch that names no member is refused in a consumer group.",
        _fetches(_asks_for_a_name),
    ),
    GroupFault(
        "stranger-fetches-offsets",
        "GRP-049",
        V,
        "An OffsetFetch of who is no member is answered.",
        _fetches(lambda _, __, code: 0 if code == Error.UNKNOWN_MEMBER_ID else code),
    ),
    GroupFault(
        "higher-epoch-fetches-offsets",
        "GRP-049",
        V,
        "An OffsetFetch by another member epoch is answered.",
        _fetches(lambda _, __, code: 0 if code == Error.STALE_MEMBER_EPOCH else code),
    ),
    GroupFault(
        "older-epoch-fetches-offsets",
        "GRP-159",
        D,
        "An OffsetFetch by an epoch that the member has left behind is answered.",
        _fetches(_takes_older_epochs),
    ),
    GroupFault(
        "classic-members-fetch-offsets",
        "GRP-159",
        D,
        "A classic group answers no OffsetFetch of who names himself and is no member.",
        _fetches(_looks_at_classic_members),
    ),
    GroupFault(
        "epoch-before-size",
        "GRP-031",
        D,
        "A stranger's epoch is looked at before the size.",
        _faulty_heartbeat(_checks_epoch_first),
    ),
)

VARIANTS: tuple[GroupFault, ...] = (
    GroupFault(
        "assignment-with-every-heartbeat",
        "",
        C,
        "Each heartbeat is answered with the assignment, whether or not it is asked for.",
        _assigns(lambda _: True),
    ),
    GroupFault(
        "streams-member-seated",
        "",
        C,
        "A member of a full streams group joins again, as in 4.4.",
        _faulty_heartbeat(_seats_streams_members),
    ),
    GroupFault(
        "upgrades-nobody",
        "",
        C,
        "No classic group is upgraded: group.consumer.migration.policy says so.",
        Coordinator(upgrading=lambda _, __, ___: Error.GROUP_ID_NOT_FOUND),
    ),
    GroupFault(
        "unshown-generation-refused",
        "",
        C,
        "A commit of a classic member of a consumer group by a generation that no answer has shown "
        "is refused.",
        _commits(_refuses_unshown_generations),
    ),
    GroupFault(
        "instance-seated",
        "",
        C,
        "A static consumer finds its place, as in 4.4.",
        _faulty_heartbeat(_seats_instance),
    ),
)
