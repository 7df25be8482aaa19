"""Faults of SyncGroup: which assignment a member of a classic group is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.groups.faults.fault import GroupFault
from spec.frozen import replace
from spec.groups.model.group import Group, Member, State
from spec.groups.outcomes import Assigned
from spec.groups.seams import Coordinator

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.groups.model.classic import Effect


def _assigns(change: Callable[[Group, Member], Assigned]) -> Coordinator:
    """Another assignment than the leader's; `change` is given the group before a SyncGroup, and the
    member that sends it.
    """

    def assigning(group: Group, member_id: str, effect: Effect) -> Effect:
        member = group.member(member_id)
        if member is None:
            return effect
        answers = [
            replace(one, assigned=change(group, member)) if one.assigned is Assigned.OWN else one
            for one in effect.answers
        ]
        return replace(effect, answers=tuple(answers))

    return Coordinator(assigning=assigning)


def _of_another_member(group: Group, _: Member) -> Assigned:
    return Assigned.OTHER if group.size > 1 else Assigned.OWN


def _empty_when_repeated(group: Group, member: Member) -> Assigned:
    repeated = group.state is State.STABLE and member.synced
    return Assigned.NOTHING if repeated else Assigned.OWN


def _of_an_earlier_generation(group: Group, _: Member) -> Assigned:
    return Assigned.EARLIER if group.generation > 1 else Assigned.OWN


FAULTS: tuple[GroupFault, ...] = (
    GroupFault(
        "assignments-exchanged",
        "GRP-165",
        Expected.VIOLATES,
        "A member is given what the leader assigned to another one.",
        _assigns(_of_another_member),
    ),
    GroupFault(
        "assignment-given-once",
        "GRP-165",
        Expected.VIOLATES,
        "A SyncGroup that is repeated is answered with an empty assignment.",
        _assigns(_empty_when_repeated),
    ),
    GroupFault(
        "assignment-of-an-earlier-generation",
        "GRP-165",
        Expected.VIOLATES,
        "A member is given what it was assigned in an earlier generation.",
        _assigns(_of_an_earlier_generation),
    ),
)
