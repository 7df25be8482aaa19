"""Judge one served mutant by a strict run that stops at the first break, in a process of its own.

The arguments are the subject, a file with an object of the replacing sources by the modules' dotted
names, the number of scenarios, the seed, and `whole` where the run does not end at the first break.
The one line of output is an object: `fate`, one of killed, survived, inconclusive, crashed at
start; `by`, the clauses or the note that say so; `judged`, how many scenarios were judged. The
judge's own modules are the unchanged ones.
"""

from __future__ import annotations

import json
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.common import make_codec
from conformance.engine.event_stream import Run, planned, run
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.subjects.registry import runner_of
from conformance.systems.base import StartFailed
from conformance.systems.model import Model
from spec.events import Judged, Note, RunFinished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.event_stream import Play
    from conformance.engine.start import Started

SERVER = Path(__file__).with_name("mutant_server.py")


class MutatedModel(Model):
    """The served model with some modules replaced."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self._replaced = file

    def _command(self, given: str) -> list[str]:
        return [sys.executable, "-P", str(SERVER), self._replaced, given]


def judged(
    subject: str, file: str, scenarios: int, seed: int, *, whole: bool = False
) -> dict[str, object]:
    """What became of the mutant; a run that is to be whole continues after a break."""
    known: set[tuple[str, str]] = set()
    begin_plan = planned(runner_of(subject), Plan(seed, scenarios, shrink=False), f"mutant-{seed}")

    @contextmanager
    def begin(broker: Started, findings: frozenset[tuple[str, str]]) -> Iterator[Play]:
        known.update(findings)
        with begin_plan(broker, findings) as play:
            yield play

    asked = Run(
        *(subject, MutatedModel(file), make_codec(), begin, seed, f"mutant-{seed}"),
        strict=True,
        whole=False,  # a finding that a short run does not meet is not stale
    )
    outcome, count, last, events = RunOutcome(known, strict=True), 0, "", run(asked)
    try:
        for event in events:
            outcome.see(event)
            if isinstance(event, Judged):
                count += 1
                if outcome.failed and not whole:
                    broken = {v.clause for v in event.verdicts if outcome.fails(v)}
                    by = ", ".join(sorted(broken))
                    return {"fate": "killed", "by": by, "judged": count}
            elif isinstance(event, Note):
                last = event.text
            elif isinstance(event, RunFinished) and event.exit_code:
                fate = "killed" if event.reason == "broken" else "inconclusive"
                return {"fate": fate, "by": last or f"exit {event.exit_code}", "judged": count}
    except StartFailed as failed:
        return {"fate": "crashed at start", "by": str(failed), "judged": count}
    finally:
        events.close()
    return {"fate": "survived", "by": "", "judged": count}


def _end(*_: object) -> None:
    raise SystemExit(1)


def main() -> None:
    """Print what became of it."""
    signal.signal(signal.SIGTERM, _end)  # so that the served child is ended too
    subject, file, scenarios, seed, *whole = sys.argv[1:]
    found = judged(subject, file, int(scenarios), int(seed), whole=whole == ["whole"])
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
