"""The data folders of live brokers of two releases break no rule: while they run and are written
to, after they were killed, and after they stopped in good order.
"""

import threading
from pathlib import Path

import pytest

from conformance.audit.folder import Audit, audit_folder
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.limits.admin import Admin
from conformance.systems.embedded import Embedded
from conformance.wire.batches import CODECS, batch_of_size
from spec.disk.breaks import Break

pytestmark = pytest.mark.broker
SMALL = {"index.interval.bytes": "200", "segment.index.bytes": "4096"}


def produce(admin: Admin, topic: str, count: int) -> None:
    """Batches of all codecs and some sizes."""
    for number in range(count):
        batch = batch_of_size(400 + 37 * (number % 9), 1 + number % 3, CODECS[number % len(CODECS)])
        entry = {"name": topic, "partition_data": [{"index": 0, "records": batch}]}
        body = {"acks": -1, "timeout_ms": 10_000, "topic_data": [entry]}
        answer = admin.ask("Produce", 12, body)
        assert answer["responses"][0]["partition_responses"][0]["error_code"] == 0


def looked_at(folder: Path) -> Audit:
    *seen, found = audit_folder(folder)
    assert [one for one in seen if isinstance(one, Break)] == []
    assert isinstance(found, Audit)
    assert found.batches > 50
    return found


@pytest.mark.parametrize("version", ["4.0.2", "4.3.1"])
def test_a_live_folder_breaks_no_rule(version: str, tmp_path: Path) -> None:
    name = "segment.bytes" if version.startswith("4.0") else "internal.segment.bytes"
    broker = Embedded(version, work_dir=tmp_path)
    broker.start()
    try:
        cluster = reach(*broker.address, make_codec())
        with cluster.connect() as connection:
            admin = Admin(cluster, connection, version)
            admin.make_topic("written", 1, {**SMALL, name: "20000"})
            admin.make_topic("preallocated", 1, {"preallocate": "true"})
            produce(admin, "preallocated", 30)
            writer = threading.Thread(target=produce, args=(admin, "written", 200))
            writer.start()
            while writer.is_alive():
                running = [one for one in audit_folder(broker.data_dir) if isinstance(one, Break)]
                assert running == []
            writer.join()
        assert not looked_at(broker.data_dir).clean
        broker.kill()
        assert not looked_at(broker.data_dir).clean
        broker.start()
        broker.stop(archive=False)
        assert looked_at(broker.data_dir).clean
    finally:
        broker.stop(archive=False)
