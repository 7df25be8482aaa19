"""What a run makes on a cluster of others is in its ledger before it is made, and is removed in the
end, by the run or after a crash by `fencepost clean`; what can't be removed is named.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.cleaning import Cleaning, NotRemoved, left_behind
from conformance.ledger import LEDGER_NAME, BadLedger, FileLedger, Kind, Made, read_ledger
from conformance.serve.settings import Settings
from conformance.subjects.fetch import quotas
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTIONS = ("--seed", "5", "--no-report", "--no-corpus")
GROUP_RESOURCE, SET = 32, 0


def invoke(*arguments: str) -> tuple[int, str]:
    """A command's exit code and what it says."""
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A served model, which a run takes for a cluster of others."""
    with serving(Settings("4.3.1")) as state:
        yield reach(state.host, state.port, make_codec())


def topics(cluster: Cluster) -> set[str]:
    """The topics that are there, without the broker's own."""
    with cluster.connect() as connection:
        answer = connection.ask("Metadata", 12, {"topics": None})
    return {str(topic["name"]) for topic in answer["topics"]} - {"__share_group_state"}


def groups(cluster: Cluster) -> set[str]:
    """The groups that are there."""
    with cluster.connect() as connection:
        answer = connection.ask("ListGroups", 4, {"states_filter": []})
    return {str(group["group_id"]) for group in answer["groups"]}


def configs(cluster: Cluster, group: str) -> dict[str, Any]:
    """A group's own configs."""
    resource = {
        "resource_type": GROUP_RESOURCE,
        "resource_name": group,
        "configuration_keys": None,
    }
    with cluster.connect() as connection:
        answer = connection.ask("DescribeConfigs", 4, {"resources": [resource]})
    return {one["name"]: one["value"] for one in answer["results"][0]["configs"]}


def create(cluster: Cluster, topic: str) -> None:
    """Make a topic."""
    wanted = {"name": topic, "num_partitions": 1, "replication_factor": 1}
    with cluster.connect() as connection:
        answer = connection.ask("CreateTopics", 7, {"topics": [wanted], "timeout_ms": 1000})
    assert not answer["topics"][0]["error_code"]


def configure(cluster: Cluster, group: str) -> None:
    """Give a group a config of its own."""
    config = {"name": "share.record.lock.duration.ms", "config_operation": SET, "value": "20000"}
    resource = {"resource_type": GROUP_RESOURCE, "resource_name": group, "configs": [config]}
    with cluster.connect() as connection:
        value = {"resources": [resource], "validate_only": False}
        answer = connection.ask("IncrementalAlterConfigs", 1, value)
    assert not answer["responses"][0]["error_code"]


def killed(cluster: Cluster, out: Path, *words: str) -> Path:
    """The folder of a run that was killed once its ledger lists both a group and a topic."""
    command = [sys.executable, "-m", "conformance.cli", "run", *words, *OPTIONS]
    command += ["--bootstrap-server", f"{cluster.host}:{cluster.port}", "--out", str(out)]
    run = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while run.poll() is None and time.monotonic() < deadline:
        for ledger in out.glob(f"*/{LEDGER_NAME}"):
            if {made.kind for made in read_ledger(ledger)} >= {Kind.GROUP, Kind.TOPIC}:
                run.kill()
                run.wait()
                return ledger.parent
        time.sleep(0.01)
    run.kill()
    run.wait()
    raise AssertionError("the run did not get going, or ended before it was killed")


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["fetch", "share"])
def test_a_run_leaves_nothing(cluster: Cluster, tmp_path: Path, subject: str) -> None:
    create(cluster, "of-others")
    before = groups(cluster)
    server = f"{cluster.host}:{cluster.port}"
    words = ("run", "--subject", subject, "--scenarios", "20", "--bootstrap-server", server)
    code, text = invoke(*words, *OPTIONS, "--out", str(tmp_path))
    assert code in {0, 1}, text
    (folder,) = tmp_path.iterdir()
    lines = (folder / LEDGER_NAME).read_text().splitlines()
    made = {tuple(json.loads(line).values()) for line in lines if "made" in json.loads(line)}
    kinds = {kind for kind, _ in made}
    assert kinds >= ({"topic"} if subject == "fetch" else {"topic", "group"})
    assert read_ledger(folder / LEDGER_NAME) == ()
    assert topics(cluster) == {"of-others"}
    assert groups(cluster) == before
    assert "left on the cluster" not in text


