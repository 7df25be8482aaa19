"""Differences of one kind, each with the smallest example of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spec.canonical import identity, to_json
from spec.events import Judged, Shrunk
from spec.frozen import frozen, replace
from spec.layout import Layout
from spec.observation import Observation
from spec.recent import LAYOUTS, Recent
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict

SEVERITY = (Outcome.VIOLATES, Outcome.INCONCLUSIVE, Outcome.DEVIATES)
"""The outcomes that make a cluster, the most severe first."""


Kind = tuple[str, str]
"""A clause, and the signature of a way in which it breaks."""
ALONE_BELOW = 3
"""A kind that others explain in all but fewer than one of so many scenarios is taken for theirs."""
RECENT = 1024
"""Scenarios of one kind whose reasons are kept."""


@frozen
class Cluster:
    """Scenarios on which one clause has the same outcome with the same signature.

    Attributes:
        outcome: one of `SEVERITY`.
        count: scenarios that show it.
        primary: those of them in which it explains the other breaks.
        known: the reason of the finding that lists it; None where none does.
        why: expected against found, of the example.
        example: the smallest scenario that shows it, shrunk where that was done; None where its
            layout was lost.
        observation: what came back for the example.
        shrunk: the example was made as small as it goes.
        cause: the clause and signature of the break that most often explains it; None where it is
            not explained by another in some scenario.
        mostly: likewise, where it is not explained in less than a third of its scenarios.
        alone: scenarios in which no other break explains it.
        beside: the kinds that broke in some scenario together with it.
    """

    clause: str
    signature: str
    outcome: Outcome
    count: int
    primary: int
    known: str | None
    why: str
    example: Scenario | None = None
    observation: Observation | None = None
    shrunk: bool = False
    cause: Kind | None = None
    mostly: Kind | None = None
    alone: int = 0
    beside: frozenset[Kind] = frozenset()

    @property
    def kind(self) -> Kind:
        """Its clause and signature."""
        return self.clause, self.signature

    @property
    def example_id(self) -> str:
        """The example's scenario id; empty where there is none."""
        return identity(self.example) if self.example else ""


Order = tuple[bool, int, int, str, str]
"""The order of clusters."""


def order_of(known: str | None, outcome: Outcome, count: int, clause: str, signature: str) -> Order:
    """Unlisted ones first, then the most severe, then the commonest."""
    return known is not None, SEVERITY.index(outcome), -count, clause, signature


def cluster_order(cluster: Cluster) -> Order:
    """`order_of` a cluster."""
    return order_of(
        cluster.known, cluster.outcome, cluster.count, cluster.clause, cluster.signature
    )


def by_cause(clusters: Sequence[Cluster]) -> list[tuple[Cluster, list[Cluster]]]:
    """The clusters in their order, each with those of the same root cause: a cluster stands with
    the one that explains it in all of its scenarios, or in more than two thirds, or that breaks in
    the same way beside it; and so on to the one that nothing explains.

    A cluster that no finding lists is never hidden behind one that is listed, nor a violation
    behind a deviation.
    """
    by_kind: dict[Kind, Cluster] = {}
    for one in clusters:
        by_kind.setdefault(one.kind, one)
    roots = {one.kind: _root(one, by_kind) for one in clusters}
    groups: dict[Kind, list[Cluster]] = {}
    for one in clusters:
        if roots[one.kind] != one.kind:
            groups.setdefault(roots[one.kind], []).append(one)
    return [(one, groups.pop(one.kind, [])) for one in clusters if roots[one.kind] == one.kind]


def _root(one: Cluster, by_kind: Mapping[Kind, Cluster]) -> Kind:
    """The kind at the end of the chain of causes; where the chain is a circle, the first of it."""
    chain = [one.kind]
    while (cause := _cause(by_kind[chain[-1]], by_kind)) is not None:
        if cause in chain:
            circle = chain[chain.index(cause) :]
            return min(circle, key=lambda kind: cluster_order(by_kind[kind]))
        chain.append(cause)
    return chain[-1]


def _cause(one: Cluster, by_kind: Mapping[Kind, Cluster]) -> Kind | None:
    """The kind that a cluster stands with; None where it stands alone."""
    for kind in (one.cause, one.mostly):
        if kind is not None and kind in by_kind and not _hides(by_kind[kind], one):
            return kind
    alike = [
        other
        for kind in one.beside
        if kind != one.kind
        and kind[1] == one.signature != ""
        and (other := by_kind.get(kind)) is not None
        and other.outcome is one.outcome
        and (other.known is None) == (one.known is None)
        and cluster_order(other) < cluster_order(one)
    ]
    return min(alike, key=cluster_order).kind if alike else None


def _hides(cause: Cluster, one: Cluster) -> bool:
    """Whether a cluster would be hidden behind one that weighs less."""
    if cause.known is not None and one.known is None:
        return True
    return SEVERITY.index(cause.outcome) > SEVERITY.index(one.outcome) and cause.known is None


