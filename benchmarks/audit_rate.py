"""How fast a data folder is audited, beside how fast its bytes are read.

A partition of several segments with indexes is written, of batches of one size; then its files are
read from the disk (the page cache is emptied of them first) and audited likewise, in turn. The
resident set of the audit's process is shown, since it must not grow with the folder. Run:
python benchmarks/audit_rate.py [GIB] [BATCH_BYTES]
"""

import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conformance.wire.batches import batch_of_size

SEGMENT = 256 * 2**20
CHUNK = 2**20
ROUNDS = 3


def write_partition(folder: Path, size: int, batch_size: int) -> None:
    """A clean partition of so many bytes: one batch again and again under new offsets, which its
    CRC does not cover.
    """
    folder.mkdir()
    template = batch_of_size(batch_size, 4)
    rest = template[8:]
    (timestamp,) = struct.unpack_from(">q", template, 35)
    offset = 0
    for _ in range(0, size, SEGMENT):
        base, position = offset, 0
        name = folder / f"{base:020d}"
        index = bytearray()
        with name.with_suffix(".log").open("wb", buffering=CHUNK) as log:
            since = 0
            while position + batch_size <= SEGMENT:
                log.write(struct.pack(">q", offset) + rest)
                if since > 4096:
                    index += struct.pack(">ii", offset + 3 - base, position)
                    since = 0
                since += batch_size
                position += batch_size
                offset += 4
        name.with_suffix(".index").write_bytes(index)
        name.with_suffix(".timeindex").write_bytes(struct.pack(">qi", timestamp, 3))
    (folder.parent / ".kafka_cleanshutdown").touch()


def forget(folder: Path) -> None:
    """Empty the page cache of a folder's files."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_all(folder: Path) -> int:
    """The bytes of a folder's files, each read."""
    total = 0
    for path in sorted(folder.iterdir()):
        with path.open("rb", buffering=0) as file:
            while part := file.read(CHUNK):
                total += len(part)
    return total


def timed_audit(folder: Path) -> tuple[float, float, float]:
    """Seconds, seconds of CPU and the largest resident set in MiB of an audit in a process of its
    own.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    command = [sys.executable, "-m", "conformance.cli", "audit", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    took = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, cpu, after.ru_maxrss / 1024


def main() -> int:
    """Print what each round took; 0 where the folder was said to be good."""
    given = dict(enumerate(sys.argv))
    size, batch_size = int(float(given.get(1, "1")) * 2**30), int(given.get(2, "16384"))
    with tempfile.TemporaryDirectory(prefix="fencepost-audit-") as work:
        folder = Path(work) / "written-0"
        write_partition(folder, size, batch_size)
        print(f"{size / 2**30:.1f} GiB in batches of {batch_size:,} bytes", flush=True)
        for _ in range(ROUNDS):
            for cached in (False, True):
                if not cached:
                    forget(folder)
                began = time.monotonic()
                total = read_all(folder)
                read = time.monotonic() - began
                if not cached:
                    forget(folder)
                audit, cpu, resident = timed_audit(folder)
                print(
                    f"{'cached' if cached else 'disk':<7} read {total / read / 1e6:7.0f} MB/s  "
                    f"audited {total / audit / 1e6:7.0f} MB/s ({read / audit:4.0%}), "
                    f"{total / cpu / 1e6:7.0f} MB a second of CPU  "
                    f"{resident:4.0f} MiB",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
