"""One run for each of several releases, and what they say of each clause side by side."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.done import Done, worst
from conformance.cli.errors import report_errors, wrong
from conformance.exit_codes import INTERRUPTED, OK
from results.matrix import matrix_of
from results.matrix_text import show_matrix
from results.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console


def must_be_startable(releases: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse several releases where the options name one broker, or one run.

    Raises:
        ClickException: they do.
    """
    for name in ("bootstrap_server", "image", "image_settings", "resume"):
        if options[name]:
            raise wrong(
                f"expected several releases by --kafka, {', '.join(releases)}, or "
                f"--{name.replace('_', '-')}, found both; leave one out"
            )


def run_each(releases: Sequence[str], go: Callable[[str], Done], console: Console) -> int:
    """Run one release after the other, until one is interrupted, and show the clauses by release;
    the exit code of the worst. A release that can't be had does not end the others.
    """
    done: list[Done] = []
    for release in releases:
        console.rule(f"Kafka {plain(release, 40)}", align="left")
        done.append(_try_release(go, release))
        if done[-1].code == INTERRUPTED:
            break
    shown = [one for one in done if one.summary is not None]
    if shown:
        console.rule("clauses by release", align="left")
        show_matrix(matrix_of(one.summary for one in shown if one.summary is not None), console)
        folders = shlex.join(str(one.folder) for one in shown)
        console.print(f"`fencepost matrix {folders}` shows this again", soft_wrap=True)
    return worst(one.code for one in done)


def _try_release(go: Callable[[str], Done], release: str) -> Done:
    try:
        return report_errors(go)(release)
    except click.ClickException as failed:
        failed.show()
        return Done(failed.exit_code, None, None)
    except SystemExit as ended:
        return Done(int(ended.code or OK), None, None)
