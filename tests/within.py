"""What holds a quick test within pytest's own process: an attempt to start a program, to fork, or
to reach another machine fails the test, and the message names the mark `system`.

Python audits these acts wherever they come from (PEP 578), so a library's count too.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import pytest

STARTS = frozenset(
    {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec"}
    | {"os.system", "pty.spawn"}
)
"""Audit events of what starts a program or a process."""
REACHES = frozenset({"socket.connect", "socket.sendto"})
"""Audit events of what reaches an address, the second argument of each."""
RESOLVES = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
"""Audit events of what asks for a name, the first argument of each."""


class Guard:
    """Refuses what leaves the process while it is on.

    Attributes:
        on: whether a quick test runs.
        refused: what was refused in threads, where an exception reaches no test.
    """

    def __init__(self) -> None:
        self.on = False
        self.refused: list[str] = []

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Fail the test where an audited act leaves the process."""
        if not self.on or not leaves(event, arguments):
            return
        why = (
            f"a quick test stays within pytest's own process, found {event}{arguments!r:.200}; "
            "mark it `system`"
        )
        if threading.current_thread() is not threading.main_thread():
            self.refused.append(why)
        pytest.fail(why)

    @contextmanager
    def watch(self, *, is_on: bool = True) -> Iterator[None]:
        """Refuse while this is entered; fail at its end for what threads tried."""
        self.on = is_on
        try:
            yield
        finally:
            self.on = False
        refused, self.refused = self.refused, []
        if refused:
            pytest.fail(refused[0])


def leaves(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an audited act starts a process, or reaches or names another machine."""
    if event in STARTS:
        return True
    if event in REACHES:
        address = arguments[1]
        return isinstance(address, tuple) and not is_own(address[0])
    return event in RESOLVES and not is_own(arguments[0])


def is_own(host: str | bytes | None) -> bool:
    """Whether a host is this machine's loopback, or every address of it."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


GUARD = Guard()
sys.addaudithook(GUARD.audit)
