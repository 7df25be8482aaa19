"""`fencepost explain`: a scenario or a clause, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import report_errors, wrong
from conformance.subjects.registry import runner_of
from results.picture_text import sketch
from spec.canonical import FormatError, read_scenario
from spec.catalogue import clause, examples
from spec.model import answer_all
from spec.releases import RELEASES
from spec.worked import semantics_of

if TYPE_CHECKING:
    from spec.scenario import Scenario


@click.command()
@click.argument("what", metavar="FILE|CLAUSE")
@click.option(
    "--release",
    default="4.3",
    show_default=True,
    help="The Kafka release whose behaviour is shown.",
)
@report_errors
def explain(what: str, release: str) -> None:
    """Draw a scenario's layout and fences, and say which clause decides each partition's bytes.

    FILE is a scenario file; for a CLAUSE such as FET-004 its worked examples are taken. No broker
    is needed: what is shown is what the model answers.
    """
    if release not in RELEASES:
        raise wrong(f"--release: expected one of {', '.join(RELEASES)}, found {release!r}")
    if not what:
        raise wrong("expected a scenario file or a clause such as FET-004, found an empty word")
    path = Path(what)
    if path.exists() or path.suffix == ".json":
        try:
            text = path.read_bytes()
        except OSError as failed:
            raise wrong(f"expected a scenario file at {path}, found: {failed.strerror}") from failed
        try:
            scenario = read_scenario(text)
        except FormatError as bad:
            raise wrong(f"{path}: {bad}") from bad
        _show(scenario, release)
        return
    found = clause(what)
    click.echo(
        f"{found.id}  {found.strength}, {found.limit_class}  ({found.slug})\n"
        f"{found.statement}\n{found.explanation}".rstrip()
    )
    if found.excluded:
        click.echo(f"\nNot tested: {found.excluded}")
    if found.fence is not None:
        click.echo(f"\nIts fence: {found.fence}")
    for example in examples().get(found.id, ()):
        click.echo(f"\nExample: {example.title}")
        _show(example.scenario, release)


def _show(scenario: Scenario, release: str) -> None:
    semantics = semantics_of(scenario, release)
    click.echo(sketch(scenario, answer_all(scenario, semantics)))
    for line in runner_of(scenario.subject).explained(scenario, semantics):
        click.echo(f"  {line}")
