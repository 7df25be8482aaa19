"""`fencepost limits`: the catalogue of limits, and what each is in a release."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import report_errors, wrong
from conformance.cli.lazy import import_object
from conformance.cli.options import DEFAULT_KAFKA, command_config_option, not_empty
from spec.limits.calculators import calculator
from spec.limits.catalogue import UnknownLimitError, find_limit
from spec.limits.computed_limit import BadGivenError, Calculator
from spec.limits.config_table import VERSIONS
from spec.limits.configs import Config, Range, configs, moves
from spec.limits.entries import LIMITS
from spec.limits.limit import Evidence, EvidenceKind, Limit, value_of
from spec.limits.quantities import BadQuantityError, read_quantity, show_quantity
from spec.verdict import LimitClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_RELEASE = click.Choice(VERSIONS)
PROBE = "conformance.cli.limits_probe:probe"
"""Imported where a broker is asked: the catalogue is shown without what starts one."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--kafka",
    default=DEFAULT_KAFKA,
    show_default=True,
    type=_RELEASE,
    metavar="VERSION",
    help="The exact Apache Kafka release.",
)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="QUANTITY=VALUE",
    help="Compute NAME with this value, such as max_map_count=262144 or produced=1GiB/s.",
)
@click.option(
    "--diff",
    nargs=2,
    type=_RELEASE,
    metavar="RELEASE RELEASE",
    help="Show which configs and bounds moved from one release to another.",
)
@click.option("--all", "every", is_flag=True, help="List all other configs of the release too.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option(
    "--probe",
    is_flag=True,
    help="Ask a broker around the limits and around the bounds of its configs.",
)
@click.option(
    "--bootstrap-server",
    metavar="HOST:PORT",
    callback=not_empty,
    help="With --probe: a broker that runs already, instead of one started here.",
)
@command_config_option
@report_errors
def limits(
    name: str | None,
    *,
    kafka: str,
    given: tuple[str, ...],
    diff: tuple[str, str] | None,
    every: bool,
    as_json: bool,
    probe: bool,
    bootstrap_server: str | None,
    command_config: Path | None,
) -> None:
    """List the limits of a Kafka release with class, default and bounds, or show one NAME with
    what settles it; --set computes one that no constant defines.

    HARD: compiled in. SOFT: a config with a default. EMERGENT: what resources and architecture
    give.

    --probe asks a broker of that release: probes of limits, and each config of topics, brokers and
    groups at min - 1, min, max and max + 1. It makes topics named fencepost-limits-..., and deletes
    them; brokers' configs are validated, not set. Exit code 1 where a probe came back otherwise,
    or a value outside of its range was accepted.
    """
    if probe:
        if name is not None or given or every or diff or as_json:
            raise wrong("--probe asks about all limits; leave NAME and the other options out")
        sys.exit(import_object(PROBE)(kafka, bootstrap_server, command_config))
    if bootstrap_server or command_config:
        raise wrong("--bootstrap-server is for --probe; add that")
    if diff is not None:
        if name is not None or given or every:
            raise wrong("--diff is of all configs; leave NAME, --set and --all out")
        _show_moves(*diff, as_json=as_json)
    elif name is None:
        if given:
            raise wrong("--set computes one limit; name it")
        _list(kafka, every=every, as_json=as_json)
    else:
        _show_one(name, kafka, given, as_json=as_json)


def _show_one(name: str, kafka: str, given: tuple[str, ...], *, as_json: bool) -> None:
    try:
        found = find_limit(name, kafka)
        if given:
            _show_computed(found, given, as_json=as_json)
        elif as_json:
            click.echo(_as_json(_form(found, kafka)))
        else:
            click.echo("\n".join(_page(found, kafka)))
    except (UnknownLimitError, BadGivenError, BadQuantityError) as bad:
        raise wrong(str(bad)) from bad


