"""Child processes that never outlive this one; see `guard`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from conformance.systems import guard

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Child:
    """A guarded process in a session of its own, so that Ctrl-C in a terminal reaches us alone.

    Its standard output and error are appended to `log`. If this process dies first, the child is
    killed and then, if given, the folder `remove` deleted. `environment` is its own, by default
    that of this process.
    """

    def __init__(
        self,
        command: list[str],
        *,
        log: Path,
        pid_file: Path,
        remove: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        pid_file.unlink(missing_ok=True)
        self._pid_file = pid_file
        with log.open("ab") as output:
            self._guard = subprocess.Popen(  # noqa: S603  our own command
                [
                    *(sys.executable, "-I", "-S", guard.__file__),
                    *(str(os.getpid()), str(pid_file), str(remove or "")),
                    *command,
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )

    @property
    def pid(self) -> int | None:
        """The process id of the command itself; None until it has been started."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._pid_file.read_text())
        return None

    @property
    def exit_code(self) -> int | None:
        """None while it runs; 128 + n after signal n."""
        code = self._guard.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self, timeout: float) -> bool:
        """Waits for its end, at most `timeout` seconds; whether it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(timeout)
        return self._guard.poll() is not None

    def stop(self, timeout: float) -> bool:
        """Asks it to end, and kills it after `timeout` seconds; whether it ended by itself."""
        if self._guard.poll() is None:
            self._guard.terminate()
        ended = self.wait(timeout)
        if not ended:
            self.kill()
        return ended

    def kill(self) -> None:
        """Ends it at once."""
        if self._guard.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._guard.pid, signal.SIGKILL)
            self._guard.wait()
