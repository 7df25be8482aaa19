"""One run for each of several releases or clients, and what each clause says, side by side."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.done import Done, joint_exit_code
from conformance.cli.errors import report_errors, wrong
from conformance.exit_codes import INTERRUPTED, OK
from results.followed_readings import readings_followed
from results.matrix import matrix_of
from results.matrix_text import show_followed, show_matrix
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


def must_be_alone(clients: Sequence[str], releases: Sequence[str], o: Mapping[str, Any]) -> None:
    """Refuse several clients where the options continue one run, or name several releases too.

    Raises:
        ClickException: they do.
    """
    if o["resume"] or len(releases) > 1:
        other = "--resume" if o["resume"] else "several releases by --kafka"
        raise wrong(
            f"expected several clients by --client, {', '.join(clients)}, or {other}, found both; "
            "leave one out"
        )


def run_each(
    names: Sequence[str],
    go: Callable[[str], Done],
    console: Console,
    kind: str = "release",
    title: str = "Kafka ",
) -> int:
    """Run one release, or client, after the other, until one is interrupted, and show the clauses,
    and the readings that each follows, by release or client; the exit code of the worst. One that
    can't be had does not end the others.
    """
    done: list[Done] = []
    for name in names:
        console.rule(f"{title}{plain(name, 40)}", align="left")
        done.append(_try_one(go, name))
        if done[-1].code == INTERRUPTED:
            break
    shown = [one for one in done if one.summary is not None]
    if shown:
        console.rule(f"clauses by {kind}", align="left")
        summaries = [one.summary for one in shown if one.summary is not None]
        show_matrix(matrix_of(summaries), console)
        show_followed(readings_followed(summaries), console)
        folders = shlex.join(str(one.folder) for one in shown)
        console.print(f"`fencepost matrix {folders}` shows this again", soft_wrap=True)
    return joint_exit_code(one.code for one in done)


def _try_one(go: Callable[[str], Done], name: str) -> Done:
    try:
        return report_errors(go)(name)
    except click.ClickException as failed:
        failed.show()
        return Done(failed.exit_code, None, None)
    except SystemExit as ended:
        return Done(int(ended.code or OK), None, None)
