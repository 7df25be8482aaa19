"""What holds of the text files of a data folder."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from spec.disk.breaks import Remark

LONGEST_NUMBER = 19
"""Digits of 2^63 - 1; a longer number is refused before it is converted."""


class LineRemark(NamedTuple):
    """A remark on a line of a text file, from 1."""

    line: int
    remark: Remark


class EpochStart(NamedTuple):
    """A leader epoch and its first offset."""

    epoch: int
    start: int


class CheckpointEntry(NamedTuple):
    """An offset that a checkpoint has for a partition, and on which line."""

    line: int
    partition: str
    offset: int


_TOPIC_ID = re.compile(r"version: ?0\ntopic_id: ?[A-Za-z0-9_-]{22}\n?")


def _number(text: str) -> int | None:
    """A whole number of at least -1; None for anything else."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > LONGEST_NUMBER:
        return None
    return int(text) if text in {"-1", digits} else None


def _body(text: str, rule: str) -> tuple[list[str], LineRemark | None]:
    """The lines behind version and count, and what is wrong with these; an empty file, as brokers
    make it first, has none.
    """
    if not text:
        return [], None
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if not lines or lines[0] != "0":
        return [], LineRemark(1, (rule, f"expected version 0, found {_first_line(lines)}"))
    count = _number(lines[1]) if len(lines) > 1 else None
    if count != len(lines) - 2:
        found = f"{_first_line(lines[1:])} above {max(0, len(lines) - 2)} lines"
        return [], LineRemark(2, (rule, f"expected the number of lines that follow, found {found}"))
    return lines[2:], None


def _first_line(lines: list[str]) -> str:
    return repr(lines[0][:60]) if lines else "nothing"


def leader_epochs(text: str) -> tuple[tuple[EpochStart, ...], tuple[LineRemark, ...]]:
    """The epochs of a leader-epoch-checkpoint, and what is wrong with it."""
    lines, broken = _body(text, "SEG-150")
    if broken is not None:
        return (), (broken,)
    found: list[EpochStart] = []
    remarks: list[LineRemark] = []
    for number, line in enumerate(lines, 3):
        numbers = [_number(word) for word in line.split(" ")]
        epoch, start = numbers if len(numbers) == 2 else (None, None)
        if epoch is None or start is None or min(epoch, start) < 0:
            shown = repr(line[:60])
            remarks.append(
                LineRemark(
                    number, ("SEG-150", f"expected an epoch and its first offset, found {shown}")
                )
            )
        elif found and (epoch <= found[-1].epoch or start <= found[-1].start):
            last = found[-1]
            above = f"expected an epoch above {last.epoch} and an offset above {last.start}"
            remarks.append(
                LineRemark(number, ("SEG-150", f"{above}, found {epoch} from {start} on"))
            )
        else:
            found.append(EpochStart(epoch, start))
    return tuple(found), tuple(remarks)


def epoch_at(epochs: tuple[EpochStart, ...], offset: int) -> int | None:
    """The epoch that a checkpoint has for an offset; None where it begins later."""
    found = None
    for one in epochs:
        if one.start > offset:
            break
        found = one.epoch
    return found


def checkpoint(text: str) -> tuple[tuple[CheckpointEntry, ...], tuple[LineRemark, ...]]:
    """The offsets of a checkpoint, and what is wrong with it."""
    lines, broken = _body(text, "SEG-170")
    if broken is not None:
        return (), (broken,)
    found: dict[str, CheckpointEntry] = {}
    remarks: list[LineRemark] = []
    for number, line in enumerate(lines, 3):
        words = line.split(" ")
        partition, offset = (
            (_number(words[1]), _number(words[2])) if len(words) == 3 else (None, None)
        )
        if partition is None or offset is None or min(partition, offset) < 0:
            shown = repr(line[:60])
            remarks.append(
                LineRemark(
                    number, ("SEG-170", f"expected topic, partition and offset, found {shown}")
                )
            )
        elif f"{words[0]}-{partition}" in found:
            twice = f"expected each partition once, found {words[0]}-{partition} again"
            remarks.append(LineRemark(number, ("SEG-170", twice)))
        else:
            key = f"{words[0]}-{partition}"
            found[key] = CheckpointEntry(number, key, offset)
    return tuple(found.values()), tuple(remarks)


def partition_metadata(text: str) -> Iterator[LineRemark]:
    """What is wrong with a partition.metadata."""
    if not _TOPIC_ID.fullmatch(text):
        shown = repr(text[:60])
        yield LineRemark(1, ("SEG-172", f"expected version 0 and a topic id, found {shown}"))
