"""Starting a broker where starts fail, ports are late or taken, and settings are bad (cases X01,
X02, X11, X12).

The docker library is played by a stand-in where a case asks for failures at will; the tests marked
`container` use the daemon.
"""

import itertools
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.systems import container
from conformance.systems.base import StartFailed
from conformance.systems.container import Container
from conformance.systems.embedded import Embedded, free_ports
from conformance.systems.probe import Probe, probe
from conformance.systems.storage import cluster_id

VERSION = "4.3.1"
IMAGE = os.environ.get("FENCEPOST_IMAGE", "local/kafka:4.3.1")
BUSY = b"/usr/bin/env: '/etc/kafka/docker/run': Text file busy\n"


class Docker:
    """Containers of which some end at once, and whose ports are published after so many looks."""

    def __init__(self, ends: Callable[[int], bool] = lambda _: False, looks: float = 0) -> None:
        self.ends = ends
        self.looks = looks
        self.started = 0
        self.running: list[str] = []

    def container(self, image: str, **_: object) -> Any:
        """Stands for testcontainers' DockerContainer, and for the docker library's that is behind
        it.
        """
        environment: dict[str, str] = {}
        mapping = SimpleNamespace()
        left = itertools.count(self.looks, -1)
        wrapped = SimpleNamespace(
            status="created",
            ports={},
            attrs={"State": {"ExitCode": 126}},
            image=SimpleNamespace(id=image),
            logs=lambda tail: BUSY,
        )

        def start() -> None:
            self.started += 1
            wrapped.status = "exited" if self.ends(self.started) else "running"
            if wrapped.status == "running":
                self.running.append(environment["CLUSTER_ID"])

        def reload() -> None:
            if wrapped.status == "running" and next(left) <= 0:
                wrapped.ports = {
                    key: [{"HostPort": str(port)}] for key, (_, port) in mapping.ports.items()
                }

        wrapped.reload = reload
        mapping.with_env = environment.__setitem__
        mapping.start, mapping.stop = start, lambda: None
        mapping.get_wrapped_container = lambda: wrapped
        return mapping


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Docker]:
    """Puts a stand-in for the docker library in place, whose newest running container is the broker
    that answers.
    """

    def put(**behaviour: Any) -> Docker:
        made = Docker(**behaviour)
        monkeypatch.setattr("testcontainers.core.container.DockerContainer", made.container)
        monkeypatch.setattr(
            container, "_docker_client", lambda: SimpleNamespace(close=lambda: None)
        )
        monkeypatch.setattr(container, "remove_leftovers", lambda _: 0)
        monkeypatch.setattr(container, "_provide", lambda _, __: None)
        monkeypatch.setattr(
            container, "await_broker", lambda *_, **__: Probe(made.running[-1], (), ())
        )
        return made

    return put


def test_x01_of_fifty_starts_by_a_stand_in_all_succeed_though_every_third_fails_first(
    docker: Callable[..., Docker],
) -> None:
    found = docker(ends=lambda number: number % 3 == 0)
    retried = []
    for _ in range(50):
        with Container("some/image") as broker:
            retried.append(broker.facts().get("start.retried"))
    assert len(found.running) == 50
    assert found.started == 50 + len([one for one in retried if one])
    assert set(retried) == {None, "it ended with exit code 126"}


def test_x01_a_start_that_fails_again_and_again_is_no_verdict(
    docker: Callable[..., Docker], tmp_path: Path
) -> None:
    docker(ends=lambda _: True)
    found = CliRunner().invoke(
        main, ["run", "--image", "some/image", "--no-report", "--no-corpus", "--out", str(tmp_path)]
    )
    assert found.exit_code == 3
    assert "did not start: it ended with exit code 126" in found.output
    assert "Text file busy" in found.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.container
@pytest.mark.slow
@pytest.mark.usefixtures("daemon")
def test_x01_five_real_containers_start_one_after_the_other() -> None:
    for _ in range(5):
        with Container(IMAGE) as broker:
            assert probe(broker.address).brokers


def test_x02_a_port_that_is_published_late_is_waited_for(docker: Callable[..., Docker]) -> None:
    docker(looks=5)
    with Container("some/image", ports=lambda: 4711) as broker:
        assert broker.address[1] == 4711
        assert "start.retried" not in broker.facts()


def test_x02_a_port_that_is_never_published_is_a_failed_start(
    docker: Callable[..., Docker], monkeypatch: pytest.MonkeyPatch
) -> None:
    docker(looks=float("inf"))
    monkeypatch.setattr(container, "_MAPPING_S", 0.2)
    with pytest.raises(StartFailed, match="the daemon did not publish port 4711"):
        Container("some/image", ports=lambda: 4711).start()


def test_x11_a_container_whose_port_leads_to_another_broker_is_not_believed(
    docker: Callable[..., Docker], monkeypatch: pytest.MonkeyPatch
) -> None:
    docker()
    monkeypatch.setattr(container, "await_broker", lambda *_, **__: Probe("foreign", (), ()))
    with pytest.raises(StartFailed, match="another broker answers on port 4711"):
        Container("some/image", ports=lambda: 4711).start()


@contextmanager
def foreign_broker() -> Iterator[tuple[int, list[int]]]:
    """A port on which another cluster's broker answers ApiVersions and Metadata; and how often it
    was asked.
    """
    asked: list[int] = []
    api_versions = bytes.fromhex("00000012 0000 00000001 0001 0004 0011")
    metadata = bytes.fromhex(
        "00000003 00000000 00000001 00000001 0001 68 00002384 ffff 0007 666f726569676e 00000001 "
        "00000000"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                connection, _ = server.accept()
                with connection:
                    for answer in (api_versions, metadata):
                        if not connection.recv(1000):
                            return
                        connection.sendall(len(answer).to_bytes(4, "big") + answer)
                    asked.append(1)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], asked
        with socket.create_connection(server.getsockname()) as last:
            last.shutdown(socket.SHUT_WR)
            thread.join()


@pytest.mark.broker
def test_x11_a_port_on_which_another_broker_answers_is_left_for_a_new_one() -> None:
    with foreign_broker() as (taken, asked):
        free = free_ports()
        tries = iter([(taken, free[1]), free])
        broker = Embedded(VERSION, ports=lambda: next(tries))
        with broker:
            assert broker.address[1] == free[0]
            assert probe(broker.address).cluster_id == cluster_id(broker.data_dir)
        assert asked


@pytest.mark.broker
def test_x11_a_controller_port_that_is_taken_is_left_for_a_new_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = free_ports()
        tries = iter([(free[0], other.getsockname()[1]), free])
        with Embedded(VERSION, ports=lambda: next(tries)) as broker:
            assert broker.alive
    assert next(tries, None) is None


@pytest.mark.broker
@pytest.mark.parametrize("version", ["4.0.2", VERSION])
def test_x12_a_bad_setting_is_reported_in_the_brokers_words(version: str, tmp_path: Path) -> None:
    broker = Embedded(version, config={"log.segment.bytes": "many"}, work_dir=tmp_path)
    with pytest.raises(StartFailed) as failed:
        broker.start()
    assert (
        "Invalid value many for configuration log.segment.bytes: Not a number of type INT"
        in failed.value.reason
    )
    assert failed.value.tail
    assert failed.value.log == tmp_path / "broker.log"
    assert "log.segment.bytes" in (tmp_path / "broker.log").read_text()
    assert not broker.alive
    broker.stop()
