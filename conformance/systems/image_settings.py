"""How a broker's container image is started: a small settings file, in TOML.

An image that is laid out as Kafka's own needs none.
"""

from __future__ import annotations

import re
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.misuse import BadConfiguration
from conformance.toml_file import read_toml
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED_IMAGES = {
    path.stem: path for path in sorted((Path(__file__).parent / "images").glob("*.toml"))
}
"""The settings files that come with Fencepost, by the name that stands for each."""
_KEYS = frozenset(
    {"image", "implementation", "port", "command", "environment", "ready", "ready_seconds"}
)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PORT = "{port}"
_READY_S = 120


class ImageSettingsError(BadConfiguration):
    """A settings file that can't be used: wrong use."""


@frozen
class ImageSettings:
    """How an image is started. In `command` and `environment`, `{host}` and `{port}` stand for the
    address at which the broker is reached from here, which it has to advertise.

    Attributes:
        image: its name, with a tag.
        implementation: who wrote the broker; empty where that is not said.
        port: where the broker listens in the container.
        command: its arguments; none for the image's own.
        environment: its variables.
        ready: a regular expression that a line of its log matches once it is ready; None asks the
            broker alone.
        ready_seconds: how long that may take.
    """

    image: str
    implementation: str = ""
    port: int = 9092
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: str | None = None
    ready_seconds: int = _READY_S

    def at(self, host: str, port: int) -> ImageSettings:
        """The settings with the address filled in."""

        def filled(text: str) -> str:
            return text.replace("{host}", host).replace(_PORT, str(port))

        return ImageSettings(
            self.image,
            self.implementation,
            self.port,
            tuple([filled(word) for word in self.command]),
            {name: filled(value) for name, value in self.environment.items()},
            self.ready,
            self.ready_seconds,
        )


def image_settings(named: str, image: str | None = None) -> ImageSettings:
    """The settings that a file, or the name of a shipped one, gives.

    Args:
        named: a path, or a name of `SHIPPED_IMAGES`.
        image: the image to start instead of the file's.

    Raises:
        ImageSettingsError: there is no such file, or it has an unknown key or a wrong value.
    """
    path = SHIPPED_IMAGES.get(named, Path(named))
    if not path.exists():
        raise ImageSettingsError(
            f"expected a settings file or one of {', '.join(SHIPPED_IMAGES)}, found {named!r}; "
            "name one of these"
        )
    plain = read_toml(path, "settings file of an image", ImageSettingsError)
    if strange := sorted(plain.keys() - _KEYS):
        raise ImageSettingsError(
            f"{path}: expected the keys {', '.join(sorted(_KEYS))}, found {strange[0]!r:.60}; take "
            "it out or correct it"
        )
    found = ImageSettings(
        image=image or _text(path, plain, "image", ""),
        implementation=_text(path, plain, "implementation", ""),
        port=_number(path, plain, "port", 9092, 65535),
        command=_words(path, plain.get("command", [])),
        environment=_variables(path, plain.get("environment", {})),
        ready=_pattern(path, plain),
        ready_seconds=_number(path, plain, "ready_seconds", _READY_S, 3600),
    )
    if not found.image:
        raise ImageSettingsError(
            f'{path}: expected an image, such as image = "vendor/broker:1.2", found none; add it'
        )
    if found.implementation and not _NAME.fullmatch(found.implementation):
        raise ImageSettingsError(
            f"{path}: expected implementation in lower case letters, digits, dots and dashes, "
            f"found {found.implementation!r:.60}"
        )
    if not any(_PORT in text for text in (*found.command, *found.environment.values())):
        raise ImageSettingsError(
            f"{path}: expected {_PORT} in the command or the environment, where the broker is "
            "given the address to advertise, found it nowhere; clients are sent to that address"
        )
    return found


def _text(path: Path, plain: Mapping[str, Any], key: str, otherwise: str) -> str:
    value = plain.get(key, otherwise)
    if isinstance(value, str):
        return value
    raise ImageSettingsError(f"{path}: expected text for {key}, found {value!r:.60}; correct it")


def _number(path: Path, plain: Mapping[str, Any], key: str, otherwise: int, most: int) -> int:
    value = plain.get(key, otherwise)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
        return value
    raise ImageSettingsError(
        f"{path}: expected a number from 1 to {most} for {key}, found {value!r:.60}; correct it"
    )


def _words(path: Path, value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    raise ImageSettingsError(
        f"{path}: expected a list of texts for command, found {value!r:.60}; correct it"
    )


def _variables(path: Path, value: Any) -> Mapping[str, str]:
    if isinstance(value, dict) and all(
        _VARIABLE.fullmatch(name) and isinstance(text, str) for name, text in value.items()
    ):
        return value
    raise ImageSettingsError(
        f"{path}: expected variables with texts under [environment], found {value!r:.60}; correct "
        "them"
    )


def _pattern(path: Path, plain: Mapping[str, Any]) -> str | None:
    if "ready" not in plain:
        return None
    value = _text(path, plain, "ready", "")
    try:
        re.compile(value)
    except re.error as wrong:
        raise ImageSettingsError(
            f"{path}: expected a regular expression for ready, found {value!r:.60}: {wrong}"
        ) from wrong
    return value
