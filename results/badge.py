"""A badge: the verdict of a run in the form that an endpoint of shields.io takes."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from results.files import write_whole
from results.headline import headline
from results.schema_files import as_text
from results.summary import Summary
from results.text import plain

_COLOURS = {"CONFORMS": "brightgreen", "VIOLATES": "red", "LACKS": "red", "DEVIATES": "yellow"}
_OTHERWISE = "lightgrey"


class Badge(Struct, frozen=True):
    """The endpoint's form."""

    schemaVersion: Literal[1]  # noqa: N815 - shields.io's name
    label: str
    message: str
    color: Annotated[str, Meta(description="green where it conforms, red where a promise breaks")]


def badge(summary: Summary) -> Badge:
    """The badge of a run: `fencepost fetch | conforms, 68 of 71 clauses`."""
    word, _ = headline(summary)
    subject = f" {summary.header.subject}" if summary.header is not None else ""
    score = summary.score
    share = f", {score.exercised} of {score.total} clauses" if score is not None else ""
    return Badge(
        1,
        plain(f"fencepost{subject}"),
        f"{word.lower()}{share}",
        _COLOURS.get(word, _OTHERWISE),
    )


def write_badge(summary: Summary, path: Path) -> Path:
    """Write the badge.

    Raises:
        ReportError: it can't be written.
    """
    return write_whole(path, as_text(msgspec.to_builtins(badge(summary))))
