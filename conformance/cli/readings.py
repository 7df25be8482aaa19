"""`fencepost readings`: the ways in which a text can be understood, and the smallest case that
distinguishes two of them.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import report_errors, wrong
from conformance.identify.inquiry import inquiry_of
from generators.distinguishing import (
    Search,
    find_distinguishing_scenario,
    pair_of_releases,
    pairs_of,
    search_of,
)
from generators.permitted import find_permitted_answer, unmodelled_pairs
from generators.small_scope import Bounds
from results.geometry import WAITED_MS
from results.picture_text import sketch
from spec.catalogue import clause as find
from spec.catalogue import examples
from spec.clause import Reading
from spec.draft_registry import drafts
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch
from spec.layout import Batch
from spec.model import answer_all
from spec.releases import RELEASES
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from generators.distinguishing import Pair
    from spec.draft import Draft
    from spec.observation import Exchange
    from spec.readings import Axis
    from spec.scenario import Scenario


@click.command()
@click.argument("clause", required=False)
@click.option(
    "--between",
    nargs=2,
    metavar="RELEASE RELEASE",
    help="Distinguish two releases of Kafka instead, by their answers to fetches.",
)
@click.option(
    "--batches",
    type=click.IntRange(1, 4),
    default=3,
    show_default=True,
    help="Search layouts of at most so many batches.",
)
@report_errors
def readings(clause: str | None, between: tuple[str, str] | None, batches: int) -> None:
    """List the readings of unclear texts; for one CLAUSE, draw the smallest layout and request on
    which each two differ.

    CLAUSE is a clause with readings, such as FET-102, or an open question of a draft by its id or
    name, such as MXR-A2 or stop. Layouts and requests are tried one by one, the smallest first;
    where nothing is found, the bounds of the search are shown.
    """
    bounds = Bounds(batches)
    if between is not None:
        if clause is not None or not set(between) <= set(RELEASES):
            raise wrong(
                f"--between: expected two of {', '.join(RELEASES)} and no clause, found "
                f"{' '.join(between)}"
            )
        _draw([pair_of_releases(*between)], bounds)
        return
    if clause is None:
        _list()
        return
    for draft in drafts():
        for axis in draft.axes:
            if clause.upper() == axis.id or clause.lower() == axis.name:
                _ask(draft, axis)
                _draw(pairs_of(axis, _search_of(draft)), bounds)
                return
        if why := draft.questions.elsewhere.get(clause.upper()):
            click.echo(
                textwrap.fill(f"{clause.upper()} is no question of its own here: {why}", 100)
            )
            return
    _of_clause(clause, bounds)


def _search_of(draft: Draft) -> Search:
    """Where a draft's readings are distinguished."""
    inquiry = inquiry_of(draft)
    return Search() if inquiry is None else inquiry.search


def _ask(draft: Draft, axis: Axis) -> None:
    click.echo(
        textwrap.fill(
            f"{axis.id} {axis.name}: {axis.asks} The draft {draft.name}: {axis.says}.", 100
        )
    )
    if axis.when:
        click.echo(textwrap.fill(f"It arises where {axis.when}.", 100))
    _name(axis.readings)


def _of_clause(clause: str, bounds: Bounds) -> None:

    found = find(clause)
    click.echo(textwrap.fill(f"{found.id}: {found.statement}", 100))
    _name(found.readings)
    if not found.readings:
        click.echo(f"{found.id} has no readings.")
    worked = tuple([example.scenario for example in examples().get(found.id, ())])
    for subject in SUBJECTS:
        for axis in [axis for axis in subject.axes if axis.id == found.id]:
            _draw(pairs_of(axis, search_of(subject, worked)), bounds)
            _draw_permitted(axis, worked)


def _name(found: Iterable[object]) -> None:

    for reading in found:
        assert isinstance(reading, Reading)
        click.echo(
            textwrap.fill(f"  {reading.name}: {reading.statement}", 100, subsequent_indent="    ")
        )


