"""One root cause is one line: kinds of break that the same answers show stand together, and none is
hidden behind one that weighs less.
"""

from collections.abc import Sequence
from dataclasses import replace

from results.clusters import Cluster, Clusters, by_cause
from results.summary import summarise
from spec.events import Judged
from spec.verdict import Outcome, Verdict
from tests.results.synthetic import CLAUSES, header, layout, placed
from tests.results.test_terminal import shown

ONE = layout((100,))


def broken(clause: str, signature: str = "way", *, must: bool = True) -> Verdict:
    outcome = Outcome.VIOLATES if must else Outcome.DEVIATES
    return Verdict(clause, outcome, why=f"why {clause}", signature=signature)


def clusters_of(*scenarios: Sequence[Verdict], known: str = "") -> tuple[Cluster, ...]:
    """The clusters of scenarios, the first break of each being the primary one."""
    found = Clusters()
    for number, verdicts in enumerate(scenarios):
        first, *others = verdicts
        found.add(
            Judged(str(number), "l", "question", (), (replace(first, primary=True), *others)), {}
        )
    return found.clusters({(known, "way"): "listed"} if known else {})


def groups_of(clusters: Sequence[Cluster]) -> dict[str, list[str]]:
    return {one.clause: [each.clause for each in some] for one, some in by_cause(clusters)}


def test_a_chain_of_causes_ends_at_its_first() -> None:
    a, b, c = broken("A"), broken("B", "other"), broken("C", "third")
    found = clusters_of([a, b], [a, b], [a, b], [a], [b, c])
    assert groups_of(found) == {"A": ["B", "C"]}


def test_a_kind_that_stands_alone_in_less_than_a_third_of_its_scenarios_is_explained() -> None:
    a, b = broken("A"), broken("B", "other")
    found = clusters_of([a, b], [a, b], [a, b], [a], [b])
    assert groups_of(found) == {"A": ["B"]}
    assert next(one for one in found if one.clause == "B").alone == 1
    assert groups_of(clusters_of([a, b], [a, b], [a], [b])) == {"A": [], "B": []}


def test_clauses_that_break_in_the_same_way_beside_each_other_are_one() -> None:
    a, b = broken("A", must=False), broken("B", must=False)
    assert groups_of(clusters_of([a, b], [b], [b], [a])) == {"B": ["A"]}
    assert len(groups_of(clusters_of([a], [b], [b], [a]))) == 2
    other = broken("B", "other", must=False)
    assert len(groups_of(clusters_of([a, other], [other], [other], [a]))) == 2


def test_what_weighs_more_is_not_hidden() -> None:
    light, heavy = broken("A", must=False), broken("B", "other")
    assert len(groups_of(clusters_of([light, heavy], [light]))) == 2
    listed = clusters_of([broken("A"), heavy], [broken("A")], known="A")
    assert groups_of(listed) == {"B": [], "A": []}


def test_every_cluster_stands_in_one_group() -> None:
    a, b, c = (broken(name, "same") for name in "ABC")
    found = clusters_of([a, b], [b, c], [c, a], [a], [b], [c], [a, b, c])
    groups = by_cause(found)
    every = [one.kind for head, some in groups for one in (head, *some)]
    assert sorted(every) == sorted(one.kind for one in found)


def test_the_terminal_shows_one_line_for_a_cause_and_names_the_others() -> None:
    a, b = broken("FET-001"), broken("FET-002", "other")
    events = [
        Judged(str(number), "l", "question", (), (replace(first, primary=True), *others))
        for number, (first, *others) in enumerate([[a, b], [a, b], [a, b], [a], [b]])
    ]
    summary = summarise([header(), placed(ONE), *events], CLAUSES)
    text = shown(summary)
    assert "explained by it: FET-002 (other, 1 of 4 alone)" in text
    assert "violates FET-002" not in text
    assert "explains violates FET-002  other  in 4 scenarios, 1 of 4 alone" in shown(
        summary, width=120, verbose=True
    )
