"""Faults in what a topic may be named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.limits.faults.fault import DEVIATES, VIOLATES, LimitFault, replace_code
from spec.kafka import Error
from spec.limits.model import Controller, has_legal_letters, name_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.limits.topic import Topics


def _change_names(change: Callable[[str, Topics, Error], Error]) -> Controller:
    """The controller says something else of a name."""
    return Controller(naming=lambda name, topics: change(name, topics, name_error(name, topics)))


def _up_to(length: int) -> Controller:
    """Names are taken up to another length."""

    def change(name: str, topics: Topics, found: Error) -> Error:
        if len(name) > length and has_legal_letters(name):
            return found or Error.INVALID_TOPIC_EXCEPTION
        shortened = name_error(name[:200], topics)
        return found if len(name) <= 200 else shortened

    return _change_names(change)


def _only_where(wrong: Callable[[str], bool]) -> Controller:
    """Names of some kind are taken, unless they are others'."""
    return _change_names(
        lambda name, topics, found: (
            Error.NONE if wrong(name) and name not in topics and bool(name) else found
        )
    )


def _existing_is_fine(name: str, topics: Topics, found: Error) -> Error:
    return Error.NONE if name in topics else found


def _collisions_are_fine(name: str, topics: Topics, found: Error) -> Error:
    del topics
    return found if found is Error.TOPIC_ALREADY_EXISTS else name_error(name, {})


def _refuse_dots(name: str, topics: Topics, found: Error) -> Error:
    del topics
    return found or (Error.INVALID_TOPIC_EXCEPTION if "." in name else Error.NONE)


FAULTS: tuple[LimitFault, ...] = (
    LimitFault(
        "dots-refused",
        "LIM-003",
        VIOLATES,
        "A name with a dot is refused.",
        _change_names(_refuse_dots),
    ),
    LimitFault(
        "name-of-249-refused",
        "LIM-003",
        VIOLATES,
        "A name of 249 characters is refused.",
        _up_to(248),
    ),
    LimitFault(
        "name-of-250-taken",
        "LIM-010",
        VIOLATES,
        "A name of 250 characters is taken.",
        _up_to(250),
    ),
    LimitFault(
        "name-as-long-as-a-folder",
        "LIM-010",
        VIOLATES,
        "A name of 255 characters is taken, which leaves no room for the partition's number.",
        _up_to(255),
    ),
    LimitFault(
        "empty-name-taken",
        "LIM-010",
        VIOLATES,
        "An empty name is taken.",
        _change_names(lambda name, _topics, found: found if name else Error.NONE),
    ),
    LimitFault(
        "letters-of-unicode-taken",
        "LIM-011",
        DEVIATES,
        "Letters and digits beyond ASCII are taken in a name.",
        _only_where(lambda name: not name.isascii() and name.replace("-", "").isalnum()),
    ),
    LimitFault(
        "space-taken",
        "LIM-011",
        DEVIATES,
        "A space is taken in a name.",
        _only_where(lambda name: " " in name),
    ),
    LimitFault(
        "slash-taken",
        "LIM-011",
        DEVIATES,
        "A slash is taken in a name.",
        _only_where(lambda name: "/" in name),
    ),
    LimitFault(
        "parent-folder-taken",
        "LIM-012",
        DEVIATES,
        "The name of two dots is taken.",
        _only_where(lambda name: name == ".."),
    ),
    LimitFault(
        "own-folder-taken",
        "LIM-012",
        DEVIATES,
        "The name of one dot is taken.",
        _only_where(lambda name: name == "."),
    ),
    LimitFault(
        "collisions-taken",
        "LIM-013",
        DEVIATES,
        "A name is taken that differs from another topic's in a dot and an underscore only.",
        _change_names(_collisions_are_fine),
    ),
    LimitFault(
        "existing-taken",
        "LIM-014",
        VIOLATES,
        "A topic that is there already is made again.",
        _change_names(_existing_is_fine),
    ),
    LimitFault(
        "named-twice-taken",
        "LIM-015",
        DEVIATES,
        "A topic that a request names twice is taken.",
        Controller(answers_twice=Error.NONE),
    ),
    LimitFault(
        "name-has-another-code",
        "LIM-040",
        DEVIATES,
        "A name that can't be is refused with INVALID_REQUEST.",
        replace_code(Error.INVALID_TOPIC_EXCEPTION, Error.INVALID_REQUEST),
    ),
    LimitFault(
        "existing-has-another-code",
        "LIM-040",
        DEVIATES,
        "A topic that is there already is refused with INVALID_TOPIC_EXCEPTION.",
        replace_code(Error.TOPIC_ALREADY_EXISTS, Error.INVALID_TOPIC_EXCEPTION),
    ),
)
