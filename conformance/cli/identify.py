"""`fencepost identify`: which reading of the draft MaxRecords a broker follows."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.common import (
    DEFAULT_SYSTEM,
    FOUND,
    NAMING,
    OK,
    UNREACHABLE,
    draft_options,
    drafted_profile,
    facts_of,
    given_facts,
    make_codec,
    make_system,
    reached,
    system_options,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.draft.candidates import ProfileClass
    from conformance.draft.identifying import Asked
    from conformance.facts import Given
    from conformance.systems.base import BrokerSystem
    from spec.max_records.profile import Encoding
    from spec.semantics import Semantics


@click.command()
@click.argument("system", default=DEFAULT_SYSTEM, metavar="[SYSTEM]")
@system_options
@draft_options
@click.option("--facts", type=click.Path(path_type=Path), metavar="FILE", help="Release and limits of the broker, where it does not tell.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="What the choice among questions starts from.")
@told
def identify(system: str, **options: Any) -> None:
    """Name the class of profiles of the draft MaxRecords (KAFKA-19554) that a broker follows.

    Small layouts are placed and asked about until the profiles that are left can't be told apart. What holds under every reading is judged
    by the way. A broker that does not know the field, as every release, is `unsupported`: that is no pass, and the exit code is 3.
    SYSTEM is as for `run`; `model --draft max-records --profile ...` serves one to try.
    """
    draft = drafted_profile(options["draft"], options["profile"])
    naming: dict[str, Any] = {**{name: options[name] for name in NAMING if name != "system"}, "system": system}
    named = make_system(**naming, draft=draft)
    given = given_facts(options["facts"])
    try:
        named.start()
        sys.exit(_identified(named, given, options["seed"]))
    finally:
        named.stop()


def _identified(system: BrokerSystem, given: Given, seed: int) -> int:
    """Ask the started system; the exit code."""
    from conformance.draft.asking import Unknown, carrier_of, player  # noqa: PLC0415 - keeps --help quick
    from conformance.draft.identifying import identify as ask_all  # noqa: PLC0415
    from conformance.facts import semantics_of  # noqa: PLC0415

    cluster = reached(system, make_codec())
    semantics = semantics_of(facts_of(cluster, given, system))
    found = carrier_of(system, semantics, make_codec)
    if isinstance(found, Unknown):
        click.echo(f"UNSUPPORTED  {found.why}")
        click.echo("no clause of MXR was exercised, and no profile is named")
        return UNREACHABLE
    with player(system, found, semantics, make_codec) as play:
        asked = list(ask_all(play, found.encoding, semantics, crafted=False, seed=seed))
    return _shown(asked, found.encoding, semantics)


def _shown(asked: Sequence[Asked], encoding: Encoding, semantics: Semantics) -> int:
    from spec.max_records.axes import AXES  # noqa: PLC0415 - keeps --help quick
    from spec.verdict import Outcome  # noqa: PLC0415

    left = asked[-1].left
    words = Counter((verdict.clause, verdict.outcome.value) for one in asked for verdict in one.judgement.verdicts)
    click.echo(f"judged as Kafka {semantics.release} with the draft MaxRecords, {encoding.value}; {len(asked)} scenarios")
    for (clause, outcome), count in sorted(words.items()):
        click.echo(f"  {clause}  {outcome:<12} {count}")
    broken = [verdict for one in asked for verdict in one.judgement.breaks]
    for verdict in {(verdict.clause, verdict.signature): verdict for verdict in broken}.values():
        click.echo(f"{verdict.clause} {verdict.outcome.value}: {verdict.why}")
    for axis in AXES if left.counting else ():
        readings = left.readings(axis.name)
        click.echo(f"  {axis.name:<11} {' | '.join(readings) or 'does not arise'}")
    if any(verdict.outcome is Outcome.INCONCLUSIVE for verdict in broken):
        click.echo("INCONCLUSIVE  the broker, or the way to it, was lost")
        return UNREACHABLE
    if left.empty:
        _ruled_out(asked)
        return FOUND
    click.echo(_class_of(left))
    return FOUND if any(verdict.outcome is Outcome.VIOLATES for verdict in broken) else OK


def _ruled_out(asked: Sequence[Asked]) -> None:
    """That no profile fits, and the scenario at which the last one fell."""
    from results.picture_text import sketch  # noqa: PLC0415 - keeps --help quick

    last = next(one for one in asked if one.left.empty)
    click.echo("NO PROFILE  fits all that was seen; the last one was ruled out by:")
    click.echo(sketch(last.scenario, last.observation))


def _class_of(left: ProfileClass) -> str:
    from conformance.draft.identifying import inseparable  # noqa: PLC0415 - keeps --help quick
    from generators.small_scope import Bounds  # noqa: PLC0415

    lines = [f"PROFILE  {left.named}"]
    if len(left.counting) > 1:
        bounds = Bounds(crafted=False)
        apart = inseparable(left.counting, bounds)
        proof = f"equal within these bounds: {bounds}" if apart is None else "not told apart by the questions that were asked"
        lines.append(f"  {len(left.counting)} ways of counting fit, {proof}")
    lines.append("  readings joined by | answer alike on one node, or differ on layouts alone that only compaction leaves (gaps, empty)")
    return "\n".join(lines)
