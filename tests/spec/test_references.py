"""Each id that the source or the documents name is an id or an alias of a clause in the catalogue,
or a rule of data folders, and each source of a clause is public.
"""

import re
from pathlib import Path

import pytest

from spec.catalogue import catalogue
from spec.clause import KIP, Code, Doc, Draft, Report, Source
from spec.disk.rules import RULES

ROOT = Path(__file__).parents[2]
KINDS = "ADM|DIV|FAI|FET|GRP|LIM|MXR|OFF|PRO|REP|SEG|SHR"
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
KAFKA_ISSUE = r"KAFKA-\d+"
GITHUB_ISSUE = r"[\w-]+/[\w.-]+#\d+"
PUBLIC_REPORT = re.compile(f"{KAFKA_ISSUE}|{GITHUB_ISSUE}")
PUBLIC_DOCUMENT = re.compile(
    r"(protocol guide|(design|operations|implementation) documentation"
    r"|introduction of the documentation|Javadoc of"
    r"|(broker |consumer |producer |group )?configs? ?)\b.*"
)
SYMBOL = re.compile(r"[A-Za-z]\w+(\.\w+)*")
KAFKA_FILE = re.compile(r"[\w/-]+\.(java|scala|json)")
NO_CLAUSE = "FET-999"
"""Stands in the documents for an id that there is not."""
KNOWN = {
    NO_CLAUSE,
    *RULES,
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


def _is_public(source: Source) -> bool:
    """Whether a reader finds the source outside this repository by what it says; the text of a
    draft is its author's.
    """
    match source:
        case KIP(number=number):
            return number > 0
        case Doc(where=where):
            return PUBLIC_DOCUMENT.fullmatch(where) is not None
        case Code(file=file, lines=lines):
            return KAFKA_FILE.fullmatch(file) is not None and _is_place(lines)
        case Report(where=where):
            return PUBLIC_REPORT.fullmatch(where) is not None
        case Draft():
            return True


def _is_place(lines: str) -> bool:
    """Whether it is one symbol of a file, `Class.method`, or lines of it in order: `44,56`,
    `1743-1752, 2000`.
    """
    if SYMBOL.fullmatch(lines):
        return True
    numbers = [one.split("-") for one in re.split(", ?", lines)]
    if not all(one.isdecimal() for pair in numbers for one in pair):
        return False
    places = [int(one) for pair in numbers for one in pair]
    return places == sorted(places) and all(
        len(pair) == 1 or int(pair[0]) < int(pair[1]) for pair in numbers
    )


def test_each_source_of_a_clause_is_public() -> None:
    hidden = {
        f"{clause.id}: {source}"
        for clause in catalogue().values()
        for source in clause.sources
        if not _is_public(source)
    }
    assert hidden == set()


@pytest.mark.parametrize(
    "source",
    [
        Report("case A06"),
        Report("redpanda#1532"),
        Report("the seed document, section 3"),
        Doc("reference notes, FET-004"),
        Code("notes.md", "1-3"),
        Code("LogSegment.java", "3-1"),
        Code("LogSegment.java", "20, 10"),
        Code("LogSegment.java", "where it rolls"),
    ],
    ids=str,
)
def test_a_source_without_a_public_address_is_noticed(source: Source) -> None:
    assert not _is_public(source)