@pytest.mark.system
def test_what_a_killed_run_left_is_in_its_ledger_and_clean_removes_it_alone(
    cluster: Cluster, tmp_path: Path
) -> None:
    create(cluster, "of-others")
    create(cluster, "fencepost-of-another-run-0")
    folder = killed(cluster, tmp_path, "--subject", "share", "--scenarios", "500")
    remaining = read_ledger(folder / LEDGER_NAME)
    listed = {made.name for made in remaining if made.kind is Kind.TOPIC}
    kept = {"of-others", "fencepost-of-another-run-0"}
    assert topics(cluster) - kept <= listed
    assert groups(cluster) <= {made.name for made in remaining if made.kind is Kind.GROUP}
    command = ("clean", str(folder), "--bootstrap-server", f"{cluster.host}:{cluster.port}")
    deadline = time.monotonic() + 60
    code, text = invoke(*command)
    while code == 3 and time.monotonic() < deadline:  # members that were killed stay for a while
        assert "NON_EMPTY_GROUP" in text
        time.sleep(1)
        code, text = invoke(*command)
    assert (code, topics(cluster), groups(cluster)) == (0, kept, set()), text
    assert not any(
        configs(cluster, made.name) for made in remaining if made.kind is Kind.GROUP_CONFIG
    )
    said = "nothing is left to remove: all that the run's ledger lists was removed before\n"
    assert invoke(*command) == (0, said)


def test_configs_of_a_group_are_removed_and_what_is_gone_is_fine(
    cluster: Cluster, tmp_path: Path
) -> None:
    configure(cluster, "fencepost-a")
    configure(cluster, "fencepost-b")
    with FileLedger(tmp_path / LEDGER_NAME) as ledger:
        ledger.will_make(Kind.TOPIC, "fencepost-gone")
        ledger.will_make(Kind.GROUP, "fencepost-gone")
        ledger.will_make(Kind.GROUP_CONFIG, "fencepost-a", "fencepost-gone")
        assert Cleaning(cluster, ledger).remove_all() == ()
        assert ledger.remaining() == ()
    assert not configs(cluster, "fencepost-a")
    assert configs(cluster, "fencepost-b")


def test_what_can_not_be_removed_is_named_with_the_reason(cluster: Cluster, tmp_path: Path) -> None:
    create(cluster, "fencepost-t")
    with FileLedger(tmp_path / LEDGER_NAME) as ledger:
        ledger.will_make(Kind.QUOTA, "fencepost-quota")
        ledger.will_make(Kind.TOPIC, "fencepost-t")
    command = ("clean", str(tmp_path), "--bootstrap-server", f"{cluster.host}:{cluster.port}")
    code, text = invoke(*command)
    assert code == 3
    assert "removed 1 of 2" in text
    assert "left on the cluster: quota fencepost-quota: " in text
    assert "AlterClientQuotas" in text
    assert topics(cluster) == set()
    assert read_ledger(tmp_path / LEDGER_NAME) == (Made(Kind.QUOTA, "fencepost-quota"),)


def test_what_is_left_is_named_in_a_line_for_each_reason() -> None:
    left = [NotRemoved(Made(Kind.GROUP, f"fencepost-{n}"), "why") for n in range(5)]
    (line,) = left_behind(left, "try again")
    names = "fencepost-0, fencepost-1, fencepost-2 and 2 more"
    assert line == f"left on the cluster: group {names}: why; try again"