def _show_computed(
    found: Limit | Config | Calculator, given: tuple[str, ...], *, as_json: bool
) -> None:
    """Compute a limit with quantities given as `name=value`.

    Raises:
        ClickException: nothing computes it, or a quantity has no value.
    """
    computes = _calculator_of(found)
    if computes is None:
        raise wrong(
            f"expected a limit that is computed, found {found.name}; `fencepost limits` lists "
            "those that are EMERGENT"
        )
    pairs = [text.partition("=") for text in given]
    bare = [name for name, equals, _ in pairs if not equals]
    if bare:
        raise wrong(f"--set: expected QUANTITY=VALUE, found {bare[0]!r}")
    values = {name.strip(): value for name, _, value in pairs}
    result = computes(values)
    if as_json:
        form = {"name": computes.name, "unit": computes.unit, "value": _number(result)}
        click.echo(_as_json({**form, "given": values}))
    else:
        click.echo(f"{computes.name}: {show_quantity(result, computes.unit)}")
        click.echo(f"  {computes.formula}")
        for line in _inputs(computes, values):
            click.echo(line)


def _calculator_of(found: Limit | Config | Calculator) -> Calculator | None:
    """What computes a limit: itself, or the first calculator that settles it."""
    if isinstance(found, Calculator):
        return found
    if isinstance(found, Config):
        return None
    names = [one.name for one in found.settled if one.by is EvidenceKind.CALCULATOR]
    return calculator(names[0]) if names else None


def _inputs(computes: Calculator, given: Mapping[str, str]) -> Iterator[str]:
    """A line for each quantity, with its value and where that comes from."""
    for one in computes.quantities:
        text = given.get(one.name, one.default)
        value = (
            "to be given"
            if text is None
            else show_quantity(read_quantity(text, one.unit), one.unit)
        )
        origin = "given" if one.name in given else one.meaning
        yield f"  {one.name} = {value}  ({origin})"


def _list(kafka: str, *, every: bool, as_json: bool) -> None:
    entries = {limit.name for limit in LIMITS}
    others = [config for key, config in configs(kafka).items() if key not in entries]
    if as_json:
        forms = [_form(limit, kafka) for limit in (*LIMITS, *(others if every else ()))]
        click.echo(_as_json({"kafka": kafka, "limits": forms}))
        return
    for limit in LIMITS:
        bounds = _bounds(limit, kafka)
        click.echo(
            f"{limit.limit_class:<9} {limit.name:<48} {limit.as_text(kafka)}"
            + (f", {bounds}" if bounds else "")
            + (" by default" if limit.limit_class is LimitClass.EMERGENT else "")
        )
    if every:
        for config in others:
            range_ = _range_text(config.bounds) if config.numeric else config.validator
            shown = "none" if config.default is None else config.default or '""'
            shown = "must be set" if config.required else shown
            click.echo(
                f"{LimitClass.SOFT:<9} {config.key:<48} {shown}" + (f", {range_}" if range_ else "")
            )
    click.echo(f"\nof Kafka {kafka}; `fencepost limits NAME` shows one with what settles it")


def _bounds(limit: Limit, kafka: str) -> str:
    value = limit.value(kafka)
    return "" if value is None or value.bounds is None else _range_text(value.bounds)


def _range_text(bounds: Range) -> str:
    """The numbers of a range, `0 to 2,147,483,647`; nothing where it has no ends."""
    if bounds.least is None and bounds.greatest is None:
        return ""
    least, greatest = ("" if end is None else f"{end:,}" for end in (bounds.least, bounds.greatest))
    text = f"{least} to {greatest}".strip()
    return text if bounds.besides is None else f"{text}, or {bounds.besides:,}"


