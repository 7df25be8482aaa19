"""Record the data folder of a real broker for tests: `python tools/record_data_folder.py 4.3.1`.

A broker is started, written to through a client (several segments, all codecs, transactions that
are committed and aborted, compaction, deleted records), restarted, and stopped in good order. Its
folder is packed into `tests/conformance/audit/data-VERSION.tar.gz`, sparse files as such. Takes
some 30 s.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
import time
from pathlib import Path

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from conformance.systems.embedded import Embedded

TARGET = Path(__file__).resolve().parent.parent / "tests" / "conformance" / "audit"
CONFIG = {
    "log.cleaner.backoff.ms": "200",
}
SMALL = {"index.interval.bytes": "200", "segment.index.bytes": "4096"}


def small_segments(version: str) -> dict[str, str]:
    """Configs of a topic of small segments, by the config that the release takes."""
    name = "segment.bytes" if version.startswith("4.0") else "internal.segment.bytes"
    return {**SMALL, name: "1500"}


def write(address: str, version: str) -> None:
    """Make the topics and write to them."""
    admin = AdminClient({"bootstrap.servers": address})
    compacted = {
        **small_segments(version),
        "cleanup.policy": "compact",
        "min.cleanable.dirty.ratio": "0.01",
        "segment.ms": "100",
    }
    topics = [
        NewTopic("plain", 2, 1, config=small_segments(version)),
        NewTopic("deleted", 1, 1, config=small_segments(version)),
        NewTopic("compacted", 1, 1, config=compacted),
        NewTopic("aborted", 1, 1, config=small_segments(version)),
    ]
    for made in admin.create_topics(topics).values():
        made.result(30)
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        producer = Producer(
            {"bootstrap.servers": address, "compression.type": codec, "linger.ms": 0}
        )
        for number in range(12):
            producer.produce("plain", b"v" * (20 + 30 * number), partition=number % 2)
            producer.produce("deleted", f"{number}".encode() * 40, partition=0)
            producer.produce("compacted", b"value" * 30, key=f"{number % 4}".encode())
            producer.flush(30)
    for number in range(4):
        producer = Producer({"bootstrap.servers": address, "transactional.id": f"tx-{number}"})
        producer.init_transactions(30)
        producer.begin_transaction()
        for _ in range(3):
            producer.produce("aborted", b"t" * 250, partition=0)
            producer.flush(30)
        if number % 2:
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)
    for deleted in admin.delete_records([TopicPartition("deleted", 0, 25)]).values():
        deleted.result(30)


def main() -> int:
    """Record one folder for each version that is named."""
    for version in sys.argv[1:]:
        with (
            tempfile.TemporaryDirectory() as work,
            Embedded(version, config=CONFIG, work_dir=Path(work)) as broker,
        ):
            host, port = broker.address
            write(f"{host}:{port}", version)
            time.sleep(3)
            broker.restart()
            host, port = broker.address
            again = Producer({"bootstrap.servers": f"{host}:{port}"})
            again.produce("plain", b"after the restart", partition=0)
            again.flush(30)
            data = broker.data_dir
            broker.stop(archive=False)
            target = TARGET / f"data-{version}.tar.gz"
            with tarfile.open(target, "w:gz") as packed:
                packed.add(data, "data")
            print(f"{target.name}: {target.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
