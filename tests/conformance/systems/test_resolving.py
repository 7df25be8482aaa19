"""Releases without a shipped lock: resolved once, locked for the user, and held to that."""

import json
import shutil

import pytest

from conformance.cache import cache_dir
from conformance.cli.common import make_system
from conformance.misuse import BadConfiguration
from conformance.systems import jars, resolving
from conformance.systems.base import NotAvailable, UnknownVersion
from tests.conformance.systems.test_jars import Repository, repository

__all__ = ["repository"]

FOUND = [
    ("org.apache.kafka", "kafka_2.13", "4.1.9"),
    ("org.apache.kafka", "kafka-clients", "4.1.9"),
    ("org.slf4j", "slf4j-api", "2.0.1"),
    ("org.bitbucket.b_c", "jose4j", "1"),  # never loaded by a broker
]


@pytest.fixture
def served(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with the jars of Kafka 4.1.9, and what resolves them."""
    repository.files |= {
        f"/{path}": path.encode()
        for path in (
            "org/apache/kafka/kafka_2.13/4.1.9/kafka_2.13-4.1.9.jar",
            "org/apache/kafka/kafka-clients/4.1.9/kafka-clients-4.1.9.jar",
            "org/slf4j/slf4j-api/2.0.1/slf4j-api-2.0.1.jar",
            "org/slf4j/slf4j-simple/2.0.1/slf4j-simple-2.0.1.jar",
        )
    }
    monkeypatch.setattr(resolving, "_resolve", lambda _: FOUND)
    return repository


def test_a_release_is_locked_once_and_held_to_it(served: Repository) -> None:
    said: list[str] = []
    with pytest.raises(UnknownVersion):
        jars.lock("4.1.9")
    resolving.provide_lock("4.1.9", said.append)
    (line,) = said
    assert "its 4 jars were resolved now" in line
    assert str(jars.user_lock("4.1.9")) in line
    asked = len(served.asked)
    resolving.provide_lock("4.1.9", said.append)
    names = [path.name for path in jars.class_path("4.1.9")]
    assert names == [
        "kafka-clients-4.1.9.jar",
        "kafka_2.13-4.1.9.jar",
        "slf4j-api-2.0.1.jar",
        "slf4j-simple-2.0.1.jar",
    ]
    assert len(said) == 1
    assert len(served.asked) == asked  # what was downloaded for the lock is kept
    shutil.rmtree(cache_dir() / "jars")
    served.files["/org/slf4j/slf4j-api/2.0.1/slf4j-api-2.0.1.jar"] = b"something else"
    with pytest.raises(NotAvailable, match="is not the one that the lock names"):
        jars.class_path("4.1.9")


def test_a_release_that_the_repository_lacks_leaves_no_lock(
    served: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    del served.files["/org/slf4j/slf4j-simple/2.0.1/slf4j-simple-2.0.1.jar"]
    with pytest.raises(NotAvailable, match="HTTP status 404"):
        resolving.provide_lock("4.1.9", print)
    monkeypatch.setattr(resolving, "_resolve", lambda _: [])
    with pytest.raises(NotAvailable, match="is there such a release"):
        resolving.provide_lock("4.1.8", print)
    assert not [*(cache_dir() / "locks").glob("*.json")]


@pytest.mark.parametrize("version", ["4.9.0", "5.0.0", "2.8.2", "3.6.1", "4.1", "../4.1.9", ""])
def test_lines_whose_behaviour_is_not_known_are_refused(version: str) -> None:
    with pytest.raises(UnknownVersion, match=r"such as 4\.4\.0, found"):
        make_system(
            "embedded", kafka=version, bootstrap_server=None, command_config=None, image=None
        )


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}x", '[{"path": "../../x.jar", "sha256": "0", "size": 1}]', json.dumps([{"a": 1}])],
)
def test_a_lock_that_cannot_be_read_is_named(served: Repository, text: str) -> None:
    place = jars.user_lock("4.1.9")
    place.parent.mkdir(parents=True)
    place.write_text(text)
    with pytest.raises(BadConfiguration, match=r"expected a lock of jars at .*remove it"):
        jars.lock("4.1.9")
