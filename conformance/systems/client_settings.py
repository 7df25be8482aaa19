"""The settings of a Kafka client, as read from the file that `--command-config` names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.misuse import BadConfiguration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOOKS_LIKE_A_KEY = re.compile(r"[a-z0-9_-]{1,40}(\.[a-z0-9_-]{1,40}){1,8}")


class ClientSettings:
    """Settings by key, which remember what was asked for.

    Args:
        values: by key.
        file: what the settings come from, as error messages name it.
    """

    def __init__(self, values: Mapping[str, str], file: str) -> None:
        self._values = dict(values)
        self._file = file
        self._used: set[str] = set()

    def get(self, *keys: str) -> str | None:
        """The value of the first of these keys that is set, without blanks around it; None where
        none is. An empty value is one.
        """
        self._used.update(keys)
        return next((self._values[key].strip() for key in keys if key in self._values), None)

    def secret(self, *keys: str) -> str | None:
        """The same of a password, whose blanks are its own."""
        self._used.update(keys)
        return next((self._values[key] for key in keys if key in self._values), None)

    def key_of(self, *keys: str) -> str:
        """The first of these keys that is set; otherwise the first."""
        return next((key for key in keys if key in self._values), keys[0])

    def choice(self, key: str, choices: Iterable[str], default: str) -> str:
        """The one of the choices that a key names, in whatever case.

        Raises:
            BadConfiguration: it names none of them.
        """
        value = self.get(key)
        known = {one.upper(): one for one in choices}
        if value is None:
            return default
        if value.upper() not in known:
            raise self.wrong(key, f"one of {', '.join(known.values())}", "another value")
        return known[value.upper()]

    def flag(self, key: str, *, default: bool) -> bool:
        """Whether a key says true.

        Raises:
            BadConfiguration: it says neither true nor false.
        """
        return self.choice(key, ("true", "false"), str(default).lower()) == "true"

    def wrong(self, key: str, expected: str, found: str, mend: str = "") -> BadConfiguration:
        """The error of a value that can't be used. The value itself may be a secret that stands
        behind the wrong key: it is not shown.
        """
        return BadConfiguration(
            f"{self._file}: {key}: expected {expected}, found {found}; "
            f"{mend or 'correct it in the command config'}"
        )

    def missing(self, key: str, mend: str) -> BadConfiguration:
        """The error of a key that has to be set."""
        return self.wrong(key, "a value", "none", mend)

    def without_effect(self) -> tuple[str, ...]:
        """Say which keys nothing asked for; what looks like no key is counted alone."""
        unused = sorted(self._values.keys() - self._used)
        shown = [key for key in unused if _LOOKS_LIKE_A_KEY.fullmatch(key)]
        other = len(unused) - len(shown)
        notes = []
        if shown:
            notes.append(f"{self._file}: keys without effect here: {', '.join(shown)}")
        if other:
            notes.append(f"{self._file}: {other} more that look like no key of a Kafka client")
        return tuple(notes)
