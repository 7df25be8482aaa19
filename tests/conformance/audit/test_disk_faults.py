"""Each fault that is planted in a real data folder is named by its rule, file and place; what is
legal is passed.
"""

import os
import struct
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import pytest

from conformance.audit.folder import Audit, audit_folder
from conformance.misuse import BadConfiguration
from conformance.wire.batches import batch_of_size, restamp
from spec.disk.breaks import Break, Note
from spec.disk.rules import RULES

CLEAN = ".kafka_cleanshutdown"
PLAIN = "plain-0/00000000000000000000"
MIDDLE = "plain-0/00000000000000000006"
LAST = "plain-0/00000000000000000022"
ABORTED = "aborted-0/00000000000000000000"
CRC_FROM = 21


def breaks_of(folder: Path) -> list[Break]:
    return [one for one in audit_folder(folder) if isinstance(one, Break)]


def patch(path: Path, position: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        file.write(data)


def positions(log: Path) -> list[int]:
    """Where the batches of a .log start."""
    data, found, at = log.read_bytes(), [], 0
    while at < len(data):
        found.append(at)
        at += 12 + int(struct.unpack_from(">i", data, at + 8)[0])
    return found


def rewrite(log: Path, at: int, offset: int, data: bytes) -> None:
    """Change bytes of a batch, and state the CRC that it has then."""
    patch(log, at + offset, data)
    content = log.read_bytes()
    size = 12 + int(struct.unpack_from(">i", content, at + 8)[0])
    crc = google_crc32c.value(content[at + CRC_FROM : at + size])
    patch(log, at + 17, struct.pack(">I", crc))


def flip(suffix: str, position: int, base: str = PLAIN) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / f"{base}{suffix}"
        patch(path, position, bytes([path.read_bytes()[position] ^ 0xFF]))

    return plant


def second_batch(offset: int, data: bytes) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        log = folder / f"{PLAIN}.log"
        rewrite(log, positions(log)[1], offset, data)

    return plant


def cut(suffix: str, count: int, base: str = PLAIN) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / f"{base}{suffix}"
        os.truncate(path, path.stat().st_size - count)

    return plant


def text(name: str, content: str) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        (folder / name).write_text(content)

    return plant


def swapped_batches(folder: Path) -> None:
    log = folder / f"{PLAIN}.log"
    data, starts = log.read_bytes(), positions(log)
    first, second = data[: starts[1]], data[starts[1] : starts[2]]
    log.write_bytes(second + first + data[starts[2] :])
    for suffix in (".index", ".timeindex"):
        (folder / f"{PLAIN}{suffix}").unlink()


def far_offset(folder: Path) -> None:
    log = folder / f"{LAST}.log"
    last = positions(log)[-1]
    patch(log, last, struct.pack(">q", 22 + 2**31))
    for suffix in (".index", ".timeindex"):
        (folder / f"{LAST}{suffix}").unlink()


def older_epoch(folder: Path) -> None:
    log = folder / f"{LAST}.log"
    starts = positions(log)
    patch(log, starts[0] + 12, struct.pack(">i", 5))


def overlapping_segment(folder: Path) -> None:
    for path in (folder / "plain-0").glob("00000000000000000006.*"):
        path.rename(path.with_name(f"00000000000000000004{path.suffix}"))


def swapped_entries(suffix: str, size: int) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / f"{PLAIN}{suffix}"
        data = path.read_bytes()
        path.write_bytes(data[size : 2 * size] + data[:size] + data[2 * size :])

    return plant


def entry(
    suffix: str,
    number: int,
    packing: str,
    values: Callable[[list[int]], list[int]],
    base: str = PLAIN,
) -> Callable[[Path], None]:
    """Change an entry of an index file."""

    def plant(folder: Path) -> None:
        path, layout = folder / f"{base}{suffix}", struct.Struct(packing)
        found = list(layout.unpack_from(path.read_bytes(), number * layout.size))
        patch(path, number * layout.size, layout.pack(*values(found)))

    return plant


def replaced(suffix: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / f"{PLAIN}{suffix}"
        path.unlink()
        make(path)

    return plant


def zero_tail(suffix: str, base: str = PLAIN) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / f"{base}{suffix}"
        os.truncate(path, path.stat().st_size + 2400)

    return plant


def empty_snapshot(folder: Path) -> None:
    """A snapshot is created, and then written."""
    (folder / "aborted-0/00000000000000000016.snapshot").write_bytes(b"")


def snapshot(change: Callable[[bytearray], None], *, crc: bool) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        path = folder / "aborted-0/00000000000000000016.snapshot"
        data = bytearray(path.read_bytes())
        change(data)
        if crc:
            struct.pack_into(">I", data, 2, google_crc32c.value(bytes(data[6:])))
        path.write_bytes(bytes(data))

    return plant


def _late(data: bytearray) -> None:
    struct.pack_into(">q", data, 10 + 14, 16)


def _twice(data: bytearray) -> None:
    data[10 + 46 : 10 + 54] = data[10:18]


FAULTS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "torn-tail-after-clean-stop": (cut(".log", 10, LAST), "SEG-101", f"{LAST}.log"),
    "length-too-small": (second_batch(8, struct.pack(">i", 20)), "SEG-101", f"{PLAIN}.log"),
    "length-too-large": (flip(".log", 8), "SEG-101", f"{PLAIN}.log"),
    "zeros-behind-an-older-log": (zero_tail(".log"), "SEG-101", f"{PLAIN}.log"),
    "magic-9": (second_batch(16, b"\x09"), "SEG-102", f"{PLAIN}.log"),
    "record-byte": (flip(".log", 80), "SEG-103", f"{PLAIN}.log"),
    "header-byte": (flip(".log", 30), "SEG-103", f"{PLAIN}.log"),
    "batches-swapped": (swapped_batches, "SEG-104", f"{PLAIN}.log"),
    "base-below-segment": (
        lambda folder: patch(folder / f"{MIDDLE}.log", 0, bytes(8)),
        "SEG-104",
        f"{MIDDLE}.log",
    ),
    "relative-offset-too-far": (far_offset, "SEG-105", f"{LAST}.log"),
    "more-records-than-offsets": (
        second_batch(57, struct.pack(">i", 9)),
        "SEG-107",
        f"{PLAIN}.log",
    ),
    "last-offset-below-base": (second_batch(23, struct.pack(">i", -2)), "SEG-107", f"{PLAIN}.log"),
    "leader-epoch-falls": (older_epoch, "SEG-108", f"{LAST}.log"),
    "segments-overlap": (overlapping_segment, "SEG-109", "plain-0/00000000000000000004.log"),
    "index-cut": (cut(".index", 3), "SEG-120", f"{PLAIN}.index"),
    "timeindex-cut": (cut(".timeindex", 5), "SEG-120", f"{PLAIN}.timeindex"),
    "txnindex-cut": (cut(".txnindex", 1, ABORTED), "SEG-120", f"{ABORTED}.txnindex"),
    "index-entries-swapped": (swapped_entries(".index", 8), "SEG-121", f"{PLAIN}.index"),
    "index-position-one-off": (
        entry(".index", 1, ">ii", lambda f: [f[0], f[1] + 1]),
        "SEG-122",
        f"{PLAIN}.index",
    ),
    "index-offset-one-less": (
        entry(".index", 0, ">ii", lambda f: [f[0] - 1, f[1]]),
        "SEG-122",
        f"{PLAIN}.index",
    ),
    "index-behind-the-log": (
        entry(".index", 3, ">ii", lambda f: [f[0], 10**6]),
        "SEG-122",
        f"{PLAIN}.index",
    ),
    "index-not-cut": (zero_tail(".index"), "SEG-123", f"{PLAIN}.index"),
    "timeindex-entries-swapped": (
        swapped_entries(".timeindex", 12),
        "SEG-130",
        f"{PLAIN}.timeindex",
    ),
    "timeindex-later": (
        entry(".timeindex", 0, ">qi", lambda f: [f[0] + 1, f[1]]),
        "SEG-131",
        f"{PLAIN}.timeindex",
    ),
    "timeindex-other-offset": (
        entry(".timeindex", 0, ">qi", lambda f: [f[0], f[1] + 1]),
        "SEG-131",
        f"{PLAIN}.timeindex",
    ),
    "txnindex-version": (
        entry(".txnindex", 0, ">hqqqq", lambda f: [1, *f[1:]], ABORTED),
        "SEG-140",
        f"{ABORTED}.txnindex",
    ),
    "txnindex-other-producer": (
        entry(".txnindex", 0, ">hqqqq", lambda f: [f[0], f[1] + 1, *f[2:]], ABORTED),
        "SEG-141",
        f"{ABORTED}.txnindex",
    ),
    "txnindex-no-marker": (
        entry(".txnindex", 0, ">hqqqq", lambda f: [*f[:3], f[3] - 1, f[4]], ABORTED),
        "SEG-141",
        f"{ABORTED}.txnindex",
    ),
    "epochs-fall": (
        text("plain-0/leader-epoch-checkpoint", "0\n2\n3 0\n2 5\n"),
        "SEG-150",
        "plain-0/leader-epoch-checkpoint",
    ),
    "epochs-counted-wrong": (
        text("plain-0/leader-epoch-checkpoint", "0\n7\n0 0\n"),
        "SEG-150",
        "plain-0/leader-epoch-checkpoint",
    ),
    "epoch-of-no-batch": (
        text("plain-0/leader-epoch-checkpoint", "0\n1\n9 0\n"),
        "SEG-151",
        f"{PLAIN}.log",
    ),
    "snapshot-byte": (
        snapshot(lambda data: data.__setitem__(20, data[20] ^ 1), crc=False),
        "SEG-160",
        "aborted-0/00000000000000000016.snapshot",
    ),
    "snapshot-empty": (
        empty_snapshot,
        "SEG-160",
        "aborted-0/00000000000000000016.snapshot",
    ),
    "snapshot-count": (
        snapshot(lambda data: data.__setitem__(9, 200), crc=True),
        "SEG-160",
        "aborted-0/00000000000000000016.snapshot",
    ),
    "snapshot-late-offset": (
        snapshot(_late, crc=True),
        "SEG-161",
        "aborted-0/00000000000000000016.snapshot",
    ),
    "snapshot-producer-twice": (
        snapshot(_twice, crc=True),
        "SEG-161",
        "aborted-0/00000000000000000016.snapshot",
    ),
    "checkpoint-negative": (
        text("log-start-offset-checkpoint", "0\n1\nplain 0 -1\n"),
        "SEG-170",
        "log-start-offset-checkpoint",
    ),
    "checkpoint-twice": (
        text("recovery-point-offset-checkpoint", "0\n2\nplain 0 1\nplain 0 2\n"),
        "SEG-170",
        "recovery-point-offset-checkpoint",
    ),
    "log-start-behind-the-end": (
        text("log-start-offset-checkpoint", "0\n1\nplain 0 99\n"),
        "SEG-171",
        "log-start-offset-checkpoint",
    ),
    "high-watermark-behind-the-end": (
        text("replication-offset-checkpoint", "0\n1\nplain 0 99\n"),
        "SEG-171",
        "replication-offset-checkpoint",
    ),
    "topic-id": (
        text("plain-0/partition.metadata", "version: 0\ntopic_id: short\n"),
        "SEG-172",
        "plain-0/partition.metadata",
    ),
    "log-is-a-folder": (replaced(".log", Path.mkdir), "SEG-180", f"{PLAIN}.log"),
    "index-is-a-pipe": (replaced(".index", os.mkfifo), "SEG-180", f"{PLAIN}.index"),
}
"""By name: how it is planted, the rule that names it, and the file."""


def test_a_recorded_folder_breaks_no_rule(every_folder: Path) -> None:
    *seen, found = audit_folder(every_folder)
    assert seen == []
    assert isinstance(found, Audit)
    assert found.clean
    assert found.partitions >= 6
    assert found.batches > 100


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_named_by_its_rule_and_file(name: str, folder: Path) -> None:
    plant, rule, file = FAULTS[name]
    plant(folder)
    found = breaks_of(folder)
    assert (rule, file) in {(one.rule, one.file) for one in found}, found
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    list(audit_folder(folder))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_every_rule_has_a_planted_fault() -> None:
    sparse = {"SEG-106"}
    assert {rule for _, rule, _ in FAULTS.values()} | sparse == RULES.keys()


def test_a_log_past_the_greatest_position_is_named(folder: Path) -> None:
    (folder / CLEAN).unlink()
    os.truncate(folder / f"{LAST}.log", 2**31 + 500)
    assert [(one.rule, one.position) for one in breaks_of(folder)] == [("SEG-106", 2**31 - 1)]


def test_the_position_of_a_break_is_that_of_its_batch(folder: Path) -> None:
    log = folder / f"{PLAIN}.log"
    start = positions(log)[2]
    patch(log, start + 70, bytes([log.read_bytes()[start + 70] ^ 1]))
    assert [(one.rule, one.position) for one in breaks_of(folder)] == [("SEG-103", start)]


def torn(folder: Path) -> None:
    cut(".log", 30, LAST)(folder)


def preallocated(folder: Path) -> None:
    for suffix, size in ((".index", 10485760), (".timeindex", 10485756)):
        os.truncate(folder / f"{LAST}{suffix}", size)


def preallocated_log(folder: Path) -> None:
    os.truncate(folder / f"{LAST}.log", 2**20)


def empty_last_segment(folder: Path) -> None:
    for suffix, size in ((".log", 0), (".index", 10485760), (".timeindex", 10485756)):
        path = folder / f"plain-0/00000000000000000031{suffix}"
        path.touch()
        os.truncate(path, size)


def hole_by_compaction(folder: Path) -> None:
    log = folder / f"{LAST}.log"
    data, starts = log.read_bytes(), positions(log)
    log.write_bytes(data[: starts[1]] + data[starts[2] :])
    for suffix in (".index", ".timeindex"):
        (folder / f"{LAST}{suffix}").unlink()


def emptied_batch(folder: Path) -> None:
    log = folder / f"{LAST}.log"
    last = positions(log)[-1]
    header = bytearray(log.read_bytes()[last : last + 61])
    struct.pack_into(">i", header, 8, 49)
    struct.pack_into(">i", header, 57, 0)
    struct.pack_into(">q", header, 0, 31)
    struct.pack_into(">i", header, 23, 0)
    with log.open("ab") as file:
        file.write(header)
    size = log.stat().st_size - 61
    rewrite(log, size, 0, bytes(header[:8]))


def no_indexes(folder: Path) -> None:
    for suffix in (".index", ".timeindex", ".snapshot"):
        for path in (folder / "plain-0").glob(f"*{suffix}"):
            path.unlink()


def old_message(folder: Path) -> None:
    from zlib import crc32

    body = struct.pack(">bbqi", 1, 0, 5, -1) + struct.pack(">i", 3) + b"abc"
    message = struct.pack(">I", crc32(body)) + body
    log = folder / f"{LAST}.log"
    with log.open("ab") as file:
        file.write(struct.pack(">qi", 40, len(message)) + message)


def index_ahead_of_the_log(folder: Path) -> None:
    with (folder / f"{LAST}.index").open("ab") as file:
        file.write(struct.pack(">ii", 30, 5000))
    with (folder / f"{LAST}.timeindex").open("ab") as file:
        file.write(struct.pack(">qi", 2**41, 30))


def no_leader_epochs(folder: Path) -> None:
    log = folder / f"{LAST}.log"
    for start in positions(log):
        patch(log, start + 12, struct.pack(">i", -1))


def gone_partition_in_checkpoint(folder: Path) -> None:
    text("recovery-point-offset-checkpoint", "0\n1\ngone 3 77\n")(folder)


def metadata_log_left_open(folder: Path) -> None:
    """The metadata log is closed after the marker of a clean stop was written."""
    for suffix, size in ((".index", 10485760), (".timeindex", 10485756)):
        os.truncate(folder / f"__cluster_metadata-0/00000000000000000000{suffix}", size)
    cut(".log", 7, "__cluster_metadata-0/00000000000000000000")(folder)


def large_batch(folder: Path) -> None:
    """Longer than what is read at a time."""
    batch = restamp(
        batch_of_size(3 * 2**20 + 17, 2),
        base_offset=100,
        base_timestamp=2**41,
        partition_leader_epoch=9,
        last_offset_delta=1,
    )
    with (folder / f"{LAST}.log").open("ab") as file:
        file.write(batch)


RUNNING: dict[str, Callable[[Path], None]] = {
    "nothing-changed": lambda _: None,
    "torn-tail": torn,
    "preallocated-indexes": preallocated,
    "preallocated-log": preallocated_log,
    "empty-last-segment": empty_last_segment,
    "index-ahead-of-the-log": index_ahead_of_the_log,
    "empty-snapshot": empty_snapshot,
}
"""Legal while a broker runs, or after an unclean stop."""
ANY: dict[str, Callable[[Path], None]] = {
    "hole-by-compaction": hole_by_compaction,
    "emptied-batch": emptied_batch,
    "no-indexes": no_indexes,
    "old-message": old_message,
    "no-leader-epochs": no_leader_epochs,
    "gone-partition-in-checkpoint": gone_partition_in_checkpoint,
    "metadata-log-left-open": metadata_log_left_open,
}
"""Legal always."""


@pytest.mark.parametrize("name", [*RUNNING, *ANY])
def test_what_is_legal_while_a_broker_runs_is_passed(name: str, every_folder: Path) -> None:
    (every_folder / CLEAN).unlink()
    {**RUNNING, **ANY}[name](every_folder)
    assert breaks_of(every_folder) == []


@pytest.mark.parametrize("name", ANY)
def test_what_is_legal_always_is_passed(name: str, folder: Path) -> None:
    ANY[name](folder)
    checkpoints = {"recovery-point-offset-checkpoint", "replication-offset-checkpoint"}
    assert [one for one in breaks_of(folder) if one.file not in checkpoints] == []


def test_a_batch_longer_than_what_is_read_at_a_time_is_checked(folder: Path) -> None:
    (folder / CLEAN).unlink()
    large_batch(folder)
    assert breaks_of(folder) == []
    log = folder / f"{LAST}.log"
    end = log.stat().st_size
    patch(log, end - 100, bytes([log.read_bytes()[end - 100] ^ 1]))
    assert [one.rule for one in breaks_of(folder)] == ["SEG-103"]


def test_a_torn_tail_is_noted_while_a_broker_runs(folder: Path) -> None:
    (folder / CLEAN).unlink()
    torn(folder)
    notes = [one for one in audit_folder(folder) if isinstance(one, Note)]
    assert [one.file for one in notes] == [f"{LAST}.log"]


def test_a_torn_tail_before_indexed_batches_is_a_break(folder: Path) -> None:
    (folder / CLEAN).unlink()
    patch(folder / f"{LAST}.log", 8, struct.pack(">i", 10**6))
    assert ("SEG-101", 0) in {(one.rule, one.position) for one in breaks_of(folder)}


def test_a_partition_folder_is_read_alone(folder: Path) -> None:
    flip(".log", 80)(folder)
    assert [one.file for one in breaks_of(folder / "plain-0")] == ["00000000000000000000.log"]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="expected a broker's data folder"):
        list(audit_folder(tmp_path))