def _page(found: Limit | Config | Calculator, kafka: str) -> Iterator[str]:
    """All that is known of one limit, as lines."""
    if isinstance(found, Limit):
        yield f"{found.name}  {found.limit_class}"
        yield textwrap.fill(found.what, 100)
        yield f"Kafka {kafka}: {found.as_text(kafka)}"
        value = found.value(kafka)
        if value is not None and value.bounds is not None:
            yield f"can be set to: {_range_text(value.bounds)} ({value.mode})"
        yield from _other_releases(found, kafka)
        if found.note:
            yield textwrap.fill(f"note: {found.note}", 100)
        yield from (f"source: {source}" for source in found.sources)
        yield from (f"settled by {settled}" for settled in found.settled)
    elif isinstance(found, Config):
        default = "none" if found.default is None else repr(found.default)
        yield f"{found.key}  {LimitClass.SOFT}"
        yield f"Kafka {kafka}: {found.type}, default {default}, {found.mode}"
        bounds = _range_text(found.bounds) if found.numeric else found.validator
        if bounds:
            yield f"can be set to: {bounds}"
        if found.falls_back:
            yield f"falls back to: {', '.join(found.falls_back)}"
    computes = _calculator_of(found)
    if computes is not None:
        yield f"{computes.name}: {computes.title}"
        yield f"  {computes.formula}"
        yield from _inputs(computes, {})
        yield from _examples(computes)
        if computes.note:
            yield textwrap.fill(f"  {computes.note}", 100)


def _other_releases(limit: Limit, kafka: str) -> Iterator[str]:
    """The releases that differ in a limit's default or bounds."""
    here = limit.value(kafka)
    for version in VERSIONS:
        there = limit.value(version)
        if there != here:
            bounds = _bounds(limit, version)
            yield f"Kafka {version}: {limit.as_text(version)}" + (f", {bounds}" if bounds else "")


def _examples(computes: Calculator) -> Iterator[str]:
    for one in computes.examples:
        given = ", ".join(f"{name}={value}" for name, value in one.given.items()) or "as above"
        stated = f" (the limits table says {one.stated})" if one.stated else ""
        yield f"  example: {given}: {one.result}{stated}"


def _show_moves(before: str, after: str, *, as_json: bool) -> None:
    found = list(moves(before, after))
    if as_json:
        forms = [
            {"name": one.key, "what": one.what, "before": one.before, "after": one.after}
            for one in found
        ]
        click.echo(_as_json({"before": before, "after": after, "moves": forms}))
        return
    for one in found:
        change = one.before or one.after
        if one.what not in {"added", "removed"}:
            change = f"{one.before or 'nothing'} -> {one.after or 'nothing'}"
        click.echo(f"{one.what:<11} {one.key}: {change}")
    click.echo(f"\n{len(found)} moves from Kafka {before} to {after}")


def _form(found: Limit | Config | Calculator, kafka: str) -> dict[str, Any]:
    """A limit as plain data."""
    if isinstance(found, Calculator):
        return {"name": found.name, "class": LimitClass.EMERGENT.value, "unit": found.unit}
    if isinstance(found, Config):
        value = value_of(found)
        return {
            "name": found.key,
            "class": LimitClass.SOFT.value,
            "type": found.type,
            "default": value.default,
            "bounds": None if value.bounds is None else _range_form(value.bounds),
            "validator": found.validator,
            "mode": found.mode,
        }
    here = found.value(kafka)
    bounds = None if here is None or here.bounds is None else _range_form(here.bounds)
    return {
        "name": found.name,
        "class": found.limit_class.value,
        "what": found.what,
        "unit": found.unit,
        "in_release": here is not None,
        "default": None if here is None else here.default,
        "bounds": bounds,
        "mode": "" if here is None else here.mode,
        "sources": list(found.sources),
        "rows": list(found.rows),
        "settled": [_settled_form(one) for one in found.settled],
        "note": found.note,
    }


def _range_form(bounds: Range) -> dict[str, Any]:
    return {"least": bounds.least, "greatest": bounds.greatest, "besides": bounds.besides}


def _settled_form(settled: Evidence) -> dict[str, str]:
    return {"by": settled.by.name.lower(), "name": settled.name}


def _number(value: Any) -> float:
    return int(value) if value == int(value) else float(value)


def _as_json(form: Mapping[str, Any]) -> str:
    return json.dumps(form, indent=2, ensure_ascii=False)
