"""The progress line of a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from spec.events import Judged, Shrunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from conformance.engine.loop import Loop
    from conformance.engine.plan import Plan
    from spec.events import Event


def shown(events: Iterator[Event], loop: Loop, plan: Plan, console: Console) -> Iterator[Event]:
    """Pass events on while a line says how far the run is; nothing is shown where the output is no terminal."""
    if not console.is_terminal:
        yield from events
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        total = plan.scenarios if plan.seconds is None else plan.seconds
        task = progress.add_task("judging", total=total)
        found = 0
        for event in events:
            if isinstance(event, Judged):
                found += _unlisted(event, loop)
                done = loop.scenarios if plan.seconds is None else time.monotonic() - loop.started
                progress.update(task, completed=done, description=f"judging, {loop.layouts} layouts, {found} unlisted")
            elif isinstance(event, Shrunk):
                progress.console.print(f"{event.clause} {event.signature}: shrunk with {event.calls} replays")
            yield event


def _unlisted(judged: Judged, loop: Loop) -> bool:
    """Whether a scenario breaks a clause in a way that no finding lists."""
    return any(v.outcome in {"violates", "deviates"} and (v.clause, v.signature) not in loop.known for v in judged.verdicts)
