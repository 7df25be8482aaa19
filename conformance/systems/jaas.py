"""The login module of a Java client's `sasl.jaas.config`:
`class.of.Module required username="alice" password="...";`.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from conformance.misuse import BadConfiguration
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

FLAGS = ("required", "requisite", "sufficient", "optional")
_TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<word>[^\s"'=;]+)|(?P<mark>[=;])""",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_FORM = 'CLASS required NAME="VALUE" ...;'


@frozen
class LoginModule:
    """A login module.

    Attributes:
        name: its class.
        options: its options by name; they hold the secrets.
    """

    name: str
    options: Mapping[str, str] = field(repr=False)

    @property
    def short_name(self) -> str:
        """Its class without the package."""
        return self.name.rpartition(".")[2]


def login_module(text: str) -> LoginModule:
    """The one login module of a `sasl.jaas.config`.

    Raises:
        BadConfiguration: it is none, or there are several; nothing of the text is shown.
    """
    tokens = _tokens(text)
    if len(tokens) < 3 or tokens[-1] != ";":
        raise _bad("one that does not end in a semicolon" if tokens else "an empty one")
    if tokens[1].lower() not in FLAGS:
        raise _bad(f"none of {', '.join(FLAGS)} as its second word")
    body = tokens[2:-1]
    if ";" in body:
        raise _bad("several login modules")
    triples = [body[at : at + 3] for at in range(0, len(body), 3)]
    if any(len(triple) < 3 or triple[1] != "=" or triple[0] == "=" for triple in triples):
        raise _bad("an option that is no NAME=VALUE")
    return LoginModule(tokens[0], {name: _unquote(value) for name, _, value in triples})


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _bad("a quotation mark that is not closed")
        if token.lastgroup:
            found.append(token[0])
        at = token.end()
    return found


def _unquote(token: str) -> str:
    if token[0] not in "\"'":
        return token
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), token[1:-1], flags=re.DOTALL)


def _bad(found: str) -> BadConfiguration:
    return BadConfiguration(
        f"sasl.jaas.config: expected one login module as {_FORM}, found {found}; a value with "
        "blanks, quotation marks or semicolons stands in quotation marks"
    )
