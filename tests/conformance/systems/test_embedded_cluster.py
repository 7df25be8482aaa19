"""Several nodes as one cluster. Tests without the marker never get as far as starting Java."""

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.systems.base import CanRestart, UnknownVersion, Unreachable
from conformance.systems.embedded_cluster import EmbeddedCluster


def test_a_cluster_that_is_not_started_has_no_address() -> None:
    cluster = EmbeddedCluster("4.3.1")
    assert isinstance(cluster, CanRestart)
    assert cluster.end_reason() is None
    with pytest.raises(Unreachable, match=r"none of 3 running; call start\(\) first"):
        _ = cluster.address
    cluster.stop()


def test_an_unlocked_version_starts_nothing() -> None:
    with pytest.raises(UnknownVersion):
        EmbeddedCluster("1.0.0", brokers=2).start()


@pytest.mark.system
def test_its_facts_are_a_nodes_and_their_number() -> None:
    facts = EmbeddedCluster("4.3.1", brokers=2).facts()
    assert (facts["kafka.version"], facts["brokers"]) == ("4.3.1", "2")


@pytest.mark.parametrize("other", [["model"], ["--bootstrap-server", "localhost:1"]])
def test_several_brokers_are_those_that_are_started_here(other: list[str]) -> None:
    found = CliRunner().invoke(main, ["run", "--brokers", "3", *other])
    assert found.exit_code == 2
    assert "--brokers: expected the system embedded" in found.output
