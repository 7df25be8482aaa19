"""Implementations of others as child processes: found where they listen, restarted on their data,
reported where they fail. The programs here are small scripts; librdkafka's mock is the real one.
"""

import os
import signal
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from conformance.cli.common import make_codec
from conformance.engine.start import facts_of, reach_cluster
from conformance.facts import Given
from conformance.systems import implementation_sources
from conformance.systems.base import (
    CanRestart,
    ReportsItsEnd,
    StartFailed,
    StatesLimits,
)
from conformance.systems.implementation import (
    Make,
    Program,
    RestartableImplementation,
    implementation,
)
from conformance.systems.model import Model
from conformance.systems.probe import probe
from conformance.systems.registry import find
from tests.processes import awaited


def scripted(script: str, *, announces: bool = True, **more: object) -> Make:
    """An implementation that is a script of Python."""

    def command(port: int, data: Path, config: Mapping[str, str]) -> list[str]:
        return [sys.executable, "-c", textwrap.dedent(script), str(port), str(data), repr(config)]

    return Make("theirs", lambda: Program(command, "1.2", announces=announces), **more)  # type: ignore[arg-type]


@pytest.mark.system
def test_librdkafkas_mock_is_started_and_ends_with_its_name() -> None:
    mock = find("librdkafka-mock").create()
    assert isinstance(mock, StatesLimits)
    assert not isinstance(mock, CanRestart)
    with mock:
        assert mock.address[0] == "127.0.0.1"
        assert isinstance(mock, ReportsItsEnd)
        assert mock.end_reason() is None
        facts = mock.facts()
    assert facts["implementation"] == facts["system"] == "librdkafka-mock"
    assert facts["implementation.version"].startswith("confluent-kafka ")


@pytest.mark.system
def test_a_program_that_ends_is_reported_with_its_last_words() -> None:
    broker = implementation(scripted("import sys; sys.exit('no such option')"))
    with pytest.raises(StartFailed, match=r"theirs did not start: .* exit code 1") as failed:
        broker.start()
    assert "no such option" in failed.value.tail
    broker.stop()
    broker.stop()


@pytest.mark.system
def test_a_port_that_another_took_is_tried_again(tmp_path: Path) -> None:
    note = tmp_path / "ports"
    script = f"import sys; open({str(note)!r}, 'a').write(sys.argv[1] + '\\n'); sys.exit(1)"
    broker = implementation(scripted(script, announces=False))
    with pytest.raises(StartFailed):
        broker.start()
    broker.stop()
    assert len(note.read_text().split()) == 3


def test_one_that_keeps_its_data_can_be_restarted_with_other_configs() -> None:
    assert isinstance(implementation(implementation_sources.KFAKE), CanRestart)
    assert find("kfake").takes_config
    assert (
        implementation_sources.kfake_version()
        in (implementation_sources.KFAKE_SOURCES / "go.mod").read_text()
    )


@pytest.mark.system
def test_limits_that_a_broker_does_not_report_come_from_its_driver() -> None:
    class Stating(Model):
        limits: ClassVar = {"fetch.max.bytes": 77, "max.incremental.fetch.session.cache.slots": 5}

    with Stating() as served:
        cluster = reach_cluster(served, make_codec())
        facts = facts_of(cluster, Given(limits={"fetch.max.bytes": 99}), served)
    assert (facts.fetch_max_bytes, facts.session_slots) == (99, 5)


@pytest.mark.system
def test_a_restart_takes_other_configs_and_an_end_is_reported() -> None:
    broker = implementation(Make("theirs", implementation_sources.librdkafka_mock, keeps_data=True))
    assert isinstance(broker, RestartableImplementation)
    with broker:
        broker.restart({"group.max.size": "3"})
        assert probe(broker.address).brokers
        assert broker.facts()["config.group.max.size"] == "3"
        assert broker._child is not None
        assert broker._child.pid is not None
        os.kill(broker._child.pid, signal.SIGKILL)
        assert awaited(lambda: broker.end_reason() is not None, 60.0)
        assert "theirs ended with exit code 137" in (broker.end_reason() or "")


def test_every_module_of_kfake_is_pinned_by_its_hash() -> None:
    lines = (
        (implementation_sources.KFAKE_SOURCES / "go.mod")
        .read_text()
        .replace(" // indirect", "")
        .splitlines()
    )
    needed = [line.split()[-2:] for line in lines if line.split()[-1:] and " v" in line]
    sums = (implementation_sources.KFAKE_SOURCES / "go.sum").read_text()
    assert implementation_sources.KFAKE_MODULE in {name for name, _ in needed}
    assert all(f"{name} {version} h1:" in sums for name, version in needed)
