"""The rules of data folders as clauses: what is wrong with the files of a broker that can be read.

A rule's text, strength and sources stand in `spec/disk/rules.py`, and nowhere else.
"""

from spec.clause import Chapter, Clause, Example, Held, fails, holds
from spec.disk.rules import RULES, Rule
from spec.scenario import Scenario
from spec.segments.examples import files
from spec.segments.kinds import NOT_LOOKED_AT
from spec.segments.outcomes import FilesSeen
from spec.segments.settings import SegmentSettings
from spec.segments.steps import AppendBatch
from spec.segments.turn import Turn


def _of_files(turn: Turn) -> bool:
    return turn.place is None and isinstance(turn.outcome, FilesSeen)


chapter: Chapter[Turn] = Chapter(_of_files)


def _segments() -> Scenario:
    settings = SegmentSettings(segment_bytes=400, index_interval=0, index_bytes=4096)
    return files(settings, *[AppendBatch(100, time=time) for time in range(6)])


SEGMENTS = Example("two segments with entries in their indexes", _segments)


def _clause(rule: Rule) -> Clause[Turn]:
    """The clause of a rule."""

    def check(turn: Turn) -> Held | None:
        seen = turn.outcome
        assert isinstance(seen, FilesSeen)
        broken = [one.what for one in seen.broken if one.rule == rule.id]
        if broken:
            return fails("; ".join(broken), "broken")
        return holds() if rule.id in seen.looked else None

    reason = NOT_LOOKED_AT.get(rule.id, "")
    return Clause(
        id=rule.id,
        slug=rule.slug,
        statement=rule.statement,
        explanation="`fencepost audit` holds the data folder of any broker against it.",
        strength=rule.strength,
        limit_class=rule.limit_class,
        sources=rule.sources,
        when=None if reason else chapter.when,
        check=None if reason else check,
        excluded=reason and f"{reason}; `fencepost audit` looks at it",
        aliases=(rule.was,) if rule.was else (),
        examples=() if reason else (SEGMENTS,),
    )


chapter.clauses += [_clause(rule) for rule in RULES.values()]
