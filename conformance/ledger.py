"""Things that a run makes on a cluster that is not its own: each thing is written down before it is
made, so that whatever a crash leaves behind can be named and removed.

A ledger is a file of lines, one JSON object each, `{"made": KIND, "name": NAME}` or
`{"removed": KIND, "name": NAME}`. Each line is one append to the file, so that a killed process
loses none, and threads need no lock. Nothing is kept in memory.
"""

from __future__ import annotations

import json
import os
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, Self

from conformance.misuse import BadConfiguration
from spec.frozen import frozen

if TYPE_CHECKING:
    from pathlib import Path

LEDGER_NAME = "ledger.jsonl"
"""The ledger's name in a run folder."""
PREFIX = "fencepost-"
"""The prefix of every name that a run gives to something on a cluster."""


class Kind(StrEnum):
    """The kinds of thing that a run makes on a cluster, in the order in which they are removed."""

    GROUP = "group"
    GROUP_CONFIG = "group config"
    QUOTA = "quota"
    TOPIC = "topic"


@frozen
class Made:
    """One thing on a cluster.

    Attributes:
        kind: what it is.
        name: of the group, of the group that has configs, of the client id that has a quota, or of
            the topic.
    """

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class BadLedger(BadConfiguration):
    """A ledger that can't be read, or names what no run of Fencepost makes."""


class Ledger(Protocol):
    """Takes note of what is made on a cluster and of what is removed from it."""

    def will_make(self, kind: Kind, *names: str) -> None:
        """Write down what is made next."""
        ...

    def note_removed(self, kind: Kind, *names: str) -> None:
        """Write down what is gone."""
        ...

    def remaining(self) -> tuple[Made, ...]:
        """The things made and not removed, in the order in which they are to be removed."""
        ...


@frozen
class NoLedger:
    """Takes no note: for a broker that is started for a run and thrown away after it."""

    def will_make(self, kind: Kind, *names: str) -> None:
        """Take no note."""

    def note_removed(self, kind: Kind, *names: str) -> None:
        """Take no note."""

    def remaining(self) -> tuple[Made, ...]:
        """Nothing."""
        return ()


NO_LEDGER = NoLedger()
"""The one `NoLedger` that is needed."""


class FileLedger:
    """A ledger in a file, which is made with its first line; one that is there is continued.

    Args:
        path: the file. Its folder must be there by the first line.

    Raises:
        BadLedger: the file is there and is no ledger.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None
        if path.exists():
            read_ledger(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def will_make(self, kind: Kind, *names: str) -> None:
        """Write down what is made next. Raises `OSError` where that fails."""
        self._write("made", kind, names)

    def note_removed(self, kind: Kind, *names: str) -> None:
        """Write down what is gone. Raises `OSError` where that fails."""
        self._write("removed", kind, names)

    def remaining(self) -> tuple[Made, ...]:
        """The things made and not removed, read from the file."""
        return read_ledger(self.path) if self.path.exists() else ()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, event: str, kind: Kind, names: tuple[str, ...]) -> None:
        if not names:
            return
        if self._file is None:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            _end_last_line(self._file)
        lines = [json.dumps({event: kind.value, "name": name}) + "\n" for name in names]
        data = "".join(lines).encode()
        if os.write(self._file, data) != len(data):
            raise OSError(f"expected to write to {self.path}, found no room; free some")


def _end_last_line(file: int) -> None:
    """Cut off a last line that was not written wholly: what it names was not made."""
    size = os.fstat(file).st_size
    data = os.pread(file, size, 0)
    os.ftruncate(file, data.rfind(b"\n") + 1)


def read_ledger(path: Path) -> tuple[Made, ...]:
    """The things made and not removed by a ledger, in the order in which they are to be removed.

    A last line without an end was not written wholly, so that what it names was not made.

    Raises:
        BadLedger: it can't be read, or names something else than a run of Fencepost makes.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failed:
        why = failed.strerror if isinstance(failed, OSError) else "other bytes than UTF-8"
        raise BadLedger(
            f"expected the ledger of a run at {path}, found: {why}; name the folder of a run on an "
            "external cluster"
        ) from failed
    remaining: dict[Made, None] = {}
    for number, line in enumerate(text.split("\n")[:-1], 1):
        event, made = _entry(path, number, line)
        if event == "made":
            remaining[made] = None
        else:
            remaining.pop(made, None)
    order = list(Kind)
    return tuple(sorted(remaining, key=lambda made: order.index(made.kind)))


def _entry(path: Path, number: int, line: str) -> tuple[str, Made]:
    """Read one line: `made` or `removed`, and of what."""
    try:
        found = json.loads(line)
        event = "made" if "made" in found else "removed"
        made = Made(Kind(found[event]), str(found["name"]))
    except (ValueError, TypeError, KeyError, RecursionError) as failed:
        raise BadLedger(
            f"{path}:{number}: expected a line of a ledger, found {line[:80]!r}; nothing was "
            "removed, correct the line or take it out"
        ) from failed
    if not made.name.startswith(PREFIX):
        raise BadLedger(
            f"{path}:{number}: expected a name that begins with {PREFIX}, found "
            f"{made.name[:80]!r}; nothing was removed, take the line out"
        )
    return event, made
