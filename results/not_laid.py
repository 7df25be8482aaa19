"""Scenarios that were left out since their layouts could not be laid on the broker."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from results.text import count_of
from spec.events import NotLaid
from spec.frozen import frozen


@frozen
class NotLaidKind:
    """The scenarios left out for one step of laying.

    Attributes:
        step: what the broker did not do, `a transaction`.
        why: what was expected of it and what was found, of the first.
        scenarios: how many were left out.
        clauses: how many of them would have exercised each clause, by its id.
    """

    step: str
    why: str
    scenarios: int
    clauses: Mapping[str, int]

    @property
    def sentence(self) -> str:
        """How many, for what reason, and which clauses most."""
        most = sorted(self.clauses.items(), key=lambda item: (-item[1], item[0]))[:5]
        named = ", ".join([f"{clause} in {count}" for clause, count in most])
        more = len(self.clauses) - len(most)
        rest = f" and {count_of(more, 'more clause')}" if more else ""
        clauses = f" ({named}{rest})" if named else ""
        return f"{count_of(self.scenarios, 'scenario')} not laid, {self.step}{clauses}: {self.why}"


@dataclass(slots=True)
class NotLaidCount:
    """Counts what was left out, by the step that failed."""

    _why: dict[str, str] = field(default_factory=dict)
    _scenarios: Counter[str] = field(default_factory=Counter)
    _clauses: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, event: NotLaid) -> None:
        """Take in one scenario, unless its layout needs what is not claimed."""
        if event.unclaimed:
            return
        self._why.setdefault(event.step, event.why)
        self._scenarios[event.step] += 1
        self._clauses.setdefault(event.step, Counter()).update(event.clauses)

    def kinds(self) -> tuple[NotLaidKind, ...]:
        """What was counted, the commonest step first."""
        return tuple(
            [
                NotLaidKind(step, self._why[step], count, dict(self._clauses[step]))
                for step, count in self._scenarios.most_common()
            ]
        )
