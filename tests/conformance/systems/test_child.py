import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conformance.systems.child import Child
from tests.processes import awaited, gone

pytestmark = pytest.mark.system

SLEEPER = [sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"]
STUBBORN = [
    sys.executable,
    "-I",
    "-S",
    "-c",
    "import signal; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); signal.pause()",
]

PARENT = """
import sys, threading
from pathlib import Path
from conformance.systems.child import Child
folder = Path(sys.argv[1])
def start():
    global child
    child = Child([sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"],
                  log=folder / "log", pid_file=folder / "pid", remove=folder / "data")
thread = threading.Thread(target=start)
thread.start()
thread.join()
while child.pid is None:
    child.wait(0.01)
print(child.pid, flush=True)
sys.stdin.read()
"""


def started(folder: Path, command: list[str]) -> tuple[Child, int]:
    child = Child(command, log=folder / "log", pid_file=folder / "pid")
    assert awaited(lambda: child.pid is not None, 20)
    assert child.pid is not None
    return child, child.pid


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, None])
def test_a_child_goes_with_its_parent_however_the_parent_ends(
    tmp_path: Path, end: signal.Signals | None
) -> None:
    (tmp_path / "data").mkdir()
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        if end is None:
            assert parent.stdin is not None
            parent.stdin.close()
        else:
            parent.send_signal(end)
    assert awaited(lambda: gone(pid), 20)
    assert awaited(lambda: not (tmp_path / "data").exists(), 20)


def test_a_child_goes_with_its_guard(tmp_path: Path) -> None:
    child, pid = started(tmp_path, SLEEPER)
    os.kill(child._guard.pid, signal.SIGKILL)
    assert child.wait(20)
    assert awaited(lambda: gone(pid), 20)
    assert child.exit_code == 128 + signal.SIGKILL


def test_a_child_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    found: list[tuple[Child, int]] = []
    thread = threading.Thread(target=lambda: found.append(started(tmp_path, SLEEPER)))
    thread.start()
    thread.join()
    child, pid = found[0]
    assert not child.wait(0.3)
    assert not gone(pid)
    assert child.stop(20)
    assert awaited(lambda: gone(pid), 20)


def test_a_child_that_will_not_end_is_killed(tmp_path: Path) -> None:
    child, pid = started(tmp_path, STUBBORN)
    assert awaited(lambda: "deaf" in (tmp_path / "log").read_text(), 20)
    assert not child.stop(0.2)
    assert awaited(lambda: gone(pid), 20)


def test_the_exit_code_and_the_output_are_the_commands(tmp_path: Path) -> None:
    child = Child(
        [sys.executable, "-I", "-S", "-c", "print('said'); raise SystemExit(7)"],
        log=tmp_path / "log",
        pid_file=tmp_path / "pid",
    )
    assert child.wait(20)
    assert child.exit_code == 7
    assert "said" in (tmp_path / "log").read_text()


def test_a_child_has_a_session_of_its_own(tmp_path: Path) -> None:
    child, pid = started(tmp_path, SLEEPER)
    assert os.getsid(pid) != os.getsid(0)
    child.kill()
    assert awaited(lambda: gone(pid), 20)
