"""The corpus: scenarios that once broke a clause on some system, kept in a folder and tried first
in every run.

A file is a scenario file (`spec.canonical.write_scenario`) named by the scenario's id, so it can be
replayed, mailed and deleted by hand. Files are put in place in one step and a file that is gone is
no error, so that many runs can share a folder. Nothing that goes wrong here fails a run: it becomes
a note.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cache import cache_dir
from spec.canonical import FormatError, identity, read_scenario, write_scenario
from spec.events import Event, Judged, LayoutPlaced, RunStarted, Shrunk
from spec.frozen import frozen
from spec.known import known_of
from spec.recent import LAYOUTS, Recent
from spec.scenario import Scenario
from spec.verdict import Outcome

if TYPE_CHECKING:
    from spec.layout import Layout

FAMILY = "corpus"
"""The `family` in `Judged` of a scenario that comes from here."""
MOST = 100
"""Scenarios that are kept; past it those go that broke nothing for the longest time."""
LARGEST = 4 << 20
"""Bytes of a file that is read."""


def default_folder() -> Path:
    """Where the corpus is unless `--corpus` names another place: next to the jars, in the user's
    cache folder.
    """
    return cache_dir() / "corpus"


@frozen
class Reading:
    """The content of a corpus: its scenarios, those that broke something last first, and a note on
    each file that can't be used.
    """

    scenarios: tuple[Scenario, ...] = ()
    notes: tuple[str, ...] = ()


class Corpus:
    """The scenarios of one folder, which is made when the first one is kept.

    Args:
        folder: where.
        most: how many are kept.
    """

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self.folder = folder
        self.most = most

    def read(self, subject: str) -> Reading:
        """The scenarios of a subject; a file that is no scenario, or another one than its name
        says, is named in a note and left alone.
        """
        scenarios: list[Scenario] = []
        notes: list[str] = []
        for path in self._files():
            try:
                with path.open("rb") as file:
                    text = file.read(LARGEST + 1)
                if len(text) > LARGEST:
                    raise FormatError(f"expected at most {LARGEST} bytes, found more")
                scenario = read_scenario(text)
                if identity(scenario) != path.stem:
                    raise FormatError(
                        f"expected the scenario {path.stem}, found {identity(scenario)}"
                    )
            except FileNotFoundError:
                continue
            except (OSError, FormatError) as error:
                notes.append(f"corpus: {path} is left out: {error}; delete it, or mend it")
            else:
                scenarios += [scenario] if scenario.subject == subject else []
        return Reading(tuple(scenarios), tuple(notes))

    def keep(self, scenario: Scenario) -> str | None:
        """Keep a scenario, or mark it as fresh where it is kept already; a note where it can't be,
        or where others had to go for it.
        """
        path = self.folder / f"{identity(scenario)}.json"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self._touch(path):
                _put(path, write_scenario(scenario))
            dropped = self._drop_oldest()
        except OSError as error:
            return (
                f"corpus: expected to keep a scenario in {self.folder}, found: "
                f"{error.strerror or error}; --corpus names another folder"
            )
        if dropped:
            return (
                f"corpus: at most {self.most} scenarios are kept in {self.folder}; {dropped} that "
                "broke nothing for the longest time went"
            )
        return None

    def _touch(self, path: Path) -> bool:
        try:
            os.utime(path)
        except FileNotFoundError:
            return False
        return True

    def _drop_oldest(self) -> int:
        old = self._files()[self.most :]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _files(self) -> list[Path]:
        """The files, the freshest first; none where there is no folder."""
        found: list[tuple[float, str, Path]] = []
        try:
            paths = [
                path
                for path in self.folder.iterdir()
                if path.suffix == ".json" and not path.name.startswith(".")
            ]
        except OSError:
            return []
        for path in paths:
            try:
                found.append((-path.stat().st_mtime, path.name, path))
            except OSError:
                continue
        return [path for _, _, path in sorted(found)]


@dataclass(slots=True)
class CorpusWriter:
    """Follows the events of a run and keeps, for each kind of break that no finding lists, the
    first scenario as drawn and as shrunk.

    A scenario of the corpus itself is marked as fresh where it breaks something again.

    Attributes:
        corpus: where they are kept; None: nowhere.
        known: (clause, signature) of the findings; those that a header names are added.
    """

    corpus: Corpus | None
    known: frozenset[tuple[str, str]] = frozenset()
    _layouts: Recent[str, Layout] = field(default_factory=lambda: Recent(2 * LAYOUTS))
    _kinds: set[tuple[str, str]] = field(default_factory=set)
    _said: bool = False

    def see(self, event: Event) -> str | None:
        """Take in one event; a note, once in a run, where the corpus has something to say."""
        scenario = self._worth_keeping(event)
        note = self.corpus.keep(scenario) if self.corpus and scenario else None
        if note is None or self._said:
            return None
        self._said = True
        return note

    def _begin(self, header: RunStarted) -> None:
        self.known |= known_of(header.facts).keys()

    def take_over(self, event: Event) -> None:
        """Take in an event of a run that is resumed: what it was worth is kept already."""
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, LayoutPlaced):
            self._layouts[event.id] = event.layout
        elif isinstance(event, Judged) and event.family != "example":
            self._kinds |= _broken(event) - self.known

    def _worth_keeping(self, event: Event) -> Scenario | None:
        if isinstance(event, RunStarted):
            self._begin(event)
        elif isinstance(event, LayoutPlaced):
            self._layouts[event.id] = event.layout
        elif isinstance(event, Shrunk):
            return event.scenario
        elif (
            isinstance(event, Judged)
            and (layout := self._layouts.get(event.layout)) is not None
            and event.family != "example"
        ):
            broken = _broken(event) - self.known
            if broken and (event.family == FAMILY or not broken <= self._kinds):
                self._kinds |= broken
                return Scenario(layout, event.steps, event.config)
        return None


def _broken(judged: Judged) -> set[tuple[str, str]]:
    return {v.kind for v in judged.verdicts if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}}


def _put(path: Path, text: str) -> None:
    """Put a file in place whole, whoever else does the same."""
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
