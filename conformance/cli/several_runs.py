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
    from collections.abc import Callable, Iterator, Mapping, Sequence
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
    done: list[tuple[str, Done]] = []
    for name in several.names:
        console.rule(f"{several.title}{plain(name, 40)}", align="left")
        done.append((name, _try_one(go, name)))
        if done[-1][1].code == INTERRUPTED:
            break
    shown = [(name, one.summary) for name, one in done if one.summary is not None]
    if shown and several.kind == "subject":
        console.rule("verdicts by subject", align="left")
        for line in _verdicts(shown):
            console.print(line, soft_wrap=True)
    elif shown:
        console.rule(f"clauses by {several.kind}", align="left")
        summaries = [summary for _, summary in shown]
        show_matrix(matrix_of(summaries), console)
        show_followed(readings_followed(summaries), console)
    if shown:
        folders = shlex.join(str(one.folder) for _, one in done if one.summary is not None)
        again = "report" if several.kind == "subject" else "matrix"
        what = "makes one report of all" if several.kind == "subject" else "shows this again"
        console.print(f"`fencepost {again} {folders}` {what}", soft_wrap=True)
    codes = [one.code for _, one in done]
    if several.if_fit and set(codes) != {MISUSE}:
        unfit = [name for name, one in done if one.code == MISUSE]
        if unfit:
            console.print(f"not tested, for the reasons above: {', '.join(unfit)}", soft_wrap=True)
        codes = [code for code in codes if code != MISUSE]
    return joint_exit_code(codes)


def _verdicts(shown: Sequence[tuple[str, Summary]]) -> Iterator[str]:
    """A line for each subject."""
    width = max(len(name) for name, _ in shown)
    for name, summary in shown:
        yield f"{name:<{width}}  {'  '.join(headline(summary))}"


def _try_one(go: Callable[[str], Done], name: str) -> Done:
    try:
        return report_errors(go)(name)
    except click.ClickException as failed:
        failed.show()
        return Done(failed.exit_code, None, None)
    except SystemExit as ended:
        return Done(int(ended.code or OK), None, None)
