"""A run ends when it is asked to, with nothing of it left."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.exit_codes import INTERRUPTED, OK
from conformance.subjects.registry import RUNNERS
from results.log import LOG_NAME, read_log
from spec.catalogue import clauses_of
from spec.events import RunFinished
from tests.processes import awaited

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.system

BEGUN_S = 120.0
AT_ONCE_S = 30.0
"""What a run may take to end on a busy machine; on its own it takes some 0.2 s, and one that does
not heed the interrupt plays for minutes.
"""
SUBJECTS = [runner.subject for runner in RUNNERS if runner.brokers == 1]
"""Those that a single broker can be asked."""
MOMENTS = {"header": b'"run_started"', "first part": b'"judged"', "later part": b'"cursor"'}
"""What the log has before the interrupt."""


def ended_in(system: str, subject: str, moment: bytes, out: Path) -> float:
    """How long a run takes to end after an interrupt, in seconds."""
    command = [sys.executable, "-m", "conformance.cli", "run", system, "--subject", subject]
    command += ["--scenarios", "5000", "--no-corpus", "--out", str(out)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert awaited(
            lambda: any(moment in log.read_bytes() for log in out.glob(f"*/{LOG_NAME}")), BEGUN_S
        )
        asked = monotonic()
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=BEGUN_S)
        took = monotonic() - asked
    finally:
        run.kill()
        run.wait()
    assert run.returncode == INTERRUPTED, said
    assert b"Traceback" not in said
    (log,) = out.glob(f"*/{LOG_NAME}")
    footer = read_log(log).events[-1]
    assert isinstance(footer, RunFinished)
    assert footer.reason == "interrupted"
    return took


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_run_on_the_model_ends_at_once(subject: str, tmp_path: Path) -> None:
    assert ended_in("model", subject, MOMENTS["first part"], tmp_path) < AT_ONCE_S


@pytest.mark.broker
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_on_a_broker_ends_at_once(subject: str, moment: str, tmp_path: Path) -> None:
    assert ended_in("embedded", subject, MOMENTS[moment], tmp_path) < AT_ONCE_S


def test_an_interrupt_while_a_command_is_imported_is_one() -> None:
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # as from a terminal
        "import conformance.cli\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'conformance.cli.run':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "conformance.cli.main(['run', 'model'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=BEGUN_S, check=False
    )
    assert (ended.returncode, ended.stderr) == (INTERRUPTED, "interrupted\n")


def test_an_interrupt_that_python_drops_comes_again() -> None:
    code = (
        "import gc, os, signal, time\n"
        "from conformance.cli.common import end_in_order\n"
        "end_in_order()\n"
        "interrupted = []\n"
        "def interrupting(phase, _):\n"
        "    if not interrupted:\n"
        "        interrupted.append(phase)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        f"        time.sleep({BEGUN_S})\n"
        "gc.callbacks.append(interrupting)\n"
        "try:\n"
        "    gc.collect()\n"
        f"    time.sleep({BEGUN_S})\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=BEGUN_S, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (OK, "interrupted\n", "")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_thread_outlives_its_run(subject: str, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    clause = next(clause.id for clause in clauses_of(subject).values() if clause.check)
    options = ["--clause", clause, "--scenarios", "12", "--seed", "3", "--no-report", "--no-corpus"]
    ended = CliRunner().invoke(
        main, ["run", "model", "--subject", subject, *options, "--out", str(tmp_path)]
    )
    assert ended.exit_code == OK, ended.output
    assert set(threading.enumerate()) <= before
