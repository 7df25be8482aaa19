"""How far a run had come when it was cut off, read from its event log, so that `--resume` continues
it: a `Cursor` ends each part that is done, and what was judged behind the last one is not judged
again.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from spec.canonical import identity
from spec.events import Cursor, Judged, LayoutPlaced, NotLaid, ReadingRuledOut, Shrunk
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spec.events import Event
    from spec.verdict import Outcome

BreakKind = tuple[str, str]
"""The clause and the signature of a break."""


@frozen
class ResumePoint:
    """The part of a run that was done before it was cut off.

    Attributes:
        parts: the parts that are done, by name.
        scenarios, from_corpus, seconds: as in the last `Cursor`.
        counters: what the plan of the run depends on, at the last cursor.
        corpus: ids of the scenarios of the corpus that are tried; None where that was not decided.
        not_laid: as in the last `Cursor`.
        judged: what was judged after the last cursor.
        unlaid: ids of the scenarios that were left out after it since they could not be laid.
        layouts: ids of the layouts that were placed, in the order of their placing.
        shrunk: the kinds of break that were made small, each with how severe it is.
        ruled_out: the (clause, reading) pairs that are ruled out.
    """

    parts: frozenset[str] = frozenset()
    scenarios: int = 0
    from_corpus: int = 0
    seconds: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    corpus: tuple[str, ...] | None = None
    judged: tuple[Judged, ...] = ()
    layouts: tuple[str, ...] = ()
    shrunk: Mapping[BreakKind, Outcome] = field(default_factory=dict)
    ruled_out: frozenset[tuple[str, str]] = frozenset()
    not_laid: int = 0
    unlaid: tuple[str, ...] = ()


BEGINNING = ResumePoint()


def resume_point(events: Iterable[Event]) -> ResumePoint:
    """How far the run had come that wrote these events, in the order of its log."""
    parts: set[str] = set()
    last = Cursor("")
    counters: dict[str, int] = {}
    corpus: tuple[str, ...] | None = None
    judged: list[Judged] = []
    unlaid: list[str] = []
    layouts: dict[str, None] = {}
    shrunk: dict[BreakKind, Outcome] = {}
    ruled_out: set[tuple[str, str]] = set()
    for event in events:
        match event:
            case Cursor():
                parts.add(event.part)
                counters |= dict(event.counters)
                corpus = event.corpus if corpus is None else corpus
                last = event
                judged.clear()
                unlaid.clear()
            case NotLaid():
                unlaid.append(identity(event.scenario))
            case Judged():
                judged.append(event)
            case LayoutPlaced():
                layouts[event.id] = None
            case Shrunk():
                shrunk[event.clause, event.signature] = event.verdict.outcome
            case ReadingRuledOut():
                ruled_out.add((event.clause, event.reading))
    return ResumePoint(
        frozenset(parts),
        last.scenarios,
        last.from_corpus,
        last.seconds,
        counters,
        corpus,
        tuple(judged),
        tuple(layouts),
        shrunk,
        frozenset(ruled_out),
        last.not_laid,
        tuple(unlaid),
    )
