"""Error codes are those of Kafka's own table."""

import re
import subprocess

import pytest

from conformance.systems.jars import available_versions, class_path
from conformance.systems.java import find_java
from spec.kafka import COORDINATOR_COMES_UP, LEADER_MOVES, RETRIABLE, Error, error_name

TABLE = "org.apache.kafka.common.protocol.Errors"
"""The class whose `main` prints the protocol guide's table."""
ROW = re.compile(r"<tr>\s*<td>([A-Z_]+)</td>\s*<td>(-?\d+)</td>\s*<td>(True|False)</td>")


def table(version: str) -> dict[str, tuple[int, bool]]:
    """Code and whether it may be retried, by name, as a release prints them."""
    jars = ":".join(map(str, class_path(version)))
    printed = subprocess.run(
        [str(find_java().executable), "-cp", jars, TABLE],
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        name: (int(code), retriable == "True")
        for name, code, retriable in ROW.findall(printed.stdout)
    }


@pytest.mark.broker
def test_every_code_of_the_newest_release_has_its_name() -> None:
    newest = table(available_versions()[-1])
    assert {error.name: error.value for error in Error} == {
        name: code for name, (code, _) in newest.items()
    }
    assert all(newest[error.name][1] for error in RETRIABLE | LEADER_MOVES | COORDINATOR_COMES_UP)


@pytest.mark.broker
def test_older_releases_give_no_code_another_name() -> None:
    oldest = table(available_versions()[0])
    assert len(oldest) > 100
    assert {name: Error[name].value for name in oldest} == {
        name: code for name, (code, _) in oldest.items()
    }


def test_a_code_that_kafka_does_not_have_is_named_by_its_number() -> None:
    assert [error_name(code) for code in (0, -1, 42, 9999)] == [
        "NONE",
        "UNKNOWN_SERVER_ERROR",
        "INVALID_REQUEST",
        "ERROR_9999",
    ]
