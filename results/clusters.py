"""Differences of one kind, each with the smallest example of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spec.canonical import identity, to_json
from spec.events import Judged, Shrunk
from spec.layout import Layout
from spec.observation import Observation
from spec.recent import LAYOUTS, Recent
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict

SEVERITY = (Outcome.VIOLATES, Outcome.INCONCLUSIVE, Outcome.DEVIATES)
"""The outcomes that make a cluster, the most severe first."""


RECENT = 1024
"""Scenarios of one kind whose reasons are kept."""


@dataclass(frozen=True, slots=True)
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
    cause: tuple[str, str] | None = None

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
    """The clusters in their order, each with those that it explains; a cluster that another one
    explains in every scenario stands with that one alone.

    A cluster that no finding lists is never hidden behind one that is listed.
    """
    causes = {(one.clause, one.signature): one for one in clusters if one.cause is None}
    groups: dict[tuple[str, str], list[Cluster]] = {}
    heads = []
    for one in clusters:
        cause = causes.get(one.cause) if one.cause is not None else None
        if cause is None or (cause.known is not None and one.known is None):
            heads.append(one)
        else:
            groups.setdefault((cause.clause, cause.signature), []).append(one)
    return [(one, groups.pop((one.clause, one.signature), [])) for one in heads]


@dataclass(slots=True)
class _Kind:
    """One cluster while it grows; `scenarios` gives the reason for each scenario's id, of those
    that came last, since a break is shrunk soon after it was found; `causes` says how often another
    break explained it.
    """

    count: int = 0
    primary: int = 0
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
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
                (one.clause, one.signature)
                for one in judged.verdicts
                if one.primary and not verdict.primary and one.outcome in SEVERITY
            ]
        )
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
            causes = kind.causes.most_common(1) if kind.causes.total() == kind.count else []
            cause = causes[0][0] if causes else None
            bare = Cluster(
                clause, signature, outcome, kind.count, kind.primary, listed, "", cause=cause
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
