"""The tables of heartbeat decisions: complete, and as the promises about sizes say."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import pytest

from spec.groups.model.assigned import (
    BY_ASSIGNMENT,
    STREAMS,
    Epoch,
    HeartbeatErrors,
    HeartbeatRequest,
    Sender,
    decide_heartbeat,
    epoch_of,
    sender_of,
)
from spec.groups.model.group import Group, Kind, Member
from spec.groups.releases import GroupSemantics
from spec.kafka import Error

REFUSED = Error.GROUP_MAX_SIZE_REACHED
MEMBERS = (
    Member("a"),
    Member("b", instance="i"),
    Member("c", instance="j", gone=True),
    Member("d"),
)
RELEASES = [
    replace(
        GroupSemantics(),
        fences_epoch_zero=fences,
        seats_known_instance=seats,
        seats_streams_members=streams,
    )
    for fences, seats, streams in product((False, True), repeat=3)
]
NAMED = (Kind.CONSUMER, Kind.SHARE)


def situations(
    *kinds: Kind,
) -> Iterator[tuple[Group, HeartbeatRequest, int, GroupSemantics]]:
    """Each small group, heartbeat, limit and release."""
    groups = [group for size in range(4) for group in combinations(MEMBERS, size)]
    for kind, members, member in product(kinds, groups, "abcdx"):
        instances = (None, "i", "j", "z") if kind is Kind.CONSUMER else (None,)
        for instance, epoch, current in product(instances, (0, -1, -2, 5), (False, True)):
            request = HeartbeatRequest(kind, member, epoch, instance, current)
            for limit, release in product(range(1, 5), RELEASES):
                yield Group(kind, members=members), request, limit, release


def test_the_tables_have_a_row_for_each_epoch_and_sender() -> None:
    assert set(BY_ASSIGNMENT) == set(product(Epoch, Sender))
    assert set(STREAMS) == set(product(Epoch, (Sender.STRANGER, Sender.DYNAMIC)))


@pytest.mark.parametrize(
    ("full", "fenced", "error"), [(False, False, 1), (True, False, 2), (True, True, 3)]
)
def test_a_row_looks_at_the_epoch_before_the_size(full: bool, fenced: bool, error: int) -> None:
    assert HeartbeatErrors(1, full=2, fenced=3).error(full=full, fenced=fenced) == error
    assert HeartbeatErrors(1).error(full=full, fenced=fenced) == 1


def test_who_joins_and_has_no_place_is_refused_if_and_only_if_the_group_is_full() -> None:
    """GRP-030, GRP-035 and GRP-036."""
    for group, request, limit, release in situations(*NAMED, Kind.STREAMS):
        if epoch_of(request) is Epoch.JOINS and sender_of(group, request) is Sender.STRANGER:
            refused = decide_heartbeat(group, request, limit, release) == REFUSED
            assert refused is (group.size >= limit), (group, request, limit)


def test_a_member_is_never_refused() -> None:
    """GRP-033, and GRP-038 where the release keeps it."""
    for group, request, limit, release in situations(*NAMED, Kind.STREAMS):
        known = group.member(request.member) is not None
        kept = request.kind is not Kind.STREAMS or release.seats_streams_members
        if known and kept:
            assert decide_heartbeat(group, request, limit, release) != REFUSED, (group, request)


def test_who_leaves_is_never_refused() -> None:
    for group, request, limit, release in situations(*NAMED, Kind.STREAMS):
        if epoch_of(request) is Epoch.LEAVES:
            assert decide_heartbeat(group, request, limit, release) != REFUSED, (group, request)


def test_an_instance_is_refused_by_a_full_group_only_where_the_release_does_not_count_it() -> None:
    """GRP-034."""
    for group, request, limit, release in situations(Kind.CONSUMER):
        if sender_of(group, request) is Sender.RETURNING and epoch_of(request) is Epoch.JOINS:
            error = decide_heartbeat(group, request, limit, release)
            full = group.size >= limit and not release.seats_known_instance
            assert error == (REFUSED if full else 0), (group, request, limit)


def test_only_joining_makes_a_group() -> None:
    for kind, epoch in product(NAMED, (5, -1, -2)):
        request = HeartbeatRequest(kind, "a", epoch, "i" if epoch == -2 else None)
        error = decide_heartbeat(Group(), request, 2, GroupSemantics())
        assert error == Error.GROUP_ID_NOT_FOUND


def test_a_consumer_leaves_for_a_moment_by_an_instance_id_alone() -> None:
    """As a broker of 4.3.1 answered, whatever the group."""
    for group in (Group(), Group(Kind.CONSUMER, members=(Member("a"),))):
        request = HeartbeatRequest(Kind.CONSUMER, "a", -2)
        assert decide_heartbeat(group, request, 2, GroupSemantics()) == Error.INVALID_REQUEST
