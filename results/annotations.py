"""A run as annotations of GitHub Actions: lines on standard output that its runner shows beside a
job.
"""

import os
from collections.abc import Iterator

from results.clusters import Cluster, by_cause
from results.sarif import level
from results.summary import Summary
from results.text import plain

SETTING = "GITHUB_ACTIONS"
MOST = 10
"""The runner shows so many annotations of one level in a step."""
_LEVELS = {"error": "error", "note": "notice"}


def annotation_lines(summary: Summary, *, strict: bool = False) -> tuple[str, ...]:
    """A line for each root cause that no finding lists, the heaviest first, at most `MOST` of one
    level; none where GitHub Actions does not run this.
    """
    if os.environ.get(SETTING) != "true":
        return ()
    lines: list[str] = []
    for kind, title, text in (*_lacking(summary), *_broken(summary, strict=strict)):
        if sum(line.startswith(f"::{kind} ") for line in lines) < MOST:
            lines.append(f"::{kind} title={_property(title)}::{_data(text)}")
    return tuple(lines)


def _lacking(summary: Summary) -> Iterator[tuple[str, str, str]]:
    for one in summary.missing_apis:
        yield "error", f"lacks {one.claimed}", plain(one.reason)


def _broken(summary: Summary, *, strict: bool) -> Iterator[tuple[str, str, str]]:
    for one, explained in by_cause(summary.clusters):
        if one.known is None:
            title = f"{one.outcome.value} {one.clause} {one.signature}"
            yield _LEVELS[level(one, strict=strict)], plain(title), _text(one, explained)


def _text(one: Cluster, explained: list[Cluster]) -> str:
    others = ", ".join(dict.fromkeys([each.clause for each in explained]))
    return plain(one.why) + (f"; it explains {others}" if others else "")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
