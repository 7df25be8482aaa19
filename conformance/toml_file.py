"""Reading a TOML file that someone else may have written."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.misuse import BadConfiguration

MOST_BYTES = 1 << 20
DEEPEST = 16
"""How deep tables and lists may nest; nothing of ours needs more than four."""


def read_toml(path: Path, what: str, error: type[BadConfiguration]) -> dict[str, Any]:
    """The content of a TOML file.

    Args:
        path: the file.
        what: what it should be, `findings file`.
        error: what to raise.

    Raises:
        BadConfiguration: of the class `error`: it can't be read, is no TOML, is larger than
            `MOST_BYTES`, nests deeper than `DEEPEST`, or holds an integer of more than 64 bits.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as failed:
        raise error(
            f"expected a {what} at {path}, found: {failed.strerror or failed}; check the path"
        ) from failed
    if len(content) > MOST_BYTES:
        raise error(
            f"expected a {what} of at most {MOST_BYTES} bytes, found more in {path}; check the path"
        )
    try:
        plain = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as failed:
        raise error(
            f"expected a {what} in TOML at {path}, found bytes that are not text (UTF-8); check "
            "the path"
        ) from failed
    except RecursionError as failed:
        raise error(
            f"{path}: expected at most {DEEPEST} levels, found more; correct the file"
        ) from failed
    except ValueError as failed:
        raise error(
            f"{path}: expected TOML, found something else: {failed}; correct that line"
        ) from failed
    _check(plain, path, error, DEEPEST)
    return plain


def _check(value: Any, path: Path, error: type[BadConfiguration], depth: int) -> None:
    if depth < 0:
        raise error(f"{path}: expected at most {DEEPEST} levels, found more; correct the file")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise error(
            f"{path}: expected integers of at most 64 bits, found a larger one; correct the file"
        )
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        _check(each, path, error, depth - 1)
