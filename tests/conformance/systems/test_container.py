"""Containers."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.systems import container, leftovers
from conformance.systems.base import NotAvailable, StartFailed, Unreachable
from conformance.systems.container import Container, remove_leftovers
from conformance.systems.probe import probe

IMAGE = os.environ.get("FENCEPOST_IMAGE", "local/kafka:4.3.1")
ROOT = Path(__file__).parents[3]

ORPHANING = f"""
import os, signal
from conformance.systems.container import Container
broker = Container({IMAGE!r})
broker.start()
print(broker._container.get_wrapped_container().id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_without_a_daemon_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(
        NotAvailable,
        match=r"expected a Docker daemon that answers.*start one, or point DOCKER_HOST at one",
    ):
        Container(IMAGE).start()


def test_without_the_library_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(NotAvailable, match=r"pip install 'fencepost\[container\]'"):
        Container(IMAGE).start()


def test_a_container_that_is_not_started_has_no_address() -> None:
    with pytest.raises(Unreachable, match="not started"):
        _ = Container(IMAGE).address


@pytest.mark.parametrize(
    ("daemon_at", "host"),
    [
        ("", "127.0.0.1"),
        ("unix:///run/docker.sock", "127.0.0.1"),
        ("tcp://builder:2375", "builder"),
        ("ssh://me@builder", "builder"),
    ],
)
def test_ports_are_sought_where_the_daemon_publishes_them(
    monkeypatch: pytest.MonkeyPatch, daemon_at: str, host: str
) -> None:
    monkeypatch.delenv("TESTCONTAINERS_HOST_OVERRIDE", raising=False)
    monkeypatch.setenv("DOCKER_HOST", daemon_at)
    assert container._host() == host


@pytest.mark.container
def test_it_starts_on_a_port_that_is_free_and_is_removed(daemon: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        tries = iter([other.getsockname()[1], container._free_port()])
        with Container(
            IMAGE, config={"log.segment.bytes": "2097152"}, ports=lambda: next(tries)
        ) as broker:
            assert probe(broker.address).brokers == ((1, "127.0.0.1", broker.address[1]),)
            assert broker.alive
            facts = broker.facts()
            assert facts["image"] == IMAGE
            assert facts["config.log.segment.bytes"] == "2097152"
            assert broker.log_tail(3)
            name = broker._container.get_wrapped_container().id
    assert name not in {left.id for left in daemon.containers.list(all=True)}


@pytest.mark.container
def test_a_bad_setting_is_reported_in_the_brokers_words(daemon: Any) -> None:
    with pytest.raises(
        StartFailed, match=r"Invalid value many for configuration log\.segment\.bytes"
    ):
        Container(IMAGE, config={"log.segment.bytes": "many"}).start()


@pytest.mark.container
def test_what_a_killed_process_left_is_removed_and_what_a_live_one_has_is_not(daemon: Any) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", ORPHANING],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    orphan = killed.stdout.strip()
    assert orphan in {left.id for left in daemon.containers.list()}, killed.stderr
    ours = daemon.containers.create(
        IMAGE, labels={container._LABEL: leftovers.owner_of(os.getpid())}
    )
    try:
        assert remove_leftovers(daemon) >= 1
        left = {left.id for left in daemon.containers.list(all=True)}
        assert orphan not in left
        assert ours.id in left
    finally:
        ours.remove(force=True)