def _draw(pairs: Iterable[Pair], bounds: Bounds) -> None:

    for pair in pairs:
        one, other = pair.names
        if pair.same:
            click.echo(f"\n{one} and {other}: {pair.same}.")
            continue
        search = find_distinguishing_scenario(pair, bounds)
        if search.scenario is None:
            text = (
                f"{one} and {other}: no difference in {search.tried} layouts and requests, "
                f"which are all of these: {bounds}."
            )
            click.echo("\n" + textwrap.fill(text, 100))
            continue
        click.echo(
            f"\n{one} and {other} differ here ({search.tried} tried): {_words(search.scenario)}"
        )
        for name, way in zip(pair.names, pair.ways, strict=True):
            click.echo(f"as {name}:")
            observation = answer_all(search.scenario, way)
            click.echo(textwrap.indent(sketch(search.scenario, observation), "  "))
            for exchange in observation.exchanges:
                _rest(exchange)


def _draw_permitted(axis: Axis, worked: Sequence[Scenario]) -> None:
    """Of readings that the model does not follow: answers that one permits and another forbids."""
    for pair in unmodelled_pairs(axis):
        found = find_permitted_answer(axis, pair, worked)
        if found is None:
            click.echo(f"\n{' and '.join(pair)}: no answer to a worked example distinguishes them.")
            continue
        whose = f"the model's, as {found.answered_as}" if found.answered_as else "Apache Kafka's"
        text = f"{found.permits} permits and {found.forbids} forbids these answers ({whose}):"
        click.echo(f"\n{text}")
        click.echo(textwrap.indent(sketch(found.scenario, found.observation), "  "))
        for exchange in found.observation.exchanges:
            if exchange.elapsed_ms >= WAITED_MS:
                click.echo(f"    step {exchange.step} took {exchange.elapsed_ms:.0f} ms")
    if unmodelled_pairs(axis):
        click.echo("\nThe model does not follow each of them; `fencepost identify` finds the one.")


def _words(scenario: Scenario) -> str:
    """The layout and the fields of a draft in a line: what the drawing has no room for."""
    logs = []
    for partition in scenario.layout.partitions:
        batches = [entry for entry in partition.entries() if isinstance(entry, Batch)]
        logs.append(
            " ".join(
                f"{batch.records}{'' if batch.codec == 'none' else ' ' + batch.codec}"
                for batch in batches
            )
        )
    extra = [
        f"{one.name} {one.value}"
        for step in scenario.steps
        if isinstance(step, Fetch)
        for one in step.extra
    ]
    return f"batches of {' | '.join(logs)} records" + "".join([f", {words}" for words in extra])


def _rest(exchange: Exchange) -> None:
    """Print the parts of an answer that are not drawn: how long it was held back, and the aborted
    transactions that it lists.
    """
    if exchange.elapsed_ms >= 1:
        click.echo(f"    held back for {exchange.elapsed_ms:.0f} ms")
    for got in exchange.outcome.partitions if isinstance(exchange.outcome, FetchAnswer) else ():
        if got.aborted:
            click.echo(f"    aborted transactions listed: {len(got.aborted)}")


def _list() -> None:

    for draft in drafts():
        issue = f" ({draft.issue})" if draft.issue else ""
        click.echo(
            f"Open questions of the draft {draft.name}, {draft.title}{issue}, the default first "
            "named; --profile answers them:"
        )
        for axis in draft.axes:
            click.echo(f"  {axis.id:<8} {axis.name:<11} {_names(axis):<36} {axis.asks}")
        if draft.questions.elsewhere:
            click.echo("Ambiguities of it that are no question of their own:")
        for name, why in draft.questions.elsewhere.items():
            click.echo(
                textwrap.fill(
                    f"{name:<8} {why}", 100, initial_indent="  ", subsequent_indent=" " * 11
                )
            )
        click.echo()
    click.echo(
        "Clauses with readings; `fencepost identify --subject NAME` finds which of them a broker "
        "follows:"
    )
    for subject in SUBJECTS:
        for axis in subject.axes:
            click.echo(f"  {subject.name:<6} {axis.id}  {_names(axis)}")


def _names(axis: Axis) -> str:
    return " | ".join([reading.name for reading in axis.readings])