@dataclass(slots=True)
class _Kind:
    """One cluster while it grows; `scenarios` gives the reason for each scenario's id, of those
    that came last, since a break is shrunk soon after it was found; `causes` says how often another
    break explained it.
    """

    count: int = 0
    primary: int = 0
    causes: Counter[Kind] = field(default_factory=Counter)
    beside: set[Kind] = field(default_factory=set)
    scenarios: Recent[str, str] = field(default_factory=lambda: Recent(RECENT))
    rank: tuple[bool, int, str] | None = None
    found: Judged | None = None
    why: str = ""
    layout: Layout | None = None
    shrunk_rank: tuple[int, str, str] | None = None
    shrunk: Shrunk | None = None
    shrunk_why: str = ""


@dataclass(slots=True)
class Clusters:
    """Gathers the clusters of one run.

    An example is drawn from what was shrunk, where anything was; otherwise from what was found.
    The one of the shortest JSON is taken, of two as long the one with the smaller id.
    """

    _kinds: dict[tuple[str, str, Outcome], _Kind] = field(default_factory=dict)
    _sizes: Recent[str, int] = field(default_factory=lambda: Recent(2 * LAYOUTS))

    def add(self, judged: Judged, layouts: Mapping[str, Layout]) -> None:
        """Take in one scenario; `layouts` are those placed so far, by id."""
        size: int | None = None
        for verdict in judged.verdicts:
            if verdict.outcome in SEVERITY:
                size = self._size(judged, layouts) if size is None else size
                self._add(judged, verdict, layouts.get(judged.layout), size)

    def _add(self, judged: Judged, verdict: Verdict, layout: Layout | None, size: int) -> None:
        kind = self._kinds.setdefault((verdict.clause, verdict.signature, verdict.outcome), _Kind())
        kind.count += 1
        kind.primary += verdict.primary
        kind.causes.update(
            [
                one.kind
                for one in judged.verdicts
                if one.primary and not verdict.primary and one.outcome in SEVERITY
            ]
        )
        kind.beside.update([one.kind for one in judged.verdicts if one.outcome in SEVERITY])
        kind.scenarios[judged.scenario] = verdict.why
        rank = (layout is None, size, judged.scenario)
        if kind.rank is None or rank < kind.rank:
            kind.rank, kind.found, kind.layout, kind.why = rank, judged, layout, verdict.why

    def add_shrunk(self, shrunk: Shrunk) -> None:
        """Take in a smaller scenario for a difference that was found before."""
        text = to_json(shrunk.scenario)
        rank = (len(text), shrunk.found, text)
        for outcome in SEVERITY:
            kind = self._kinds.get((shrunk.clause, shrunk.signature, outcome))
            if (
                kind
                and shrunk.found in kind.scenarios
                and (kind.shrunk_rank is None or rank < kind.shrunk_rank)
            ):
                kind.shrunk_rank, kind.shrunk = rank, shrunk
                kind.shrunk_why = shrunk.verdict.why or kind.scenarios[shrunk.found]

    def clusters(self, known: Mapping[tuple[str, str], str]) -> tuple[Cluster, ...]:
        """All of them, sorted by `order_of`; `known` are the reasons of listed breaks by clause and
        signature.
        """
        return tuple(sorted(self._clusters(known), key=cluster_order))

    def _clusters(self, known: Mapping[tuple[str, str], str]) -> Iterator[Cluster]:
        for (clause, signature, outcome), kind in self._kinds.items():
            listed = known.get((clause, signature)) if outcome is not Outcome.INCONCLUSIVE else None
            explained = min(kind.causes.total(), kind.count)
            alone = kind.count - explained
            commonest = next((one for one, _ in kind.causes.most_common(1)), None)
            bare = Cluster(
                clause,
                signature,
                outcome,
                kind.count,
                kind.primary,
                listed,
                "",
                cause=commonest if kind.causes.total() == kind.count else None,
                mostly=commonest if alone * ALONE_BELOW < kind.count else None,
                alone=alone,
                beside=frozenset(kind.beside),
            )
            if kind.shrunk is not None:
                smallest = kind.shrunk
                yield replace(
                    bare,
                    why=kind.shrunk_why,
                    example=smallest.scenario,
                    observation=smallest.observation,
                    shrunk=True,
                )
            elif (found := kind.found) is not None:
                example = (
                    None
                    if kind.layout is None
                    else Scenario(kind.layout, found.steps, found.config)
                )
                yield replace(
                    bare,
                    why=kind.why,
                    example=example,
                    observation=found.observation,
                )

    def _size(self, judged: Judged, layouts: Mapping[str, Layout]) -> int:
        """Characters of its JSON, but for a few that all scenarios have in common."""
        if judged.layout not in self._sizes:
            layout = layouts.get(judged.layout)
            self._sizes[judged.layout] = len(to_json(layout)) if layout is not None else 0
        config = len(f',"config":{to_json(judged.config)}') if judged.config else 0
        return self._sizes[judged.layout] + len(to_json(judged.steps)) + config
