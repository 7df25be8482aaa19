"""Runs of Fencepost, each in a process of its own, and what they say of each clause."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

OWN_COMMAND = (sys.executable, "-P", "-m", "conformance.cli")
"""Fencepost as it is installed beside this plugin."""
_FOLDER_FILE = "FENCEPOST_RUN_FOLDER_FILE"
_LISTED = re.compile(r"^([A-Z]{3}-\d+)\s+(must|reference|best_effort)\s+(.*)$", re.MULTILINE)
_DECIDED = (0, 1)
_LAST = 3000
"""Characters of a run's output that a failure shows."""


class NotRun(Exception):  # noqa: N818 - it describes the run
    """Fencepost did not do what it was called for; the message has the end of its output."""


@dataclass(frozen=True)
class Difference:
    """One way in which a clause broke.

    Attributes:
        signature: its name.
        outcome: `violates` or `deviates`.
        known: the reason of the finding that lists it; None where none does.
        why: expected against found.
        text: that, with the smallest case drawn.
        case: the scenario file; None where there is none.
    """

    signature: str
    outcome: str
    known: str | None
    why: str
    text: str
    case: Path | None


@dataclass(frozen=True)
class Clause:
    """What a run says of one clause.

    Attributes:
        exercised: in how many scenarios it was judged.
        why_not: why it was not, where it was not.
        differences: how it broke.
    """

    exercised: int
    why_not: str
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Run:
    """A run that was done.

    Attributes:
        command: the command that did it.
        exit_code: as documented.
        verdict: its last line.
        output: all that it printed.
        folder: where it is kept; None where it was none.
        clauses: by id, those that it says something of.
    """

    command: str
    exit_code: int
    verdict: str
    output: str
    folder: Path | None
    clauses: dict[str, Clause]

    @property
    def undecided(self) -> str:
        """Why the run says nothing for sure as a whole; empty where it does."""
        if self.exit_code in _DECIDED and self.folder is not None:
            return ""
        return f"exit code {self.exit_code} of `{self.command}`:\n{self.output[-_LAST:]}"


@dataclass
class Runs:
    """The runs of one broker, each done once.

    Args:
        command: how Fencepost is called.
        options: of `fencepost run`, but the subject.
        place: where the run folders go.
        strict: whether a deviation is a break.
    """

    command: tuple[str, ...]
    options: tuple[str, ...]
    place: Path
    strict: bool
    _done: dict[str, Run] = field(default_factory=dict)

    def of(self, subject: str) -> Run:
        """The run of a subject."""
        if subject not in self._done:
            self._done[subject] = self._do(subject)
        return self._done[subject]

    def _do(self, subject: str) -> Run:
        named = self.place / f"{subject}.folder"
        options = ["run", "--subject", subject, *self.options, "--out", str(self.place)]
        code, output = call(self.command, options, {_FOLDER_FILE: str(named)})
        folder = Path(named.read_text(encoding="utf-8")) if named.exists() else None
        if folder is None or not (folder / "summary.json").exists():
            folder = None
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
        return Run(
            shlex.join(["fencepost", *options]),
            code,
            last,
            output,
            folder,
            read_clauses(folder) if folder is not None else {},
        )


def call(
    command: tuple[str, ...], options: list[str], more: dict[str, str] | None = None
) -> tuple[int, str]:
    """Call Fencepost; its exit code and what it prints. It finds the packages beside this one, and
    none that the tests' own PYTHONPATH names.

    Raises:
        NotRun: there is no such command.
    """
    environment = {**os.environ, **(more or {}), "COLUMNS": "100"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    try:
        done = subprocess.run(  # noqa: S603 - what the user names
            [*command, *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as failed:
        raise NotRun(
            f"expected the command {command[0]}, found: {failed.strerror}; name it by "
            "--fencepost-command"
        ) from failed
    return done.returncode, done.stdout.decode(errors="replace")


def clauses_of(command: tuple[str, ...], subject: str) -> dict[str, str]:
    """The clauses of a subject that can be tested: their statements by id.

    Raises:
        NotRun: there is no such subject, or Fencepost can't be called.
    """
    code, output = call(command, ["spec", subject])
    found = {name: statement for name, _, statement in _LISTED.findall(output)}
    if code or not found:
        raise NotRun(f"expected the clauses of the subject {subject!r}, found:\n{output[-_LAST:]}")
    return found


def read_clauses(folder: Path) -> dict[str, Clause]:
    """What a run folder says of each clause."""
    summary = json.loads((folder / "summary.json").read_bytes())
    texts = _texts(folder / "junit.xml")
    why_not = (summary.get("requirements") or {}).get("not_exercised", {})
    differences: dict[str, list[Difference]] = {}
    for one in summary["differences"]:
        differences.setdefault(one["clause"], []).append(_difference(one, texts, folder))
    return {
        one["id"]: Clause(
            one["exercised"], why_not.get(one["id"], ""), tuple(differences.get(one["id"], ()))
        )
        for one in summary["clauses"]
    }


def _difference(one: dict[str, Any], texts: dict[str, str], folder: Path) -> Difference:
    name = f"{one['clause']} {one['signature']}"
    case = folder / "scenarios" / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.json"
    return Difference(
        one["signature"],
        one["outcome"],
        one["known"],
        one["why"],
        texts.get(name, one["why"]),
        case if case.exists() else None,
    )


def _texts(junit: Path) -> dict[str, str]:
    """The text of each failure, with its smallest case drawn, by its test case's name."""
    if not junit.exists():
        return {}
    root = ET.parse(junit).getroot()  # noqa: S314 - a file that Fencepost wrote
    return {
        str(case.get("name")): failure.text
        for case in root.iter("testcase")
        for failure in case.iter("failure")
        if failure.text
    }
