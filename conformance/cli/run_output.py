"""What a run prints, and where: all of it, its verdict alone, or its summary as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console

from conformance.cli.console import make_console
from results.clauses import catalogue
from results.export import summary_line
from results.terminal import verdict_line
from results.text import plain
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from results.summary import Summary

JSON = "json"
FORMATS = ("text", JSON)
F = TypeVar("F", bound="Callable[..., Any]")


def output_options(command: F) -> F:
    """Give a command `--format` and `--quiet`."""
    quiet = click.option(
        "--quiet", is_flag=True, help="Print the verdict alone, one line, and errors."
    )
    form = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default=FORMATS[0],
        show_default=True,
        help="json: the summary, on one line of standard output; all else on standard error.",
    )
    return form(quiet(command))


@frozen
class RunOutput:
    """The output of a run.

    Attributes:
        console: for all but the verdict: progress, notes, the summary as text.
        as_json: standard output holds the summary as JSON and nothing else.
        quiet: the console is silent.
        name: which of several runs it is, before its verdict alone; empty for a single run.
    """

    console: Console
    as_json: bool
    quiet: bool
    name: str = ""

    def end(self, summary: Summary) -> None:
        """Print what the console did not: the summary as JSON, or the verdict alone."""
        if self.as_json:
            header = summary.header
            subjects = (header.subject,) if header is not None else ()
            click.echo(summary_line(summary, catalogue(*subjects)))
        elif self.quiet:
            name = f"{plain(self.name, 40)}: " if self.name else ""
            make_console().print(f"{name}{verdict_line(summary)}", soft_wrap=True)


def output_of(options: Mapping[str, Any]) -> RunOutput:
    """The output that the options ask for."""
    as_json, quiet = options["form"] == JSON, options["quiet"]
    console = Console(markup=False, emoji=False, stderr=as_json, quiet=quiet)
    return RunOutput(console, as_json, quiet, options.get("one_of_several", ""))
