"""What settles a limit: every probe that one names exists, and a real broker answers as expected;
what brokers describe is what the jars define.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import NODE_ID, reach
from conformance.ledger import LEDGER_NAME, read_ledger
from conformance.limits.admin import BROKER, TOPIC, Admin
from conformance.limits.boundaries import EVERY
from conformance.limits.own_broker import OWN_CONFIG, OWN_PROBES
from conformance.limits.probes import PROBES, scratch_topic
from conformance.limits.share_state import update_runs, updates_between_snapshots
from conformance.systems.embedded import Embedded
from spec.kafka import Error
from spec.limits.configs import ConfigScope, configs
from spec.limits.entries import LIMITS
from spec.limits.limit import EvidenceKind

VERSION = "4.3.1"
PORTS = {"listeners", "advertised.listeners", "controller.quorum.voters"}


def test_every_probe_that_a_limit_names_exists_and_is_named() -> None:
    named = {one.name for limit in LIMITS for one in limit.settled if one.by is EvidenceKind.PROBE}
    assert named == PROBES.keys() | OWN_PROBES.keys()


@pytest.fixture(scope="module")
def admin() -> Iterator[Admin]:
    with Embedded(VERSION, config=OWN_CONFIG) as broker:
        cluster = reach(*broker.address, make_codec())
        with cluster.connect() as connection:
            yield Admin(cluster, connection, VERSION)


@pytest.mark.broker
@pytest.mark.parametrize("name", [*PROBES, *OWN_PROBES])
def test_a_broker_answers_a_probe_as_expected(admin: Admin, name: str) -> None:
    checked = list({**PROBES, **OWN_PROBES}[name](admin))
    assert checked
    assert [one for one in checked if not one.ok] == []


def test_t16_one_update_too_many_before_the_first_snapshot_is_counted() -> None:
    """As Kafka 4.1.2 stores them."""
    assert list(update_runs((0, 1, 1, 1, 1, 0, 1, 1, 1))) == [4, 3]
    assert list(update_runs((0, 0, 1))) == [0, 1]


@pytest.mark.broker
def test_t16_no_more_updates_than_may_be_follow_a_snapshot(admin: Admin) -> None:
    (found,) = updates_between_snapshots(admin)
    assert found.asked == "updates after each snapshot, at most 3: 3, 3, 3, 0"
    assert found.ok


@pytest.mark.broker
def test_a_broker_describes_what_its_jars_define(admin: Admin) -> None:
    described = admin.describe_configs(BROKER, str(NODE_ID))
    defined = {
        config.name: config
        for config in configs(VERSION).values()
        if config.plane is ConfigScope.BROKER and not config.internal
    }
    assert defined.keys() <= described.keys()
    for name, config in defined.items():
        found = described[name]
        assert found["read_only"] == (config.mode == "read-only"), name
        if found["config_source"] == 5:
            assert found["value"] == config.default, name


@pytest.mark.broker
def test_a_topic_has_the_defaults_that_the_jars_define(admin: Admin) -> None:
    with scratch_topic(admin, "described", 1) as topic:
        described = admin.describe_configs(TOPIC, topic)
    defined = {
        config.name: config.default
        for config in configs(VERSION).values()
        if config.plane is ConfigScope.TOPIC and not config.internal
    }
    assert defined.keys() == described.keys()
    plain = {name: one["value"] for name, one in described.items() if one["config_source"] == 5}
    assert len(plain) > 20
    assert plain == {name: defined[name] for name in plain}


@pytest.mark.broker
@pytest.mark.parametrize("plane", EVERY)
def test_a_broker_accepts_no_boundary_value_outside_its_range(
    admin: Admin, plane: ConfigScope
) -> None:
    tried = list(EVERY[plane](admin))
    assert len(tried) > 50
    assert [str(one) for one in tried if one.differs == "accepted outside"] == []
    refused = {Error.INVALID_CONFIG, Error.INVALID_REQUEST}
    assert {one.code for one in tried} == {Error.NONE, *refused} & {one.code for one in tried}
    if plane is ConfigScope.TOPIC:
        assert [str(one) for one in tried if one.differs] == []


@pytest.mark.broker
def test_the_command_probes_a_broker_that_runs(
    admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = f"{admin.cluster.host}:{admin.cluster.port}"
    result = CliRunner().invoke(main, ["limits", "--probe", "--bootstrap-server", address])
    assert result.exit_code == 0, result.output
    assert "create-partitions: 9999 partitions and 0 configs: NONE, as expected" in result.output
    assert "topic: 186 boundary values, 0 otherwise than Kafka 4.3.1 defines" in result.output
    assert "refused within: broker/max.connections = 0 (min)" in result.output
    (ledger,) = tmp_path.glob(f"fencepost-runs/*/{LEDGER_NAME}")
    assert ledger.read_text().count('"made"') >= 5
    assert read_ledger(ledger) == ()
    assert "left on the cluster" not in result.output


@pytest.mark.broker
def test_what_two_probes_make_has_different_names(admin: Admin) -> None:
    other = Admin(admin.cluster, admin.connection, admin.version)
    with scratch_topic(admin, "same", 1) as one, scratch_topic(other, "same", 1) as another:
        assert one != another
