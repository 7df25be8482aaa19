"""The common part of the adapters in Python: reading commands, answering each with one line."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Protocol

from conformance.clients.protocol import COMMANDS, CONSUMER, PROTOCOL, UNSUPPORTED, value_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Command = dict[str, Any]


class Unsupported(Exception):  # noqa: N818 - it describes the command
    """A command, an option or a value that this client does not have."""


class Adapter(Protocol):
    """One consumer of a library, from `open` to `close`: a method for each command, which returns
    what `ok` holds.
    """

    def open(self, command: Command) -> Command: ...  # noqa: D102 - the class says it
    def close(self, command: Command) -> Command: ...  # noqa: D102 - the class says it


def serve(
    client: str,
    version: str,
    adapter: Adapter,
    options: Collection[str],
    error_name: Callable[[Exception], str] = lambda error: type(error).__name__,
    kind: str = CONSUMER,
) -> None:
    """Greet, and answer commands until the input ends.

    Args:
        client: the name of the library.
        version: its version.
        adapter: what acts; one consumer at a time.
        options: those of `open` that it has.
        error_name: the library's own name for an error that it raised.
        kind: of consumer.
    """
    commands = [name for name in COMMANDS if hasattr(adapter, name)]
    _write(
        {
            "fencepost_client": PROTOCOL,
            "client": client,
            "version": version,
            "kind": kind,
            "commands": commands,
            "options": sorted(options),
        }
    )
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["do"] not in commands:
                raise Unsupported(f"no command {command['do']!r}")
            _write({"ok": getattr(adapter, command["do"])(command)})
        except Unsupported as lacking:
            _write({"error": UNSUPPORTED, "message": str(lacking)})
        except Exception as error:  # noqa: BLE001 - whatever the library raises is the answer
            _write({"error": error_name(error), "message": str(error)})


def must_have(options: Collection[str], known: Collection[str]) -> None:
    """Raise Unsupported where an option is not known."""
    if strange := sorted(set(options) - set(known)):
        raise Unsupported(f"no option {', '.join(strange)}")


def record(
    topic: str, partition: int, offset: int, key: bytes | None, value: bytes | None, *more: int
) -> list[Any]:
    """A record as `poll` reports it; `more` is what a share consumer knows besides."""
    decoded = None if key is None else key.decode()
    return [topic, partition, offset, decoded, value_hash(value), *more]


def _write(message: Command) -> None:
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()
