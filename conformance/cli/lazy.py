"""A group of commands that imports a command only when it is called."""

from __future__ import annotations

import atexit
import signal
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.output import output_problem, use_unbroken_output
from conformance.exit_codes import INTERRUPTED, OK, OURS

if TYPE_CHECKING:
    from collections.abc import Mapping


BEGAN = "conformance.cli.began"
"""Where a context's `meta` has when the command was called, in seconds of the monotonic clock."""


JOINT_EXIT_CODE = "conformance.cli.done:joint_exit_code"
"""Imported where output could not be written alone."""


def import_object(place: str) -> Any:
    """What `package.module:object` names, its module imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class LazyGroup(click.Group):
    """A group whose commands are named by their modules.

    Args:
        commands: by a command's name, in the order of the help: its module and object as
            `package.module:object`, and its help in one line.
        settings: as `click.Group` takes them.
    """

    def __init__(self, *, lazy: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now; None where there is none."""
        del ctx
        if cmd_name not in self.lazy:
            return None
        command: click.Command = import_object(self.lazy[cmd_name][0])
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command that the arguments name; an interrupt meanwhile, also while its module
        is imported, is one.
        """
        ctx.meta[BEGAN] = time.monotonic()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.lazy.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name; its output can't end it. Output that could not
        be written is a line on standard error, and a 4 beside the exit code.

        After an interrupt that met an import, Python would end itself by that signal, whatever the
        exit code: it is blocked in the end.
        """
        use_unbroken_output()
        atexit.register(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().main(*args, **kwargs)
        except SystemExit as ended:
            if (problem := output_problem()) is None:
                raise
            click.echo(
                f"expected to write standard output, found: {problem}; make room, or send it "
                "elsewhere",
                err=True,
            )
            sys.exit(import_object(JOINT_EXIT_CODE)((ended.code or OK, OURS)))
