"""A scenario file whose steps can't be asked is refused, and the message names the field, what was
expected and what was found.
"""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest

from spec.bounds import numbers, words_of
from spec.canonical import FormatError, identity, known_classes, read_scenario, write_scenario
from spec.catalogue import examples
from spec.fetch.steps import Fetch
from spec.groups.steps import JoinGroup
from spec.layout import Batch
from spec.scenario import Scenario
from spec.share.steps import ShareFetch
from spec.steps import Step

LAYOUT = {"partitions": [{"segments": [[{"size": 100}]]}]}


def read(*steps: dict[str, Any]) -> Scenario:
    kinds = {step.get("kind") for step in steps}
    named = {"subject": "fetch"} if kinds <= {"append", "delete_records"} else {}
    return read_scenario(
        json.dumps({"fencepost_scenario": 1, **named, "layout": LAYOUT, "steps": steps})
    )


def share_fetch(**changed: Any) -> dict[str, Any]:
    return {"kind": "share_fetch", "partitions": [{"partition": 0}], **changed}


def starts(partition: int, offset: int) -> dict[str, Any]:
    return {"kind": "alter_share_group_offsets", "starts": [[partition, offset]]}


def acknowledging(types: list[int]) -> dict[str, Any]:
    return share_fetch(
        partitions=[{"partition": 0, "acknowledgements": [{"first": 0, "last": 0, "types": types}]}]
    )


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            starts(7, 0),
            "starts[0][0]: expected the number of a partition of the layout, from 0 to 0, found 7",
        ),
        (
            starts(0, 2**63),
            f"starts[0][1]: expected an int64, from {-(2**63)} to {2**63 - 1}, found {2**63}",
        ),
        (
            {"kind": "find_share_coordinator", "partition": 1},
            "partition: expected the number of a partition of the layout",
        ),
        (
            {"kind": "append", "partition": -1, "batch": {"size": 100}},
            "partition: expected the number of a partition of the layout",
        ),
        (
            {"kind": "append", "partition": 0, "batch": {"size": 5}},
            "batch: a batch has at least 61 bytes",
        ),
        (
            {"kind": "append", "partition": 0, "batch": {"size": 100, "gap": 1}},
            "batch: expected a batch without gap",
        ),
        (
            share_fetch(max_records=2**31),
            f"max_records: expected an int32, from {-(2**31)} to {2**31 - 1}, found {2**31}",
        ),
        (share_fetch(max_records=2**63), "max_records: expected an int32"),
        (share_fetch(mode=300), "mode: expected an int8, from -128 to 127, found 300"),
        (acknowledging([1, 128]), "partitions[0].acknowledgements[0].types[1]: expected an int8"),
        (share_fetch(max_wait_ms=2**31 - 1), "max_wait_ms: expected a wait in milliseconds"),
        (share_fetch(max_wait_ms=2**31 - 1, parked=True), "to 600000, found 2147483647"),
        (share_fetch(version=-1), "version: expected the version of a request, from 0"),
        (share_fetch(actor=-1), "actor: expected the number of an actor, from 0"),
        (
            share_fetch(partitions=[{"partition": -1}]),
            "partitions[0].partition: expected the number of a partition",
        ),
        (share_fetch(epoch="last"), "epoch: expected a number or 'next', found 'last'"),
        (share_fetch(group="\ud800"), "group: expected text that UTF-8 has"),
        (
            share_fetch(member="x" * 40_000),
            "member: expected text of at most 32000 bytes, found 40000",
        ),
        (
            {"kind": "pause", "ms": -5},
            "ms: expected a time in milliseconds, from 0 to 600000, found -5",
        ),
        (
            {"kind": "pause", "ms": 10**9},
            "ms: expected a time in milliseconds, from 0 to 600000, found 1000000000",
        ),
        ({"kind": "fetch", "isolation": 300}, "isolation: expected an int8"),
        ({"kind": "fetch", "session": "mine"}, "session: expected a number or 'own'"),
        (
            {"kind": "fetch", "forgotten": [0, -1]},
            "forgotten[1]: expected the number of a partition",
        ),
        ({"kind": "fetch", "after_ms": -1}, "after_ms: expected a time in milliseconds"),
        ({"kind": "wait_for", "ms": 10**9}, "ms: expected a time in milliseconds"),
        ({"kind": "join_group", "session_ms": 2**31}, "session_ms: expected an int32"),
        (
            {"kind": "join_group", "member": "somebody"},
            "member: expected a number or 'own' or 'new' or 'stranger'",
        ),
        (
            {"kind": "join_group", "instance": "a", "version": 4},
            "instance: expected none before version 5 of JoinGroup",
        ),
    ],
)
def test_a_step_that_cannot_be_asked_is_refused_by_its_field(
    step: dict[str, Any], said: str
) -> None:
    with pytest.raises(FormatError) as refused:
        read(step)
    assert str(refused.value).startswith("$.steps[0].")
    assert said in str(refused.value)


def test_a_scenario_without_steps_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^\$\.steps: expected at least one step"):
        read()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            ["log.dirs", "/home/user/.ssh"],
            "expected configs out of fetch.max.bytes, found 'log.dirs'",
        ),
        (["listeners", "PLAINTEXT://0.0.0.0:9092"], "found 'listeners'"),
        (
            ["fetch.max.bytes", "lots"],
            (
                "expected fetch.max.bytes to be a count of bytes, from 1024 to 2147483647, found "
                "'lots'"
            ),
        ),
        (["fetch.max.bytes", "1023"], "found '1023'"),
        (["fetch.max.bytes", "1" * 5000], "expected fetch.max.bytes to be a count of bytes"),
    ],
)
def test_a_file_sets_no_config_but_the_limits_that_the_model_knows(
    config: list[str], said: str
) -> None:
    plain = {
        "fencepost_scenario": 1,
        "layout": LAYOUT,
        "steps": [{"kind": "fetch"}],
        "config": [config],
    }
    with pytest.raises(FormatError) as refused:
        read_scenario(json.dumps(plain))
    assert str(refused.value).startswith("$.config: expected ")
    assert said in str(refused.value)


