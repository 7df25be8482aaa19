"""Kafka's own message definitions, read from kafka-clients jars.

Every kafka-clients jar carries `common/message/<Name>.json`, the source that Kafka's Java
serialisers are generated from. Reading them there keeps the codec true to each release and copies
nothing of Kafka's into this project.
"""

from __future__ import annotations

import copy
import json
import re
import zipfile
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Message = dict[str, Any]
"""One parsed definition file: `name`, `type`, `apiKey`, `validVersions`, `flexibleVersions`,
`fields`, ...
"""

FOLDER = "common/message/"
OPEN_ENDED = 32767
COMMENT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*')
API_KEY = re.compile(r'"apiKey"\s*:\s*(\d+)')


class DefinitionError(Exception):
    """A definition or a (name, version) pair that isn't there, or that can't be understood."""


def version_range(text: str) -> range:
    """The versions a definition's range names: `"4-18"`, `"12+"` (open: up to 32767), `"3"`,
    `"none"`.
    """
    if text == "none":
        return range(0)
    if text.endswith("+"):
        return range(int(text[:-1]), OPEN_ENDED + 1)
    low, _, high = text.partition("-")
    return range(int(low), int(high or low) + 1)


def parse(text: str) -> Message:
    """Parse a definition file: JSON with `//` comments."""
    plain = COMMENT_OR_STRING.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
    message = json.loads(plain)
    if not isinstance(message, dict):
        raise DefinitionError(
            f"a message definition is a JSON object, found {type(message).__name__}"
        )
    return message


def read_jar(path: Path) -> dict[str, str]:
    """The text of each definition in one jar, by message name.

    Raises:
        DefinitionError: the file isn't there, isn't a jar, or carries no message definitions.
    """
    try:
        with zipfile.ZipFile(path) as jar:
            names = [
                name
                for name in jar.namelist()
                if name.startswith(FOLDER) and name.endswith(".json")
            ]
            texts = {name[len(FOLDER) : -len(".json")]: jar.read(name).decode() for name in names}
    except (OSError, zipfile.BadZipFile) as problem:
        raise DefinitionError(
            f"expected a kafka-clients jar at {path}, found: {problem}; fetch it again"
        ) from problem
    if not texts:
        raise DefinitionError(
            f"expected {FOLDER}*.json in {path}, found none; is it a kafka-clients jar?"
        )
    return texts


@frozen(slots=False)
class Definitions:
    """Message definitions from one or more jars, newest first, with patches made in memory on
    top.
    """

    jars: tuple[Path, ...]
    patches: Mapping[str, Message] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def from_jars(cls, paths: Sequence[Path]) -> Definitions:
        """Definitions of several releases: the first path wins, later ones add the versions it
        lacks.
        """
        if not paths:
            raise DefinitionError("expected at least one kafka-clients jar, found none")
        return cls(tuple(paths))

    @cached_property
    def _texts(self) -> tuple[dict[str, str], ...]:
        return tuple(read_jar(path) for path in self.jars)

    @cached_property
    def _parsed(self) -> dict[tuple[int, str], Message]:
        return {}

    @property
    def names(self) -> frozenset[str]:
        """All message names, such as `FetchRequest`."""
        return frozenset(self.patches).union(*self._texts)

    @cached_property
    def api_names(self) -> Mapping[int, str]:
        """API key to name: `{0: "Produce", 1: "Fetch", ...}`."""
        found: dict[int, str] = {}
        for texts in self._texts:
            for name, text in texts.items():
                key = API_KEY.search(text) if name.endswith("Request") else None
                if key:
                    found.setdefault(int(key[1]), name.removesuffix("Request"))
        for name, message in self.patches.items():
            if name.endswith("Request") and "apiKey" in message:
                found[message["apiKey"]] = name.removesuffix("Request")
        return MappingProxyType(dict(sorted(found.items())))

    def messages(self, name: str) -> tuple[Message, ...]:
        """Every definition of a message, in order of precedence (patch, newest jar, older jars).

        Raises:
            DefinitionError: no jar has it.
        """
        found = [self.patches[name]] if name in self.patches else []
        for index, texts in enumerate(self._texts):
            if name in texts:
                known = self._parsed.get((index, name))
                if known is None:
                    known = self._parsed[index, name] = parse(texts[name])
                found.append(known)
        if not found:
            raise DefinitionError(
                f"no message {name!r} in {', '.join(jar.name for jar in self.jars)}"
            )
        return tuple(found)

    def message(self, name: str, version: int) -> Message:
        """The definition that `version` of `name` is to be read from.

        Raises:
            DefinitionError: no source has this version.
        """
        sources = self.messages(name)
        for message in sources:
            if version in version_range(message["validVersions"]):
                return message
        known = ", ".join(message["validVersions"] for message in sources)
        raise DefinitionError(f"{name} has no version {version}; known versions: {known}")

    def versions(self, name: str) -> range:
        """All versions of a message that any source has. Empty when Kafka has removed it."""
        ranges = [
            valid
            for message in self.messages(name)
            if (valid := version_range(message["validVersions"]))
        ]
        if not ranges:
            return range(0)
        return range(min(valid.start for valid in ranges), max(valid.stop for valid in ranges))

    def with_message(self, name: str, change: Callable[[Message], Message]) -> Definitions:
        """The same definitions with one message changed, as a draft KIP would change it.

        Args:
            name: the message, such as `FetchRequest`.
            change: takes a deep copy of the newest definition and gives the changed one back.
        """
        changed = change(copy.deepcopy(self.messages(name)[0]))
        return replace(self, patches=MappingProxyType({**self.patches, name: changed}))
