"""Judge one served mutant by a strict run that stops at the first break, in a process of its own.

The arguments are the subject, a file with an object of the replacing sources by the modules' dotted
names, the number of scenarios, the seed, `whole` where the run does not end at the first break, and
`dry` where a dry run of the mutant answers, in a child process too, instead of a served model.
The one line of output is an object: `fate`, one of killed, survived, inconclusive, crashed at
start; `by`, the clauses or the note that say so; `judged`, how many scenarios were judged. The
judge's own modules are the unchanged ones.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from conformance.cli.common import make_codec
from conformance.engine.event_stream import Run, plan_start, run
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.findings import SHIPPED, load_findings, unexpired_reasons
from conformance.subjects.registry import runner_of
from conformance.systems.base import StartFailed
from conformance.systems.model import Model
from spec.events import Judged, Note, RunFinished
from spec.releases import semantics_for
from spec.verdict import Outcome as VerdictOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.engine.event_stream import Play
    from conformance.engine.play_result import Played
    from conformance.engine.start import Started
    from spec.observation import Observation
    from spec.scenario import Scenario

ANSWERER = Path(__file__).with_name("mutant_answerer.py")
BROKEN = (VerdictOutcome.VIOLATES, VerdictOutcome.DEVIATES, VerdictOutcome.INCONCLUSIVE)
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
    listed: set[tuple[str, str]] = set()
    begin_plan = plan_start(
        runner_of(subject), Plan(seed, scenarios, shrink=False), f"mutant-{seed}"
    )

    @contextmanager
    def begin(broker: Started, findings: frozenset[tuple[str, str]]) -> Iterator[Play]:
        listed.update(findings)
        with begin_plan(broker, findings) as play:
            yield play

    asked = Run(
        *(subject, MutatedModel(file), make_codec(), begin, seed, f"mutant-{seed}"),
        strict=True,
        whole=False,  # a finding that a short run does not meet is not stale
    )
    outcome, count, last, events = RunOutcome(listed, strict=True), 0, "", run(asked)
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


class Answerer:
    """A child process that answers scenarios by a mutant, until it is closed."""

    def __init__(self, subject: str, file: str, release: str) -> None:
        command = [sys.executable, str(ANSWERER), subject, file, release]
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def answer(self, scenario: Scenario) -> Observation:
        """The mutant's observation of a scenario.

        Raises:
            NoAnswerError: the mutant failed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(scenario, self._process.stdin)
            self._process.stdin.flush()
            found = pickle.load(self._process.stdout)  # noqa: S301 - our own child
        except (EOFError, BrokenPipeError) as gone:
            raise NoAnswerError("the mutant ended") from gone
        if isinstance(found, str):
            raise NoAnswerError(found)
        return cast("Observation", found)

    def close(self) -> None:
        """End the child."""
        self._process.kill()
        self._process.wait()


class NoAnswerError(Exception):
    """The mutant failed where the machine answers."""


def judged_dry(
    subject: str, file: str, scenarios: int, seed: int, *, whole: bool = False
) -> dict[str, object]:
    """What became of the mutant, by a run without a broker in which its answers take the place of
    the machine's. One that fails gives no answer where there must be one.
    """
    runner = runner_of(subject)
    trial = runner.trial
    semantics = semantics_for(trial.release)
    player = runner.dry_run(semantics, None)
    listed = frozenset(
        unexpired_reasons(load_findings((SHIPPED,), trial.release), datetime.now(UTC).date())
    )
    loop = runner.loop(player, Plan(seed, scenarios, restart=trial.restart, shrink=False), listed)
    answerer = Answerer(subject, file, trial.release)
    judge_own = player._judge  # noqa: SLF001 - every play of a dry run comes by here

    def judge_answer(scenario: Scenario, _: Observation) -> Played:
        return judge_own(scenario, answerer.answer(scenario))

    vars(player)["_judge"] = judge_answer
    count = 0
    try:
        for event in loop.events():
            if not isinstance(event, Judged):
                continue
            count += 1
            broken = {
                one.clause
                for one in event.verdicts
                if one.outcome in BROKEN and one.kind not in listed
            }
            if broken and not whole:
                return {"fate": "killed", "by": ", ".join(sorted(broken)), "judged": count}
    except NoAnswerError as failed:
        return {"fate": "killed", "by": f"no answer: {failed}", "judged": count}
    finally:
        answerer.close()
    return {"fate": "survived", "by": "", "judged": count}


def _end(*_: object) -> None:
    raise SystemExit(1)


def main() -> None:
    """Print what became of it."""
    signal.signal(signal.SIGTERM, _end)  # so that the served child is ended too
    subject, file, scenarios, seed, *words = sys.argv[1:]
    asked = judged_dry if "dry" in words else judged
    found = asked(subject, file, int(scenarios), int(seed), whole="whole" in words)
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
