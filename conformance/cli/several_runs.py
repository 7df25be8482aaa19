"""One run for each of several releases, clients or subjects, and what they say, side by side."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.clients import CLIENTS_NAMED
from conformance.cli.done import Done, joint_exit_code
from conformance.cli.errors import report_errors, wrong
from conformance.cli.options import RELEASES
from conformance.cli.subject_options import ALL_SUBJECTS, SUBJECTS_NAMED
from conformance.exit_codes import INTERRUPTED, MISUSE, OK
from results.followed_readings import readings_followed
from results.headline import headline
from results.matrix import matrix_of
from results.matrix_text import show_followed, show_matrix
from results.text import plain
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from results.summary import Summary

_RESUME = {"resume": "--resume"}
_EXCLUDED = {
    "kafka": {
        "bootstrap_server": "--bootstrap-server",
        "image": "--image",
        "image_settings": "--image-settings",
        **_RESUME,
    },
    "client": _RESUME,
    "subject": {"clauses": "--clause", **_RESUME},
}
"""For each option that may name several, those that speak of one broker, one run or one subject."""
_FILES = ("sarif", "badge")
"""The options that name a file of a run."""


@frozen
class Several:
    """What one command runs one after the other.

    Attributes:
        kind: release, client or subject.
        option: the option that names them.
        names: each once.
        title: what stands before a name in a heading.
        if_fit: those that can't be tested are left out, and said to be; they were not named one by
            one.
    """

    kind: str
    option: str
    names: tuple[str, ...]
    title: str = ""
    if_fit: bool = False

    def options_of(self, name: str, o: Mapping[str, Any]) -> dict[str, Any]:
        """The options of one of the runs, whose verdict says which it is, and whose files are its
        own.
        """
        files = {file: beside(o[file], name) for file in _FILES if o[file] is not None}
        return {**o, **files, self.option: name, "one_of_several": name}


def beside(file: Path, name: str) -> Path:
    """The file of one of several runs: `breaks.share.sarif` for `breaks.sarif`."""
    return file.with_name(f"{file.stem}.{plain(name, 40)}{file.suffix}")


def several_named(context: click.Context, o: Mapping[str, Any]) -> Several | None:
    """What the options name several of; None where they mean a single run.

    Raises:
        ClickException: they name several of two kinds, or one broker or run for all.
    """
    subjects = context.meta[SUBJECTS_NAMED]
    every = ALL_SUBJECTS in subjects
    subjects = tuple([name for name in subjects if name != ALL_SUBJECTS])
    found = [
        one
        for one in (
            Several("client", "client", context.meta[CLIENTS_NAMED]),
            Several("release", "kafka", context.meta[RELEASES], title="Kafka "),
            Several("subject", "subject", subjects, if_fit=every),
        )
        if len(one.names) > 1
    ]
    if not found:
        return None
    first, *others = found
    others_named = [f"several {one.kind}s by --{one.option}" for one in others]
    given = [option for name, option in _EXCLUDED[first.option].items() if o[name]]
    for other in (*others_named, *given):
        raise wrong(
            f"expected several {first.kind}s by --{first.option}, {', '.join(first.names)}, or "
            f"{other}, found both; leave one out"
        )
    return first


def run_each(several: Several, go: Callable[[str], Done], console: Console) -> int:
    """Run one after the other, until one is interrupted, and show what they say side by side; the
    exit code of the worst. One that can't be had does not end the others.
    """
    done: dict[str, Done] = {}
    for name in several.names:
        console.rule(f"{several.title}{plain(name, 40)}", align="left")
        done[name] = _try_one(go, name)
        if done[name].code == INTERRUPTED:
            break
    summaries = {name: one.summary for name, one in done.items() if one.summary is not None}
    if summaries:
        folders = shlex.join(str(done[name].folder) for name in summaries)
        if several.kind == "subject":
            _show_verdicts(summaries, console)
            console.print(f"`fencepost report {folders}` makes one report of all", soft_wrap=True)
        else:
            _show_clauses(several.kind, list(summaries.values()), console)
            console.print(f"`fencepost matrix {folders}` shows this again", soft_wrap=True)
    unfit = [name for name, one in done.items() if one.code == MISUSE] if several.if_fit else []
    codes = [one.code for name, one in done.items() if name not in unfit]
    if unfit and codes:
        console.print(f"not tested, for the reasons above: {', '.join(unfit)}", soft_wrap=True)
    return joint_exit_code(codes or [MISUSE])


def _show_verdicts(summaries: Mapping[str, Summary], console: Console) -> None:
    """Show a line for each subject: other subjects have no clauses in common."""
    console.rule("verdicts by subject", align="left")
    width = max(len(name) for name in summaries)
    for name, summary in summaries.items():
        console.print(f"{name:<{width}}  {'  '.join(headline(summary))}", soft_wrap=True)


def _show_clauses(kind: str, summaries: Sequence[Summary], console: Console) -> None:
    """Show each clause by release or client."""
    console.rule(f"clauses by {kind}", align="left")
    show_matrix(matrix_of(summaries), console)
    show_followed(readings_followed(summaries), console)


def _try_one(go: Callable[[str], Done], name: str) -> Done:
    try:
        return report_errors(go)(name)
    except click.ClickException as failed:
        failed.show()
        return Done(failed.exit_code, None, None)
    except SystemExit as ended:
        return Done(int(ended.code or OK), None, None)
