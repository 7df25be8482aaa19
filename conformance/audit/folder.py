"""A broker's data folder: its partitions, and the checkpoints beside them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from conformance.audit.files import UnreadableError, VanishedError, read_small
from conformance.audit.partition import Bounds, PartitionFolder, audit_partition
from conformance.misuse import BadConfiguration
from spec.disk.breaks import Break, Note
from spec.disk.texts import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.audit.segment import Seen

CLEAN = ".kafka_cleanshutdown"
METADATA = "__cluster_metadata-0"
"""The metadata log, which the marker of a clean stop does not speak of: the broker closes it later,
and when it starts it scans that log whatever the marker says (KafkaMetadataLog).
"""
CHECKPOINTS = (
    "recovery-point-offset-checkpoint",
    "log-start-offset-checkpoint",
    "replication-offset-checkpoint",
    "cleaner-offset-checkpoint",
)
MOST_OF_A_PARTITION = 1_000
"""Breaks and notes of one partition that are kept."""
_PARTITION = re.compile(r".+-\d+", re.DOTALL)
_LEAVING = re.compile(r".+-\d+\.[0-9a-f]{32}-(delete|future|stray)", re.DOTALL)
_LOG = re.compile(r"\d{20}\.log")


@dataclass(slots=True)
class Audit:
    """What was looked at.

    Attributes:
        clean: whether the broker stopped in good order.
        partitions, batches, size: how many, and the bytes of the .logs.
        ends: for each partition its first base offset and its end.
    """

    clean: bool
    partitions: int = 0
    batches: int = 0
    size: int = 0
    ends: dict[str, Bounds] = field(default_factory=dict)


def audit_folder(folder: Path) -> Iterator[Seen | Audit]:
    """What is wrong in a data folder, or in the folder of one partition; then what was looked at.

    In a folder whose broker runs, or stopped uncleanly, a partition with a break is looked at
    again, and what is there both times counts: a file may have changed on the way.

    Raises:
        BadConfiguration: it is no such folder.
    """
    names = _entry_names(folder)
    if any(_LOG.fullmatch(name) for name in names):
        audit = Audit(clean=(folder.parent / CLEAN).exists())
        clean = audit.clean and folder.name != METADATA
        yield from _partition(PartitionFolder(folder, "", clean), audit)
        yield audit
        return
    partitions = [name for name in names if _PARTITION.fullmatch(name)]
    if not partitions and "meta.properties" not in names:
        raise BadConfiguration(
            f"expected a broker's data folder (log.dirs), or a partition's folder, at {folder}, "
            "found neither; name the folder that holds the partitions' folders"
        )
    audit = Audit(clean=CLEAN in names)
    for name in partitions:
        if (folder / name).is_dir():
            clean = audit.clean and name != METADATA
            yield from _partition(PartitionFolder(folder / name, f"{_text(name)}/", clean), audit)
    yield from (
        Note(_text(name), "is on its way out or in, and was not looked at")
        for name in names
        if _LEAVING.fullmatch(name)
    )
    for name in CHECKPOINTS:
        if name in names:
            yield from _checkpoint(folder / name, audit)
    yield audit


def _entry_names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as failed:
        raise BadConfiguration(
            f"expected a folder that can be listed at {folder}, found: {failed.strerror}"
        ) from failed


def _text(name: str) -> str:
    """A file's name as text that can be printed."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _partition(folder: PartitionFolder, audit: Audit) -> Iterator[Seen]:
    """What is wrong with a partition, twice where it may have changed on the way."""
    seen, bounds = _once(folder)
    if not folder.clean and any(isinstance(one, Break) for one in seen):
        again, bounds = _once(folder)
        kept = {one for one in again if isinstance(one, Break)}
        seen = [one for one in seen if isinstance(one, Note) or one in kept]
    audit.partitions += 1
    if bounds is not None:
        audit.batches += bounds.passed.batches
        audit.size += bounds.passed.size
        audit.ends[folder.path.name] = bounds
    yield from seen


def _once(folder: PartitionFolder) -> tuple[list[Seen], Bounds | None]:
    """A partition's breaks and notes, the first of very many, and where its log lies."""
    bounds: Bounds | None = None

    def breaks_and_notes() -> Iterator[Seen]:
        nonlocal bounds
        for one in audit_partition(folder):
            if isinstance(one, Bounds):
                bounds = one
            else:
                yield one

    found = breaks_and_notes()
    kept = list(islice(found, MOST_OF_A_PARTITION))
    more = sum(1 for _ in found)
    if more:
        kept.append(Note(folder.shown, f"{more} more breaks and notes are not listed"))
    return kept, bounds


def _checkpoint(path: Path, audit: Audit) -> Iterator[Seen]:
    """What is wrong with a checkpoint of offsets."""
    try:
        text = read_small(path).decode("utf-8", "backslashreplace")
    except VanishedError:
        return
    except UnreadableError as failed:
        yield Break("SEG-180", path.name, 0, str(failed))
        return
    found, lined = checkpoint(text)
    yield from (Break(rule, path.name, line, what) for line, (rule, what) in lined)
    if not audit.clean:
        return
    for one in found:
        bounds = audit.ends.get(one.partition)
        if bounds is None or bounds.first is None:
            continue
        least = bounds.first if path.name.startswith("log-start") else 0
        if not least <= one.offset <= bounds.end:
            expected = f"expected an offset from {least} to {bounds.end} of {one.partition}"
            yield Break("SEG-171", path.name, one.line, f"{expected}, found {one.offset}")
