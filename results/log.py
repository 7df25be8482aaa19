"""The event log of a run: one canonical JSON object a line, written as it happens, read without
losing a line in silence.
"""

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

from results.text import plain
from spec.canonical import FormatError, from_plain, to_json
from spec.events import FORMAT, Event, Note, RunFinished, RunStarted
from spec.frozen import frozen

RESUMED = "the run was resumed"
"""How the note begins that stands between the parts of a run."""
LOG_NAME = "events.jsonl"
"""The event log's name in a run folder."""

_EVENT: Any = Event
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_EXCERPT = 120
_BACKWARDS = 1 << 16


class LogError(Exception):
    """An event log that can't be written or read. The message names the file, what was found and
    what to do next.
    """


class LogWriteError(LogError):
    """The log could not be written: the disk is full, the folder is missing or not ours. What was
    written before is whole.
    """


class LogExistsError(LogError):
    """A log stands where a new one should begin: another run has this folder, or `--resume` was
    forgotten.
    """


class LogNotFoundError(LogError):
    """There is no log: a wrong path, or the run ended before its header was written."""


class LogEmptyError(LogError):
    """A log without a byte: the run was killed before its header, or the disk was full from the
    start.
    """


class ForeignLogError(LogError):
    """The file is something else: its first line is not an event. Perhaps another tool's JSON
    lines, or a damaged head.
    """


class HeaderMissingError(LogError):
    """The file holds events but does not begin with `run_started`: its head was cut off, or it is a
    part of a log.
    """


class FutureLogError(LogError):
    """A newer Fencepost wrote the log in a format that this one does not know."""


@frozen
class BrokenLine:
    """A line that is no event.

    Attributes:
        number: its line number, from 1.
        reason: why it can't be read.
        text: its beginning, control characters written out.
    """

    number: int
    reason: str
    text: str


@frozen
class LogReading:
    """The content of a log.

    Attributes:
        header: the first line.
        events: every line that could be read, the header first.
        truncated: the last event is not the footer, so the run was cut short or is still going.
        broken_lines: every line that could not be read.
    """

    header: RunStarted
    events: tuple[Event, ...]
    truncated: bool
    broken_lines: tuple[BrokenLine, ...] = ()


class EventWriter:
    """Writes the events of a run, each as a whole line handed to the system at once.

    A write that fails half-way is taken back, so that the log never ends in half a line unless the
    process or the machine dies within the write. The header and the footer are forced to the disk.

    Args:
        path: the log; its folder must exist.
        resume: continue a log that is there. A last line that was cut short is taken off, and a
            note says so.
        renew: take the place of a log that is there, once the header is written.

    Attributes:
        resumed: the note that was written where it continues a log; otherwise None.

    Raises:
        LogExistsError: without `resume`, the file is there already.
        LogWriteError: the file can't be opened.
        LogError: with `resume`, as `read_header`.
    """

    def __init__(self, path: Path, *, resume: bool = False, renew: bool = False) -> None:
        self.path = path
        self._shadow = path.with_name(f".{path.name}") if renew else None
        self.resumed: Note | None = None
        self._failed: str | None = None
        if resume:
            read_header(path)
        try:
            self._file: IO[bytes] = (
                self._shadow.open("wb", buffering=0)
                if self._shadow
                else path.open("r+b" if resume else "xb", buffering=0)
            )
        except FileExistsError as error:
            raise LogExistsError(
                f"expected no event log at {path}, found one; continue it by --resume, or choose "
                "another run folder"
            ) from error
        except OSError as error:
            raise LogWriteError(_unwritable(path, error)) from error
        self._length = 0
        if resume:
            self._length, cut = _mend_tail(self._file)
            taken = f"; its last line was cut short and {cut} bytes were taken off" if cut else ""
            self.resumed = Note(f"{RESUMED}{taken}")
            self.write(self.resumed)

    def write(self, event: Event) -> None:
        """Append one event.

        Raises:
            LogWriteError: it could not be written whole; the log then ends with the event before
            it.
        """
        if self._failed is not None:
            raise LogWriteError(self._failed)
        line = memoryview((to_json(event) + "\n").encode(errors="backslashreplace"))
        written = 0
        try:
            while written < len(line):
                written += self._file.write(line[written:]) or 0
            if isinstance(event, RunStarted | RunFinished):
                os.fsync(self._file.fileno())
            if self._shadow is not None:
                self._shadow.replace(self.path)
                self._shadow = None
        except OSError as error:
            self._failed = _unwritable(self.path, error)
            self._take_back()
            raise LogWriteError(self._failed) from error
        self._length += len(line)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_back(self) -> None:
        try:
            self._file.truncate(self._length)
        except OSError:
            self._failed = f"{self._failed} (its last line may be cut in half)"