def test_a_restart_in_the_midst_of_a_history_sets_no_other_config_either() -> None:
    with pytest.raises(
        FormatError,
        match=r"^\$\.steps\[0\]\.config: expected configs out of group\.max\.size, "
        r".*found 'log\.dirs'",
    ):
        read({"kind": "restart_with", "config": [["log.dirs", "/"]]})


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ({"size": 10**13}, "expected a batch of at most"),
        ({"size": 100, "records": 10**9}, "expected a batch of at most"),
        ({"size": 100, "gap": 10**15}, "expected a batch of at most"),
        ({"size": 100, "txn": 10**400}, "expected the number of a transaction from 0 to 9999"),
        ({"size": 100, "txn": -1}, "expected the number of a transaction from 0 to 9999"),
        (
            {"kind": ["marker"], "txn": 0, "commit": True},
            "kind: expected one of marker, found ['marker']",
        ),
        ({"kind": {}, "txn": 0}, "kind: expected one of marker, found {}"),
    ],
)
def test_what_no_machine_could_lay_out_is_refused(batch: dict[str, Any], said: str) -> None:
    plain = {
        "fencepost_scenario": 1,
        "layout": {"partitions": [{"segments": [[batch]]}]},
        "steps": [{"kind": "fetch"}],
    }
    with pytest.raises(FormatError) as refused:
        read_scenario(json.dumps(plain))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("layout", "what"),
    [
        ({"partitions": [{"segments": [[]]}] * 1001}, "1000 partitions in a layout, found 1001"),
        (
            {"partitions": [{"segments": [[{"size": 10**8}] * 3]}]},
            "268435456 bytes in a layout, found 300000000",
        ),
        (
            {"partitions": [{"segments": [[{"size": 10**6, "records": 10**6}] * 2]}]},
            "1000000 records in a layout, found 2000000",
        ),
    ],
)
def test_a_layout_has_a_largest_size(layout: dict[str, Any], what: str) -> None:
    with pytest.raises(FormatError, match=what):
        read_scenario(
            json.dumps({"fencepost_scenario": 1, "layout": layout, "steps": [{"kind": "fetch"}]})
        )


@pytest.mark.parametrize("other", [share_fetch(), {"kind": "heartbeat"}])
def test_steps_of_two_subjects_do_not_go_together(other: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"^\$\.steps\[0\]\.kind: expected steps of one subject"):
        read({"kind": "fetch"}, other)


def test_whatever_the_wire_carries_may_be_asked() -> None:
    read(
        share_fetch(
            max_records=-(2**31),
            mode=-128,
            version=99,
            epoch=2**31 - 1,
            max_bytes=-1,
            max_wait_ms=-1,
            actor=99,
        )
    )
    read(starts(0, -5), starts(0, 2**63 - 1), share_fetch(partitions=[{"partition": 9}]))
    read(
        {
            "kind": "fetch",
            "partitions": [{"partition": 5, "offset": -(2**63), "absolute": True}],
            "session": 2**31 - 1,
            "epoch": -7,
        }
    )


def test_every_worked_example_comes_back_from_its_file() -> None:
    scenarios = [example.scenario for found in examples().values() for example in found]
    assert scenarios
    for scenario in scenarios:
        assert read_scenario(write_scenario(scenario)) == scenario


def test_a_file_of_shared_steps_alone_must_name_its_subject() -> None:
    plain = {
        "fencepost_scenario": 1,
        "layout": LAYOUT,
        "steps": [{"kind": "append", "partition": 0, "batch": {"size": 100}}],
    }
    with pytest.raises(
        FormatError, match=r"\$\.subject: expected one of fetch, share, groups.*name it"
    ):
        read_scenario(json.dumps(plain))
    assert read_scenario(json.dumps({**plain, "subject": "share"})).subject == "share"


def test_the_id_does_not_depend_on_a_subject_that_the_steps_say() -> None:
    implied = read(share_fetch())
    named = read_scenario(
        json.dumps(
            {
                "fencepost_scenario": 1,
                "subject": "share",
                "layout": LAYOUT,
                "steps": [share_fetch()],
            }
        )
    )
    assert (named, identity(named)) == (implied, identity(implied))


def classes(kind: Any) -> Iterator[type]:
    """The dataclasses that a value of this type may hold."""
    if is_dataclass(kind):
        assert isinstance(kind, type)
        yield kind
        for inner in get_type_hints(kind).values():
            yield from classes(inner)
    for inner in get_args(kind):
        yield from classes(inner)


def holds(kind: Any, wanted: type) -> bool:
    return kind is wanted or any(holds(inner, wanted) for inner in get_args(kind))


def test_every_number_of_a_step_has_a_range() -> None:
    steps = {found for step in known_classes(Step) for found in classes(step)} - {Batch}
    assert {Fetch, ShareFetch, JoinGroup} < steps
    assert set(numbers()) == steps
    for kind in steps:
        hints = get_type_hints(kind)
        counted = {field.name for field in fields(kind) if holds(hints[field.name], int)}
        assert set(numbers()[kind]) == counted, kind
        named = {field.name for field in fields(kind) if field.metadata.get("spread")}
        assert set(words_of().get(kind, {})) == {
            name for name in counted - named if holds(hints[name], str)
        }, kind