@pytest.mark.parametrize(
    "line",
    [
        '{"made": "topic", "name": "payments"}',
        '{"made": "broker", "name": "fencepost-1"}',
        '{"made": "topic"}',
        '{"made": ["topic"], "name": "fencepost-1"}',
        '{"removed": "topic", "name": ["fencepost-1"]}',
        "[]",
        "7",
        "nonsense",
        "",
    ],
)
def test_a_ledger_of_other_things_is_wrong_use_and_removes_nothing(
    cluster: Cluster, tmp_path: Path, line: str
) -> None:
    create(cluster, "payments")
    create(cluster, "fencepost-t")
    good = '{"made": "topic", "name": "fencepost-t"}'
    (tmp_path / LEDGER_NAME).write_text(f"{good}\n{line}\n")
    command = ("clean", str(tmp_path), "--bootstrap-server", f"{cluster.host}:{cluster.port}")
    code, text = invoke(*command)
    assert code == 2, text
    assert f"{LEDGER_NAME}:2" in text
    assert topics(cluster) == {"payments", "fencepost-t"}


def test_a_folder_without_a_ledger_is_wrong_use(tmp_path: Path) -> None:
    code, text = invoke("clean", str(tmp_path), "--bootstrap-server", "127.0.0.1:1")
    assert code == 2
    assert "name the folder of a run on an external cluster" in text


def test_a_line_that_was_not_written_wholly_names_nothing_that_was_made(tmp_path: Path) -> None:
    path = tmp_path / LEDGER_NAME
    with FileLedger(path) as ledger:
        ledger.will_make(Kind.TOPIC, "fencepost-1", "fencepost-2")
        ledger.note_removed(Kind.TOPIC, "fencepost-1")
    with path.open("a") as file:
        file.write('{"made": "topic", "na')
    assert read_ledger(path) == (Made(Kind.TOPIC, "fencepost-2"),)
    with FileLedger(path) as ledger:
        ledger.will_make(Kind.GROUP, "fencepost-3")
    assert read_ledger(path) == (Made(Kind.GROUP, "fencepost-3"), Made(Kind.TOPIC, "fencepost-2"))


def test_a_line_is_in_the_file_before_anything_is_made(tmp_path: Path) -> None:
    ledger = FileLedger(tmp_path / LEDGER_NAME)
    ledger.will_make(Kind.TOPIC, "fencepost-1")
    assert read_ledger(tmp_path / LEDGER_NAME) == (Made(Kind.TOPIC, "fencepost-1"),)
    ledger.close()


def test_other_bytes_than_text_are_no_ledger(tmp_path: Path) -> None:
    (tmp_path / LEDGER_NAME).write_bytes(os.urandom(3) + b"\xff\xfe")
    with pytest.raises(BadLedger):
        FileLedger(tmp_path / LEDGER_NAME)


@pytest.fixture
def silent(cluster: Cluster) -> Iterator[Cluster]:
    """A broker that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield Cluster(
            "127.0.0.1", listening.getsockname()[1], cluster.codec, cluster.versions, timeout=60
        )


def test_a_silent_broker_is_not_waited_for(silent: Cluster, tmp_path: Path) -> None:
    with FileLedger(tmp_path / LEDGER_NAME) as ledger:
        ledger.will_make(Kind.TOPIC, *[f"fencepost-{number}" for number in range(200)])
        ledger.will_make(Kind.GROUP, "fencepost-g")
        left = Cleaning(silent, ledger, answer_s=0.3, all_s=600).remove_all()
    assert len(left) == 201
    assert {one.reason.split(", found")[0] for one in left} == {
        "expected an answer to DeleteGroups v2"
    }


def test_quotas_are_taken_away_within_a_bound(
    silent: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "CLEAN_UP_S", 0.3)
    monkeypatch.setattr(Cluster, "version", lambda *_: 1)
    began = time.monotonic()
    quotas._take_away(silent, ("fencepost-quota-1",))
    assert time.monotonic() - began < silent.timeout / 2