def read_log(path: Path) -> LogReading:
    """Read a whole log into memory.

    Raises:
        LogError: there is no log of a format that can be read, see its subclasses. Broken lines
        past the header raise nothing.
    """
    header = read_header(path)
    events: list[Event] = []
    broken: list[BrokenLine] = []
    for item in scan(path):
        if isinstance(item, BrokenLine):
            broken.append(item)
        else:
            events.append(item)
    return LogReading(header, tuple(events), not isinstance(events[-1], RunFinished), tuple(broken))


def scan(path: Path) -> Iterator[Event | BrokenLine]:
    """Each line of a log in turn, as an event or as a broken line; together they are as many as the
    lines.

    Raises:
        LogNotFoundError: the file can't be opened.
    """
    with _open(path) as file:
        for number, raw in enumerate(file, 1):
            yield _line(number, raw)


def read_header(path: Path) -> RunStarted:
    """The first line of a log.

    Raises:
        LogNotFoundError, LogEmptyError, ForeignLogError, HeaderMissingError, FutureLogError: as
        they say.
    """
    with _open(path) as file:
        raw = file.readline()
    if not raw:
        raise LogEmptyError(
            f"expected an event log in {path}, found an empty file; the run left nothing, do it "
            "again"
        )
    found = _object(raw)
    if found is None or not isinstance(found.get("kind"), str):
        raise ForeignLogError(
            f"expected an event log in {path}, found a first line that is no event: "
            f"{_excerpt(raw)!r}; name a run folder, or its {LOG_NAME}"
        )
    if found["kind"] != "run_started":
        raise HeaderMissingError(
            f"expected {path} to begin with run_started, found {plain(found['kind'], 40)!r}; "
            "its head is missing, so nothing says what was tested: take the whole log"
        )
    version = found.get("format", FORMAT)
    if isinstance(version, int) and version > FORMAT:
        raise FutureLogError(
            f"expected event log format {FORMAT} or older in {path}, found {version}; upgrade "
            "Fencepost and read it again"
        )
    try:
        return from_plain(RunStarted, found)
    except FormatError as error:
        raise ForeignLogError(
            f"expected a run_started header in {path}, found one that can't be read: {error}"
        ) from error


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        reason = error.strerror or str(error)
        raise LogNotFoundError(
            f"expected an event log at {path}, found none that can be opened ({reason}); name a "
            "run folder that `fencepost run` made"
        ) from error


def _line(number: int, raw: bytes) -> Event | BrokenLine:
    try:
        text = raw.decode()
        if not text.strip():
            return BrokenLine(number, "expected an event, found an empty line", "")
        event: Event = from_plain(_EVENT, json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        cut = "" if raw.endswith(b"\n") else "cut short at the end of the file: "
        return BrokenLine(number, plain(f"{cut}{error}", 300), _excerpt(raw))
    return event


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _excerpt(raw: bytes) -> str:
    return plain(raw[: 4 * _EXCERPT].decode(errors="replace").rstrip("\n"), _EXCERPT)


def _mend_tail(file: IO[bytes]) -> tuple[int, int]:
    """Make the log end with a whole line: its length then, and how many bytes were taken off."""
    end = file.seek(0, os.SEEK_END)
    start = _last_line_start(file, end)
    file.seek(start)
    tail = file.read(end - start)
    if not tail:
        return end, 0
    file.seek(end)
    if isinstance(_line(0, tail), BrokenLine):
        file.truncate(start)
        return file.seek(start), len(tail)
    file.write(b"\n")
    return end + 1, 0


def _last_line_start(file: IO[bytes], end: int) -> int:
    upto = end
    while upto:
        start = max(0, upto - _BACKWARDS)
        file.seek(start)
        newline = file.read(upto - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        upto = start
    return 0


def _unwritable(path: Path, error: OSError) -> str:
    mend = (
        "free some space, then continue the run by --resume"
        if error.errno in _DISK_FULL
        else "make its folder writable, or choose another one for the run"
    )
    return f"expected to write the event log {path}, found: {error.strerror or error}; {mend}"
