"""The script `./fencepost`: it sets up once, becomes the command, and lets a first run's verdict
come before the report.
"""

import hashlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COMMAND = f"""#!{sys.executable}
import json, os, pathlib, signal, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + chr(10))
if sys.argv[1] == "run" and "FENCEPOST_RUN_FOLDER_FILE" in os.environ:
    pathlib.Path(os.environ["FENCEPOST_RUN_FOLDER_FILE"]).write_text("runs/one")
if os.environ.get("WAITS"):
    awaited = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)  # one that comes early is kept
    print("waiting", flush=True)
    came = signal.sigtimedwait(awaited, 60)
    raise SystemExit(1 if came is None else 130 if came.si_signo == signal.SIGINT else 143)
raise SystemExit(int(os.environ.get("CODE", "0")) if sys.argv[1] == "run" else 0)
"""
UV = """#!/bin/bash
echo "\\"uv $*\\"" >>"$CALLS"
exit ${UV_CODE:-0}
"""


AS_FROM_A_TERMINAL = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""A shell can't heed an interrupt that was ignored when it started, as it is in a background job.
"""


class Bootstrap:
    """The script over an environment that is a stand-in: a recording command, and a recording
    installer.
    """

    def __init__(self, folder: Path) -> None:
        self.calls_file = folder / "calls"
        self.venv = folder / "venv"
        (self.venv / "bin").mkdir(parents=True)
        (folder / "bin").mkdir()
        (self.venv / "bin" / "python").symlink_to(sys.executable)
        self._executable(self.venv / "bin" / "fencepost", COMMAND)
        self._executable(folder / "bin" / "uv", UV)
        path = f"{folder / 'bin'}:/usr/bin:/bin"
        self.environment = {
            "PATH": path,
            "FENCEPOST_VENV": str(self.venv),
            "CALLS": str(self.calls_file),
            "HOME": str(folder),
        }

    def installed(self, part: str) -> None:
        """What a lock names is there."""
        content = (ROOT / f"requirements-{part}.lock").read_bytes() + (
            ROOT / "pyproject.toml"
        ).read_bytes()
        (self.venv / f"fencepost-{part}").write_text(hashlib.sha256(content).hexdigest())

    @contextmanager
    def start(self, *arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
        script = str(ROOT / "fencepost")
        with subprocess.Popen(
            [sys.executable, "-c", AS_FROM_A_TERMINAL, script, *arguments],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def run(self, *arguments: str, **environment: str) -> tuple[int, str]:
        with self.start(*arguments, **environment) as process:
            _, errors = process.communicate(timeout=60)
            return process.returncode, errors

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    @staticmethod
    def _executable(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def bootstrap(tmp_path: Path) -> Bootstrap:
    return Bootstrap(tmp_path)


@pytest.mark.system
def test_what_is_installed_is_not_installed_again(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    assert bootstrap.run("systems", "-x") == (0, "")
    assert bootstrap.calls == ['["systems", "-x"]']


@pytest.mark.system
def test_the_first_call_installs_by_hash_and_the_project_without_resolving(
    bootstrap: Bootstrap,
) -> None:
    code, errors = bootstrap.run("systems")
    assert code == 0
    assert "setting up" in errors
    lock, project, command = bootstrap.calls
    assert "--require-hashes" in lock
    assert "requirements-run.lock" in lock
    assert "--no-deps --no-build-isolation --editable" in project
    assert command == '["systems"]'
    assert bootstrap.run("systems") == (0, "")


@pytest.mark.system
def test_a_changed_lock_is_installed_again(bootstrap: Bootstrap) -> None:
    (bootstrap.venv / "fencepost-run").write_text("another lock")
    assert bootstrap.run("systems")[0] == 0
    assert any("requirements-run.lock" in call for call in bootstrap.calls)


@pytest.mark.system
def test_a_first_run_gives_its_verdict_before_the_report_is_set_up(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    code, _ = bootstrap.run("run", "--seed", "7", CODE="1")
    assert code == 1
    run, install, report = bootstrap.calls
    assert run == '["run", "--seed", "7", "--no-report"]'
    assert "requirements-report.lock" in install
    assert report == '["report", "runs/one"]'


@pytest.mark.system
def test_a_later_run_makes_its_own_report(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    bootstrap.installed("report")
    assert bootstrap.run("run", CODE="3") == (3, "")
    assert bootstrap.calls == ['["run"]']


@pytest.mark.system
def test_a_run_without_report_installs_nothing_more(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    assert bootstrap.run("run", "--no-report") == (0, "")
    assert bootstrap.calls == ['["run", "--no-report"]']


@pytest.mark.system
def test_the_verdict_stands_where_the_report_cannot_be_set_up(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    code, errors = bootstrap.run("run", UV_CODE="1")
    assert code == 0
    assert "./fencepost report runs/one" in errors


@pytest.mark.system
def test_an_interrupted_installation_of_the_report_leaves_the_verdict(bootstrap: Bootstrap) -> None:
    bootstrap.installed("run")
    (bootstrap.venv.parent / "bin" / "uv").write_text("#!/bin/bash\nkill -INT $PPID $$\n")
    code, errors = bootstrap.run("run", CODE="1")
    assert code == 1
    assert "./fencepost report runs/one" in errors


@pytest.mark.system
@pytest.mark.parametrize("code", ["2", "130"])
def test_wrong_use_and_an_interrupted_run_install_nothing(bootstrap: Bootstrap, code: str) -> None:
    bootstrap.installed("run")
    assert bootstrap.run("run", CODE=code)[0] == int(code)
    assert bootstrap.calls == ['["run", "--no-report"]']


@pytest.mark.system
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_reaches_the_first_run_and_its_exit_code_comes_back(
    bootstrap: Bootstrap, number: signal.Signals, code: int
) -> None:
    bootstrap.installed("run")
    with bootstrap.start("run", WAITS="1") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        os.kill(process.pid, number)
        process.communicate(timeout=60)
    assert process.returncode == code


@pytest.mark.system
def test_packages_that_cannot_be_installed_are_a_clear_error(bootstrap: Bootstrap) -> None:
    code, errors = bootstrap.run("systems", UV_CODE="1")
    assert code == 3
    assert "Is a package index reachable?" in errors


def test_no_lock_holds_an_address() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text()
        assert "--hash=sha256:" in lock.read_text()
