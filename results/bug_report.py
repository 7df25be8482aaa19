"""A break as a bug report in Markdown, for those who keep the broker: what was tested, the smallest
case, what was expected and observed, the clause with its sources, and programs that show it without
Fencepost.
"""

from collections.abc import Iterator, Mapping

from results.geometry import panels
from results.markdown import code_block, escape, escape_within, prose
from results.picture_text import sketch
from results.text import number
from spec.catalogue import clause
from spec.frozen import frozen
from spec.log import Stored, log_of
from spec.observation import Observation
from spec.scenario import Scenario
from spec.verdict import Verdict

MOST_ROWS = 200
"""Batches in the table of a layout; more are counted."""


@frozen
class Program:
    """A program that shows the break by itself.

    Attributes:
        title: what it is made with.
        language: of its source, as a code block names it.
        source: its text; empty where there is none.
        usage: how it is run, or why there is none.
    """

    title: str
    language: str
    source: str
    usage: str


def bug_report(
    scenario: Scenario,
    observation: Observation,
    breaks: tuple[Verdict, ...],
    tested: Mapping[str, str],
    programs: tuple[Program, ...],
) -> str:
    """The report's text. Whatever comes from the broker can't be taken for markup.

    Args:
        scenario: what was played.
        observation: what came back.
        breaks: the verdicts that break a clause, the main one first.
        tested: what was tested, by what it is called.
        programs: that show it without Fencepost.
    """
    return "\n".join(_lines(scenario, observation, breaks, tested, programs)) + "\n"


def _lines(
    scenario: Scenario,
    observation: Observation,
    breaks: tuple[Verdict, ...],
    tested: Mapping[str, str],
    programs: tuple[Program, ...],
) -> Iterator[str]:
    main = breaks[0]
    yield f"# {main.clause}: {escape_within(main.why)}"
    yield from ("", "## What was tested", "", "| | |", "| --- | --- |")
    for name, value in tested.items():
        yield f"| {escape_within(name)} | {escape_within(value)} |"
    for name, value in scenario.config:
        yield f"| broker config | {escape_within(f'{name}={value}')} |"
    yield from ("", "## Layout", "")
    yield from _layout(scenario)
    yield from ("", "## Steps", "")
    for panel in panels(scenario, observation):
        yield f"1. {escape(panel.title.partition(': ')[2] or panel.title)}"
    yield from ("", "## Expected and observed", "")
    for verdict in breaks:
        yield f"- {verdict.clause} {verdict.outcome}: {escape_within(verdict.why)}"
    yield from ("", code_block(sketch(scenario, observation)), "")
    yield from _clause(main)
    for program in programs:
        yield from ("", f"## {program.title}", "", program.usage)
        if program.source:
            yield from ("", code_block(program.source.rstrip("\n"), program.language))


def _layout(scenario: Scenario) -> Iterator[str]:
    rows = [
        (place, partition.log_start, stored)
        for place, partition in enumerate(scenario.layout.partitions)
        for stored in log_of(partition).batches
    ]
    if rows:
        yield "| partition | offsets | bytes | records | codec | transaction | segment |"
        yield "| ---: | ---: | ---: | ---: | --- | --- | ---: |"
    for place, _, stored in rows[:MOST_ROWS]:
        yield _row(place, stored)
    if len(rows) > MOST_ROWS:
        yield f"\n{number(len(rows) - MOST_ROWS)} more batches."
    for place, partition in enumerate(scenario.layout.partitions):
        if not any(True for _ in partition.entries()):
            yield f"Partition {place} is empty."
        elif partition.log_start:
            yield f"\nThe log of partition {place} starts at offset {partition.log_start}."


def _row(place: int, stored: Stored) -> str:
    offsets = str(stored.base) if stored.base == stored.last else f"{stored.base} to {stored.last}"
    txn = "" if stored.txn is None else f"{stored.txn}{', its end' if stored.control else ''}"
    codec = "" if stored.control else stored.codec.value
    return (
        f"| {place} | {offsets} | {number(stored.size)} | {stored.records} | {codec} | {txn} "
        f"| {stored.segment} |"
    )


def _clause(main: Verdict) -> Iterator[str]:
    found = clause(main.clause)
    yield f"## {found.id}, {found.strength}"
    yield from ("", prose(found.statement))
    if found.explanation:
        yield from ("", prose(found.explanation))
    yield from ("", "Sources:", "")
    yield from (f"- {prose(str(source))}" for source in found.sources)
