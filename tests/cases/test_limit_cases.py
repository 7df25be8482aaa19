"""Configs at their bounds, and what segments do at theirs (cases C01, C02, C05, C06, C08, G01, G07,
G09).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from conformance.audit.folder import audit_folder
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.limits.admin import BROKER, GROUP, TOPIC, Admin
from conformance.retries import tries
from conformance.systems.base import StartFailed
from conformance.systems.embedded import Embedded
from conformance.wire.batches import batch_of_size
from spec.disk.breaks import Break
from spec.kafka import Error
from spec.limits.configs import Range, configs

VERSION = "4.3.1"
SEGMENT_BYTES = ("0", "1", "13", "1048575", "1048576", "2147483647", "2147483648", "-1", "x")


def test_c01_the_floor_of_a_topics_segments_came_with_4_1() -> None:
    least = {v: configs(v)["topic/segment.bytes"].bounds.least for v in ("4.0.2", "4.1.2")}
    assert least == {"4.0.2": 14, "4.1.2": 1048576}
    assert configs("4.0.2")["broker/log.segment.bytes"].bounds.least == 1048576


def test_c05_any_negative_number_is_in_the_range_of_retention_bytes() -> None:
    for version in ("4.0.2", "4.2.2", "4.3.1"):
        assert configs(version)["topic/retention.bytes"].bounds == Range(-(2**63), 2**63 - 1)


def test_c08_the_configs_of_groups_are_those_of_the_release() -> None:
    name = "group/share.delivery.count.limit"
    assert name not in configs("4.2.2")
    assert configs("4.3.1")[name].bounds.least == 2


def write(admin: Admin, topic: str, size: int = 400) -> int:
    entry = {"name": topic, "partition_data": [{"index": 0, "records": batch_of_size(size, 1)}]}
    body = {"acks": -1, "timeout_ms": 10_000, "topic_data": [entry]}
    answer = admin.ask("Produce", 12, body)
    return int(answer["responses"][0]["partition_responses"][0]["error_code"])


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    running = Embedded(VERSION, work_dir=tmp_path_factory.mktemp("limits"))
    running.start()
    yield running
    running.stop(archive=False)


@pytest.fixture
def admin(broker: Embedded) -> Iterator[Admin]:
    cluster = reach(*broker.address, make_codec())
    with cluster.connect() as connection:
        yield Admin(cluster, connection, VERSION)


@pytest.mark.broker
def test_c05_a_broker_takes_it(admin: Admin) -> None:
    assert admin.create_topics({"c05": 1}, {"retention.bytes": "-5"}) == {"c05": Error.NONE}


@pytest.mark.broker
@pytest.mark.parametrize("value", SEGMENT_BYTES)
def test_c06_g07_creating_and_altering_agree(admin: Admin, value: str) -> None:
    if value == SEGMENT_BYTES[0]:
        admin.make_topic("c06", 1)
    created = admin.create_topics({"c06-new": 1}, {"segment.bytes": value})["c06-new"]
    altered = admin.set_config(TOPIC, "c06", "segment.bytes", value, validate_only=True)
    taken = value in {"1048576", "2147483647"}
    assert created == altered == (Error.NONE if taken else Error.INVALID_CONFIG)


@pytest.mark.broker
@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("share.delivery.count.limit", "1", Error.INVALID_CONFIG),
        ("share.delivery.count.limit", "3", Error.NONE),
        ("share.delivery.count.limit", "11", Error.INVALID_CONFIG),
        ("share.partition.max.record.locks", "5", Error.INVALID_CONFIG),
        ("share.partition.max.record.locks", "200", Error.NONE),
    ],
)
def test_c08_a_broker_takes_what_is_in_its_range(
    admin: Admin, name: str, value: str, code: Error
) -> None:
    assert admin.set_config(GROUP, "c08", name, value, validate_only=True) == code


@pytest.mark.broker
@pytest.mark.parametrize(("size", "segments"), [("12", 3), ("24", 2)])
def test_g09_a_full_index_begins_a_segment(
    admin: Admin, broker: Embedded, size: str, segments: int
) -> None:
    """A time index of 12 bytes has one entry, which is kept free, so that it is always full."""
    topic = f"g09-{size}"
    admin.make_topic(topic, 1, {"segment.index.bytes": size, "index.interval.bytes": "4096"})
    assert [write(admin, topic, 5000) for _ in range(3)] == [Error.NONE] * 3
    folder = broker.data_dir / f"{topic}-0"
    assert len(list(folder.glob("*.log"))) == segments
    assert [one for one in audit_folder(folder) if isinstance(one, Break)] == []


@pytest.mark.broker
def test_c02_stored_thread_counts_are_not_in_force_after_a_restart(tmp_path: Path) -> None:
    """Kafka 4.3.1 shows the values that are stored and refuses to set them, since they may at most
    double the static ones, with which it runs. Should it take one, this case says so.
    """
    names = ("num.io.threads", "num.replica.fetchers", "num.recovery.threads.per.data.dir")
    running = Embedded(VERSION, work_dir=tmp_path, config=dict.fromkeys(names, "1"))
    running.start()
    try:
        with administering(running) as admin:
            for name, value in product(names, ("2", "4")):
                set_in_time(admin, name, value)
        running.restart()
        with administering(running) as admin:
            for name in names:
                assert stored_in_time(admin, name) == "4"
                assert [set_for_all(admin, name, value) for value in ("4", "8")] == [
                    Error.INVALID_REQUEST,
                    Error.INVALID_REQUEST,
                ]
    finally:
        running.kill()


@contextmanager
def administering(running: Embedded) -> Iterator[Admin]:
    cluster = reach(*running.address, make_codec())
    with cluster.connect() as connection:
        yield Admin(cluster, connection, VERSION)


def set_for_all(admin: Admin, name: str, value: str) -> int:
    """The error code of setting a config of all brokers."""
    return admin.set_config(BROKER, "", name, value, validate_only=False)


def set_in_time(admin: Admin, name: str, value: str) -> None:
    """Set a config of all brokers once the value before it is in force: it may at most double."""
    assert any(set_for_all(admin, name, value) == Error.NONE for _ in tries(30))


def stored_in_time(admin: Admin, name: str) -> str | None:
    """The value of a config of all brokers, once there is one."""
    for _ in tries(30):
        found = admin.describe_configs(BROKER, "")
        if name in found:
            return str(found[name]["value"])
    return None


@pytest.mark.broker
def test_g01_an_accepted_index_size_keeps_the_broker_from_its_next_start(tmp_path: Path) -> None:
    """Kafka 4.3.1 takes 4 bytes, less than an entry, and does not start again. Should it start,
    this case says so.
    """
    running = Embedded(VERSION, work_dir=tmp_path)
    running.start()
    try:
        cluster = reach(*running.address, make_codec())
        with cluster.connect() as connection:
            admin = Admin(cluster, connection, VERSION)
            admin.make_topic("g01", 1)
            assert write(admin, "g01") == Error.NONE
            value = ("segment.index.bytes", "4")
            assert admin.set_config(TOPIC, "g01", *value, validate_only=False) == Error.NONE
            assert write(admin, "g01") == Error.NONE
        with pytest.raises(StartFailed, match="newPosition > limit"):
            running.restart()
    finally:
        running.kill()
