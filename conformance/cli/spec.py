"""`fencepost spec`: the catalogue."""

from __future__ import annotations

import textwrap
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import report_errors, wrong
from conformance.cli.known import known_of_clauses
from results.schema_files import as_text
from results.specification.gather import catalogue_form
from results.specification.schema import PUBLISHED
from results.specification.site import write_site
from spec.catalogue import catalogue, clauses_of, examples
from spec.catalogue import clause as find
from spec.errata import ERRATA
from spec.requirements import requirement_sets
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from results.specification.form import Catalogue
    from spec.clause import Clause


@click.command()
@click.argument("clause", required=False)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print it all as JSON, of the form that --schema prints.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --json.")
@click.option(
    "--requirements",
    is_flag=True,
    help="List the requirement sets: how many clauses count for each release.",
)
@click.option(
    "--html",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write it all as static pages into this folder.",
)
@click.option(
    "--results",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="RUN",
    help="With --json or --html: the folder of a run, for the state of its implementation.",
)
@report_errors
def spec(
    clause: str | None,
    *,
    as_json: bool,
    schema: bool,
    requirements: bool,
    html: Path | None,
    results: tuple[Path, ...],
) -> None:
    """List the clauses and the errata of the sources; with a subject's name its clauses alone, with
    a clause's id or slug that one, with its sources, readings and examples.

    --json has all that is known of each clause: its worked examples with the model's answers, the
    cases that distinguish its readings, its planted faults, the known breaks of Apache Kafka.
    --html has the same for people: static pages with search, that open from a file.
    """
    _must_fit(
        clause, results, json=as_json, schema=schema, requirements=requirements, html=bool(html)
    )
    if schema:
        click.echo(PUBLISHED.read_text(encoding="utf-8"), nl=False)
    elif html is not None:
        pages = write_site(_published_catalogue(results), html)
        click.echo(f"{pages} pages; begin with {html / 'index.html'}")
    elif as_json:
        click.echo(as_text(_published_catalogue(results, clause)), nl=False)
    elif requirements:
        _list_requirement_sets()
    elif clause is None:
        _list(catalogue().values())
        _list_errata()
    elif clause in {subject.name for subject in SUBJECTS}:
        _list(clauses_of(clause).values())
    else:
        _show(find(clause))


def _must_fit(clause: str | None, results: tuple[Path, ...], **forms: bool) -> None:
    """Refuse options that contradict each other: wrong use."""
    named = [f"--{name}" for name, given in forms.items() if given]
    if len(named) > 1:
        raise wrong(f"expected one of {' and '.join(named)}; take one")
    if clause is not None and named not in ([], ["--json"]):
        raise wrong(f"{named[0]} is of the whole catalogue; leave {clause} out")
    if results and named not in (["--json"], ["--html"]):
        raise wrong("--results is for --json or --html; add one of them")
    for run in results:
        if not (run / "summary.json").exists():
            raise wrong(f"expected the folder of a run with summary.json at {run}, found none")


def _published_catalogue(results: tuple[Path, ...], clause: str | None = None) -> Catalogue:
    """The catalogue in its published form, or one of its clauses alone."""
    only = None if clause is None else find(clause).id

    def is_wanted(name: str) -> bool:
        return only is None or name == only

    return catalogue_form(known_of_clauses(results, is_wanted), version("fencepost"), is_wanted)


def _show(found: Clause[Any]) -> None:
    binds = f"{found.strength}, {found.limit_class}, since Kafka {found.since}"
    click.echo(f"{found.id}  {binds}  ({found.slug})")
    for text in (found.statement, found.explanation):
        if text:
            click.echo(textwrap.fill(text, 100))
    if found.excluded:
        click.echo(f"excluded: {found.excluded}")
    if found.fence is not None:
        click.echo(textwrap.fill(f"fence: {found.fence}", 100))
        if never := found.fence.never.sides.names:
            reason = found.fence.never.reason
            click.echo(textwrap.fill(f"never {' or '.join(never)} the fence: {reason}", 100))
    for source in found.sources:
        click.echo(f"source: {source}")
    sets = [one.name for one in requirement_sets() if found.id in one.clauses]
    if sets:
        click.echo(textwrap.fill(f"counts in: {', '.join(sets)}", 100))
    for reading in found.readings:
        click.echo(textwrap.fill(f"reading '{reading.name}': {reading.statement}", 100))
    for example in examples().get(found.id, ()):
        click.echo(f"example: {example.title} (`fencepost explain {found.id}` draws it)")


def _list_requirement_sets() -> None:
    for one in requirement_sets():
        excluded = f", {len(one.excluded)} that can't be tested" if one.excluded else ""
        click.echo(f"{one.name:<20} {len(one.clauses):>3} clauses{excluded}")


def _list(clauses: Iterable[Clause[Any]]) -> None:
    for found in sorted(clauses, key=lambda one: one.id):
        mark = "excluded" if found.excluded else found.strength.value
        click.echo(
            f"{found.id}  {mark:<11} {textwrap.shorten(found.statement, 100, placeholder=' …')}"
        )


def _list_errata() -> None:
    click.echo("\nErrata of the sources:")
    for one in ERRATA:
        text = f'{one.source}: "{one.says}". Found: {one.found} ({one.evidence})'
        click.echo(textwrap.fill(text, 100, initial_indent="  ", subsequent_indent="    "))
