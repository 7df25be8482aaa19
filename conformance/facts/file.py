"""The facts file: what a user says of a broker, in TOML."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.facts.limits import GIVEN_LIMITS
from conformance.misuse import BadConfiguration
from conformance.toml_file import read_toml
from spec.frozen import frozen
from spec.releases import RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VERSION = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4}){1,3}(-[A-Za-z0-9.]{1,24})?")
"""An exact version of Kafka."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


class FactsError(BadConfiguration):
    """A facts file that can't be used, or a limit that neither the broker nor a facts file states:
    wrong use.
    """


@frozen
class Given:
    """The content of a facts file; None where it says nothing.

    Attributes:
        release: a release of the catalogue, `4.3`.
        kafka_version: `4.3.1`.
        implementation: who wrote the broker, `apache-kafka`; findings are chosen by it.
        limits: config name to value.
    """

    release: str | None = None
    kafka_version: str | None = None
    implementation: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)


NOTHING_GIVEN = Given()


def read_facts_file(path: Path) -> Given:
    """Read a facts file: TOML with `release`, `kafka_version`, `implementation` and `[limits]` by
    Kafka's config names.

    Raises:
        FactsError: it can't be read, is no TOML, or has an unknown key or a value of the wrong
        kind.
    """
    plain = read_toml(path, "facts file", FactsError)
    found = {key.removeprefix("limits."): value for key, value in _flat(plain)}
    texts = ("release", "kafka_version", "implementation")
    for key in found:
        if key not in {*texts, *GIVEN_LIMITS}:
            raise FactsError(
                f"{path}: expected the keys {', '.join((*texts, *GIVEN_LIMITS))}, found {key!r}; "
                "take it out or mend it"
            )
    release, version, implementation = (_text(path, key, found.get(key)) for key in texts)
    if release is not None and release not in RELEASES:
        raise FactsError(
            f"{path}: expected a release that the catalogue speaks of ({', '.join(RELEASES)}), "
            f"found {release!r}; name the nearest one"
        )
    if version is not None and not VERSION.fullmatch(version):
        raise FactsError(f'{path}: expected kafka_version like "4.3.1", found {version!r}')
    if implementation is not None and not _NAME.fullmatch(implementation):
        raise FactsError(
            f"{path}: expected implementation in lower case letters, digits, dots and dashes, like "
            f'"apache-kafka", found {implementation!r}'
        )
    return Given(
        release,
        version,
        implementation,
        {key: _number(path, key, found[key]) for key in GIVEN_LIMITS if key in found},
    )


def _text(path: Path, key: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise FactsError(f'{path}: expected text for {key}, found {value!r}; write {key} = "{value}"')


def _number(path: Path, key: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31:
        return value
    raise FactsError(
        f"{path}: expected a whole number from 0 to 2147483647 for {key}, found {value!r}"
    )


def _flat(plain: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """`fetch.max.bytes = 1` is a table in a table to TOML; to us it is one key, as in a properties
    file.
    """
    for key, value in plain.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
