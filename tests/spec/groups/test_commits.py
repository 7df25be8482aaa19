"""Who may commit and fetch offsets, as seen on Kafka 4.3.1."""

import pytest

from spec.groups.model.commits import Sender, commit_error, fetch_error
from spec.groups.model.group import Group, Kind, Member, State
from spec.kafka import Error

VERSION = 9
CLASSIC = Group(Kind.CLASSIC, State.STABLE, 3, (Member("a"), Member("b", "i")), leader="a")
CONSUMER = Group(Kind.CONSUMER, members=(Member("a", epoch=4),), epoch=4)
EMPTY = Group(Kind.CLASSIC, State.EMPTY, 3)
COMPLETING = Group(Kind.CLASSIC, State.COMPLETING, 3, (Member("a"),), leader="a")


@pytest.mark.parametrize(
    ("group", "sender", "error"),
    [
        (Group(), Sender(), 0),
        (Group(), Sender("a"), 0),
        (Group(), Sender("a", 3), Error.GROUP_ID_NOT_FOUND),
        (EMPTY, Sender("a"), 0),
        (EMPTY, Sender("", 3), Error.UNKNOWN_MEMBER_ID),
        (CLASSIC, Sender("a", 3), 0),
        (CLASSIC, Sender("a", 4), Error.ILLEGAL_GENERATION),
        (CLASSIC, Sender("a"), Error.ILLEGAL_GENERATION),
        (CLASSIC, Sender("x", 3), Error.UNKNOWN_MEMBER_ID),
        (CLASSIC, Sender(), Error.UNKNOWN_MEMBER_ID),
        (CLASSIC, Sender("a", 3, "other"), Error.UNKNOWN_MEMBER_ID),
        (CLASSIC, Sender("a", 3, "i"), Error.FENCED_INSTANCE_ID),
        (CLASSIC, Sender("b", 3, "i"), 0),
        (COMPLETING, Sender("a", 3), Error.REBALANCE_IN_PROGRESS),
        (COMPLETING, Sender("a", 4), Error.ILLEGAL_GENERATION),
        (CONSUMER, Sender("a", 4), 0),
        (CONSUMER, Sender("a", 3), Error.STALE_MEMBER_EPOCH),
        (CONSUMER, Sender("a"), Error.STALE_MEMBER_EPOCH),
        (CONSUMER, Sender(), Error.UNKNOWN_MEMBER_ID),
        (Group(Kind.CONSUMER, epoch=5), Sender(), 0),
        (Group(Kind.CONSUMER, epoch=5), Sender("a", 4), Error.UNKNOWN_MEMBER_ID),
        (Group(Kind.SHARE, epoch=5), Sender(), Error.GROUP_ID_NOT_FOUND),
    ],
)
def test_who_may_commit(group: Group, sender: Sender, error: int) -> None:
    assert commit_error(group, sender, VERSION) == error


def test_a_version_without_member_epochs_names_the_generation_of_no_group() -> None:
    assert commit_error(Group(), Sender("a", 3), VERSION - 1) == Error.ILLEGAL_GENERATION


def test_a_consumer_commits_by_a_version_that_has_epochs() -> None:
    assert commit_error(CONSUMER, Sender("a", 4), VERSION - 1) == Error.UNSUPPORTED_VERSION


@pytest.mark.parametrize(
    ("member", "epoch", "error"),
    [
        ("", -1, 0),
        ("a", 4, 0),
        ("a", 3, Error.STALE_MEMBER_EPOCH),
        ("a", 5, Error.STALE_MEMBER_EPOCH),
        ("a", -1, Error.STALE_MEMBER_EPOCH),
        ("x", 4, Error.UNKNOWN_MEMBER_ID),
        ("x", -1, Error.UNKNOWN_MEMBER_ID),
    ],
)
def test_who_may_fetch_in_a_consumer_group(member: str, epoch: int, error: int) -> None:
    assert fetch_error(CONSUMER, Sender(member, epoch)) == error
    assert fetch_error(CLASSIC, Sender(member, epoch)) == 0
