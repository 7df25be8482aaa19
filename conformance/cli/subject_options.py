"""The options that name subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from conformance.subjects.registry import RUNNERS

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBJECTS_NAMED = "fencepost.subjects"
"""The key of a context's `meta` under which all subjects stand that a run names."""
ALL_SUBJECTS = "all"
"""In place of a subject's name: each that can be tested on the system."""


class SubjectName(click.ParamType[str]):
    """The name of a subject that can be run.

    Args:
        more: words that may stand in its place.
    """

    name = "subject"

    def __init__(self, more: Sequence[str] = ()) -> None:
        self._more = more

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The names, as a choice is shown."""
        del param, ctx
        return f"[{'|'.join(self._choices())}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself."""
        choices = self._choices()
        if value not in choices:
            self.fail(f"expected one of {', '.join(choices)}, found {value!r}", param, ctx)
        return str(value)

    def _choices(self) -> tuple[str, ...]:
        return (*_subjects(), *self._more)


def default_subject() -> str:
    """The subject that is tested unless a command names another one: the first of the registry."""
    return _subjects()[0]


def _subjects() -> tuple[str, ...]:
    return tuple([runner.subject for runner in RUNNERS])


def _first_subject(context: click.Context, _: click.Parameter, value: tuple[str, ...]) -> str:
    """The first subject that is named; all of them are kept in the context's `meta`."""
    named = dict.fromkeys(value)
    context.meta[SUBJECTS_NAMED] = (
        (ALL_SUBJECTS, *_subjects()) if ALL_SUBJECTS in named else tuple(named)
    )
    return next((name for name in named if name != ALL_SUBJECTS), default_subject())


several_subjects_option = click.option(
    "--subject",
    type=SubjectName((ALL_SUBJECTS,)),
    multiple=True,
    callback=_first_subject,
    help="What to test, by default the first. Repeatable, one run for each; `all` for each that "
    "can be tested on the system.",
)
many_subjects_option = click.option(
    "--subject",
    "subjects",
    type=SubjectName(),
    multiple=True,
    help="What to test; repeatable. By default all.",
)
