"""The embedded broker. Tests without the marker never get as far as starting Java."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.systems.base import CanPlaceFiles, CanRestart, UnknownVersion, Unreachable
from conformance.systems.cds import Archive
from conformance.systems.embedded import Embedded
from conformance.systems.probe import probe
from conformance.systems.storage import cluster_id
from tests.processes import awaited, gone

VERSION = "4.3.1"
ROOT = Path(__file__).parents[3]

PARENT = f"""
import sys, threading
from conformance.systems.embedded import Embedded
broker = Embedded({VERSION!r})
thread = threading.Thread(target=broker.start)
thread.start()
thread.join()
print(broker.pid, broker.work_dir, flush=True)
sys.stdin.read()
"""


def test_an_unlocked_version_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownVersion):
        Embedded("1.0.0", work_dir=tmp_path).start()
    assert list(tmp_path.iterdir()) == []


def test_a_broker_that_is_not_started_has_no_address() -> None:
    broker = Embedded(VERSION)
    assert not broker.alive
    assert broker.pid is None
    with pytest.raises(Unreachable, match=r"not started; call start\(\) first"):
        _ = broker.address
    broker.stop()


def test_it_has_the_optional_powers(tmp_path: Path) -> None:
    broker = Embedded(VERSION, work_dir=tmp_path)
    assert isinstance(broker, CanRestart)
    assert isinstance(broker, CanPlaceFiles)


@pytest.mark.broker
def test_it_starts_describes_itself_restarts_on_its_data_and_leaves_nothing() -> None:
    broker = Embedded(VERSION, config={"log.segment.bytes": "2097152", "log.dir": "/secret/place"})
    with broker:
        found = probe(broker.address)
        assert found.cluster_id == cluster_id(broker.data_dir)
        assert found.brokers == ((1, "127.0.0.1", broker.address[1]),)
        assert (18, 0, 4) in found.api_versions
        facts = broker.facts()
        assert facts["kafka.version"] == VERSION
        assert int(facts["java.version"].split(".")[0]) >= 17
        assert facts["config.log.segment.bytes"] == "2097152"
        assert "/secret/place" not in str(facts)
        assert any("Kafka Server started" in line for line in broker.log_tail(200))
        before, pid, folder = broker.address, broker.pid, broker.work_dir
        assert pid is not None
        broker.restart({"log.segment.bytes": "1048576"})
        assert broker.address == before
        assert probe(broker.address).cluster_id == found.cluster_id
        assert broker.facts()["config.log.segment.bytes"] == "1048576"
        assert gone(pid)
        (broker.data_dir / "unwanted").write_bytes(b"x")
        broker.restart_with({Path("wanted"): b"y", Path("unwanted"): None, Path("absent"): None})
        assert (broker.data_dir / "wanted").read_bytes() == b"y"
        assert not (broker.data_dir / "unwanted").exists()
        assert broker.facts()["config.log.segment.bytes"] == "1048576"
        pid = broker.pid
        assert pid is not None
    assert gone(pid)
    assert not folder.exists()
    assert not broker.alive


@pytest.mark.broker
def test_a_broker_goes_with_a_parent_that_is_killed_and_so_do_its_files() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as parent:
        assert parent.stdout is not None
        pid, folder = parent.stdout.readline().split()
        assert not gone(int(pid))
        parent.send_signal(signal.SIGKILL)
    assert awaited(lambda: gone(int(pid)), 30)
    assert awaited(lambda: not Path(folder).exists(), 30)


@pytest.mark.broker
def test_a_damaged_class_data_archive_costs_time_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.jsa"
    damaged.write_bytes(b"\xf0\x0b\xab\xa2" + bytes(1 << 16))
    real = Archive.of

    def of(version: str, java: object, jars: object) -> Archive:
        made = real(version, java, jars)  # type: ignore[arg-type]
        return Archive(made.java, made.class_path, damaged)

    monkeypatch.setattr(Archive, "of", of)
    with Embedded(VERSION) as broker:
        assert probe(broker.address).brokers
