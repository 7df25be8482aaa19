"""Each id of a clause that the source or the documents name is an id or an alias in the catalogue."""

import re
from pathlib import Path

import pytest

from spec.catalogue import catalogue

ROOT = Path(__file__).parents[2]
KINDS = "ADM|DIV|FET|GRP|MXR|OFF|PRO|SEG|SHR"
MENTION = re.compile(rf"\b(?:{KINDS})-\d{{2,}}\b")
LOOKED_AT = (
    "spec",
    "generators",
    "conformance",
    "results",
    "drafts",
    "benchmarks",
    "tools",
    "docs",
)
NO_CLAUSE = "FET-999"
"""Stands in the documents for an id that there is not."""
KNOWN = {
    NO_CLAUSE,
    *[name for clause in catalogue().values() for name in (clause.id, *clause.aliases)],
}


@pytest.mark.parametrize("folder", LOOKED_AT)
def test_each_id_that_is_named_exists(folder: str) -> None:
    files = [path for kind in ("py", "md", "toml") for path in (ROOT / folder).rglob(f"*.{kind}")]
    assert files
    unknown = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in MENTION.findall(path.read_text())
        if name not in KNOWN
    }
    assert unknown == set()


def test_the_readme_and_the_changelog_name_ids_that_exist() -> None:
    for path in ROOT.glob("*.md"):
        assert set(MENTION.findall(path.read_text())) <= KNOWN, path.name
