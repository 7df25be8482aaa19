"""The protocol between Fencepost and a client under test: lines of JSON on the standard input and
output of a child process.

The child first writes its greeting. Then it reads a command a line, and answers each with one line:
an object with `ok`, or one with `error` and `message`. It ends when its input does. The reference
page `docs/reference/client-protocol.md` says all of it, for authors of adapters.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOL = 1
"""The version of the protocol, as a greeting names it in `fencepost_client`."""
COMMANDS = (
    "open",
    "assign",
    "subscribe",
    "poll",
    "pause",
    "resume",
    "seek",
    "position",
    "commit",
    "acknowledge",
    "produce",
    "close",
)
"""Every command that there is; a client need not have all of them."""
CONSUMER, SHARE_CONSUMER, PRODUCER = "consumer", "share_consumer", "producer"
NEEDED = {
    CONSUMER: frozenset({"open", "assign", "poll", "seek", "close"}),
    SHARE_CONSUMER: frozenset({"open", "subscribe", "poll", "close"}),
    PRODUCER: frozenset({"open", "produce", "close"}),
}
"""The commands without which a client can't be tested, by its kind."""
UNSUPPORTED = "UNSUPPORTED"
"""The error of a command, an option or a value that a client does not have."""
HASH_DIGITS = 16
"""Hexadecimal digits of the SHA-256 of a value that stand for it."""


class BadMessage(ValueError):  # noqa: N818 - it describes the message
    """A line that is no message of the protocol; the text says what was expected and found."""


@frozen
class Greeting:
    """The first line of a client.

    Attributes:
        client, version: the name and the version of what is tested.
        commands: the commands that it has.
        options: the options of `open` that it has, by Kafka's names for its Java consumer.
        kind: whether it reads from its own positions, reads what a share group acquires for it, or
            writes.
    """

    client: str
    version: str
    commands: frozenset[str]
    options: frozenset[str]
    kind: str = CONSUMER


@frozen
class Delivered:
    """A record that a poll delivered.

    Attributes:
        topic, partition, offset: where it lies, as the client says.
        key: its key, decoded as UTF-8; None for a null key.
        value: see `value_hash`; None for a null value.
        deliveries: how often a share group had given it out by then; None where the client does not
            say.
    """

    topic: str
    partition: int
    offset: int
    key: str | None
    value: str | None
    deliveries: int | None = None


@frozen
class Failure:
    """An error that a client reported to its application.

    Attributes:
        name: the client's own name for it, `OffsetOutOfRangeException`.
        message: its text.
    """

    name: str
    message: str = ""


def value_hash(value: bytes | None) -> str | None:
    """The first `HASH_DIGITS` hexadecimal digits of the SHA-256 of a value; None for null."""
    return None if value is None else hashlib.sha256(value).hexdigest()[:HASH_DIGITS]


def encode(command: Mapping[str, Any]) -> bytes:
    """A command as a line."""
    return json.dumps(command, separators=(",", ":")).encode() + b"\n"


def decode_greeting(line: bytes) -> Greeting:
    """The greeting in a client's first line.

    Raises:
        BadMessage: it is none.
    """
    found = _object(line)
    if found.get("fencepost_client") != PROTOCOL:
        raise BadMessage(f'expected a greeting with "fencepost_client": {PROTOCOL}, {_quote(line)}')
    texts = found.get("client"), found.get("version")
    lists = found.get("commands"), found.get("options")
    if not all(isinstance(one, str) and one for one in texts):
        raise BadMessage(f"expected a greeting with the texts `client`, `version`, {_quote(line)}")
    if not all(
        isinstance(one, list) and all(isinstance(word, str) for word in one) for one in lists
    ):
        raise BadMessage(
            f"expected a greeting with the lists of texts `commands`, `options`, {_quote(line)}"
        )
    commands, kind = frozenset(found["commands"]), found.get("kind", CONSUMER)
    if kind not in NEEDED:
        raise BadMessage(
            f"expected a greeting whose `kind` is one of {', '.join(NEEDED)}, {_quote(line)}"
        )
    if missing := NEEDED[kind] - commands:
        raise BadMessage(
            f"expected a client that has {', '.join(sorted(NEEDED[kind]))}, found one that lacks "
            f"{', '.join(sorted(missing))}"
        )
    return Greeting(found["client"], found["version"], commands, frozenset(found["options"]), kind)


def decode_answer(line: bytes) -> dict[str, Any] | Failure:
    """The answer in a line: what `ok` holds, or a failure.

    Raises:
        BadMessage: it is none.
    """
    found = _object(line)
    if isinstance(found.get("ok"), dict):
        ok: dict[str, Any] = found["ok"]
        return ok
    if isinstance(found.get("error"), str):
        return Failure(found["error"], str(found.get("message", "")))
    raise BadMessage(f'expected {{"ok": {{...}}}} or {{"error": "NAME"}}, {_quote(line)}')


def records_in(ok: Mapping[str, Any]) -> tuple[Delivered, ...]:
    """The records of the answer to a poll.

    Raises:
        BadMessage: it holds something else.
    """
    records = ok.get("records")
    if not isinstance(records, list):
        raise BadMessage(f"expected a list `records` in the answer to poll, found {records!r}")
    return tuple([_record(one) for one in records])


def results_in(ok: Mapping[str, Any]) -> tuple[int | str | None, ...]:
    """The results in the answer to produce: of each record an offset, -1 for success without one,
    the name of an error, or None.

    Raises:
        BadMessage: it holds something else.
    """
    results = ok.get("results")
    if not isinstance(results, list) or not all(
        isinstance(one, int | str | None) and not isinstance(one, bool) for one in results
    ):
        raise BadMessage(
            "expected a list `results` of offsets, names of errors and nulls in the answer to "
            f"produce, found {results!r}"
        )
    return tuple(results)


def offset_in(ok: Mapping[str, Any]) -> int:
    """The offset of the answer to position.

    Raises:
        BadMessage: it holds something else.
    """
    offset = ok.get("offset")
    if not isinstance(offset, int) or isinstance(offset, bool):
        raise BadMessage(f"expected a number `offset` in the answer to position, found {offset!r}")
    return offset


def _record(one: Any) -> Delivered:
    kinds: tuple[type | tuple[type, ...], ...] = (
        str,
        int,
        int,
        (str, type(None)),
        (str, type(None)),
        int,
    )
    if (
        not isinstance(one, list)
        or len(one) not in {len(kinds) - 1, len(kinds)}
        or not all(isinstance(value, kind) for value, kind in zip(one, kinds, strict=False))
    ):
        raise BadMessage(
            "expected a record as [topic, partition, offset, key, value hash], with the number of "
            f"its deliveries at most, found {one!r}"
        )
    return Delivered(*one)


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        raise BadMessage(f"expected a line of JSON, {_quote(line)}") from None
    if not isinstance(found, dict):
        raise BadMessage(f"expected a JSON object, {_quote(line)}")
    return found


def _quote(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return f"found {text[:200]!r}"
