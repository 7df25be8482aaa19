"""Members are made to leave groups that are to be deleted, whatever kinds of group they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from conformance.cli.common import make_codec
from conformance.cluster import Cluster
from conformance.engine.cleaning import delete_groups
from conformance.wire.negotiation import ApiVersions
from spec.kafka import Error

if TYPE_CHECKING:
    from conformance.wire.connection import Connection

CODEC = make_codec()
KEYS = {name: key for key, name in CODEC.api_names.items()}
_NAMED = ("Describe", "Heartbeat")
CLASSIC, CONSUMER, SHARE, EMPTY = "fencepost-a", "fencepost-b", "fencepost-c", "fencepost-d"


@dataclass
class Groups:
    """A connection to a coordinator that has these members, by group."""

    classic: dict[str, set[str]]
    consumer: dict[str, set[str]]
    share: dict[str, set[str]]
    asked: list[str] = field(default_factory=list)

    def ask(self, api: str, version: int, value: dict[str, Any]) -> dict[str, Any]:
        CODEC.request(api, version).encode(value, 1, "test")  # it has every field
        self.asked.append(api)
        match api:
            case "DeleteGroups":
                return {"results": [self._deleted(name) for name in value["groups_names"]]}
            case "DescribeGroups":
                return _described(value["groups"], self.classic)
            case "ConsumerGroupDescribe":
                return _described(value["group_ids"], self.consumer)
            case "ShareGroupDescribe":
                return _described(value["group_ids"], self.share)
            case "LeaveGroup":
                self.classic[value["group_id"]] -= {one["member_id"] for one in value["members"]}
            case _:
                assert value["member_epoch"] == -1
                of_kind = self.consumer if api == "ConsumerGroupHeartbeat" else self.share
                of_kind[value["group_id"]].discard(value["member_id"])
        return {"error_code": 0}

    def _deleted(self, name: str) -> dict[str, Any]:
        members = [some.get(name) for some in (self.classic, self.consumer, self.share)]
        code = Error.NON_EMPTY_GROUP if any(members) else Error.NONE
        return {"group_id": name, "error_code": code}


def _described(names: list[str], members: dict[str, set[str]]) -> dict[str, Any]:
    groups = [
        {
            "group_id": name,
            "error_code": 0 if name in members else Error.GROUP_ID_NOT_FOUND,
            "members": [{"member_id": one} for one in sorted(members.get(name, ()))],
        }
        for name in names
    ]
    return {"groups": groups}


def codes(groups: Groups, *apis: str) -> dict[str, int]:
    """The errors by which groups are deleted on a broker that offers these APIs."""
    offered = {KEYS[api]: (0, 10) for api in ("DeleteGroups", *apis)}
    cluster = Cluster("127.0.0.1", 1, CODEC, ApiVersions(0, 4, offered, {}, {}, -1))
    names = [*groups.classic, *groups.consumer, *groups.share, EMPTY]
    deleted = delete_groups(cluster, cast("Connection", groups), names)
    return {name: code for name, (code, _) in deleted.items()}


def full() -> Groups:
    return Groups({CLASSIC: {"m1", "m2"}}, {CONSUMER: {"m3"}}, {SHARE: {"m4", "m5"}})


def test_members_of_each_kind_leave_before_their_groups_are_deleted() -> None:
    kinds = [f"{kind}Group{api}" for kind in ("Consumer", "Share") for api in _NAMED]
    assert not any(codes(full(), "DescribeGroups", "LeaveGroup", *kinds).values())


def test_groups_stay_where_the_broker_has_no_api_to_leave_them() -> None:
    found = codes(full(), "DescribeGroups", "LeaveGroup", "ShareGroupDescribe")
    assert {name for name, code in found.items() if code} == {CONSUMER, SHARE}
    assert codes(full())[CLASSIC] == Error.NON_EMPTY_GROUP


def test_groups_without_members_are_deleted_at_once() -> None:
    groups = Groups({}, {}, {})
    assert codes(groups, "DescribeGroups") == {EMPTY: 0}
    assert groups.asked == ["DeleteGroups"]
