"""Members of groups against a scripted broker: a coordinator that comes up, a group that settles, a
join that is parked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conformance.ledger import FileLedger
from conformance.play.background import play_alone
from conformance.subjects.groups import history as playing
from conformance.subjects.groups.history import GroupHistory
from spec.groups.outcomes import GroupDescribed, JoinGroupAnswer, MemberId
from spec.groups.steps import DescribeGroup, JoinGroup
from spec.layout import Layout
from spec.outcomes import Outcome, Silent
from spec.scenario import Scenario
from tests.conformance.play.scripted import Peer, Scripted, broker

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from spec.steps import Step

OFFERED = {11: (0, 9), 13: (0, 5), 15: (0, 5), 18: (0, 4)}


def played(scripted: Scripted, *steps: Step) -> list[Outcome]:
    cluster = replace(scripted.cluster, versions=replace(scripted.cluster.versions, ranges=OFFERED))
    scenario = Scenario(Layout(()), steps)
    observation = play_alone(GroupHistory(cluster, scenario, topic="fencepost-committed"))
    assert observation.broken is None
    return [exchange.outcome for exchange in observation.exchanges]


def joined(error: int, member: str = "") -> dict[str, Any]:
    return {
        "error_code": error,
        "generation_id": -1,
        "protocol_type": "consumer",
        "protocol_name": None,
        "leader": "",
        "member_id": member,
        "members": [],
    }


def described(state: str, members: int) -> dict[str, Any]:
    member = {"client_id": "", "client_host": "", "member_metadata": b"", "member_assignment": b""}
    some = [{**member, "member_id": str(number)} for number in range(members)]
    group = {
        "error_code": 0,
        "group_id": "g",
        "group_state": state,
        "protocol_type": "",
        "protocol_data": "",
        "members": some,
    }
    return {"groups": [group]}


def test_a_coordinator_that_comes_up_is_asked_again_and_only_its_last_answer_counts() -> None:
    async def script(peer: Peer) -> None:
        for error in (15, 14, 16, 79):
            peer.answer(await peer.request(), joined(error, "given" if error == 79 else ""))

    with broker(script) as scripted:
        [outcome] = played(scripted, JoinGroup())
    assert isinstance(outcome, JoinGroupAnswer)
    assert (outcome.error, outcome.member) == (79, MemberId.GIVEN)
    assert len(scripted.heard) == 4


def test_a_group_is_described_until_it_is_as_wanted() -> None:
    async def script(peer: Peer) -> None:
        for answer in (
            described("PreparingRebalance", 1),
            described("Stable", 1),
            described("Stable", 2),
        ):
            peer.answer(await peer.request(), answer)

    with broker(script) as scripted:
        assert played(scripted, DescribeGroup(0, "Stable", 2)) == [GroupDescribed(0, "Stable", 2)]


def test_a_request_carries_the_member_id_that_an_earlier_answer_gave_to_another_actor() -> None:
    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            peer.answer(
                asked,
                joined(79, "first")
                if peer.number == 0
                else joined(25, asked.body.value["member_id"]),
            )

    with broker(script) as scripted:
        played(scripted, JoinGroup(0), JoinGroup(1, member=0))
    assert [request.body.value["member_id"] for _, request in scripted.heard] == ["", "first"]


def test_a_join_that_is_parked_is_given_up_as_late_as_its_patience_says() -> None:
    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.api == "ApiVersions":
                peer.answer(asked, {"error_code": 0, "api_keys": []})
            elif asked.api == "DescribeGroups":
                peer.answer(asked, described("Empty", 0))

    with broker(script) as scripted:
        silent, seen = played(
            scripted, JoinGroup(0, parked=True, patience_ms=300), DescribeGroup(1)
        )
    assert isinstance(silent, Silent)
    assert silent.control_answered
    assert 299 <= silent.waited_ms < 5_000
    assert seen == GroupDescribed(0, "Empty", 0)


def test_members_leave_all_at_once_and_a_broker_that_says_nothing_of_it_is_soon_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(playing, "LEAVING_S", 0.3)
    monkeypatch.setattr(playing, "PATIENCE_S", 3_600.0)

    async def script(peer: Peer) -> None:
        while True:
            asked = await peer.request()
            if asked.api == "JoinGroup":
                peer.answer(asked, joined(79, "given"))

    with broker(script) as scripted:
        scripted.cluster = replace(scripted.cluster, ledger=FileLedger(tmp_path / "ledger"))
        played(scripted, JoinGroup(0, group=0), JoinGroup(1, group=1))
        left = [request for _, request in scripted.heard if request.api == "LeaveGroup"]
        assert len({request.body.value["group_id"] for request in left}) == 2
