"""The id and the slug of a clause stand for it for good: links, findings and logs have them."""

from pathlib import Path

from spec.catalogue import catalogue

NAMES = [
    tuple(line.split())
    for line in Path(__file__).with_name("names_of_clauses.txt").read_text("utf-8").splitlines()
]
"""Each clause's id and slug, by id. Those of later clauses are added with a release; no line is
ever changed or removed, also where its clause is withdrawn.
"""


def test_a_clause_keeps_its_slug() -> None:
    slugs = {name: one.slug for name, one in catalogue().items()}
    assert {(name, slug) for name, slug in NAMES if slugs.get(name, slug) != slug} == set()


def test_a_slug_is_used_for_no_other_clause() -> None:
    ids = {one.slug: name for name, one in catalogue().items()}
    assert {(name, slug) for name, slug in NAMES if ids.get(slug, name) != name} == set()


def test_no_name_is_recorded_twice() -> None:
    assert len({name for name, _ in NAMES}) == len({slug for _, slug in NAMES}) == len(NAMES)
