"""The files say things in the words of the field: each word that has a plain one is found nowhere.

What is plain is decided once, in `PLAIN`; what may stand all the same is listed in `ALLOWED`.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SUFFIXES = (".py", ".md", ".toml", ".html", ".js", ".css", ".yml", ".sh", ".java", ".go", ".rs")
OWN = "tests/test_language.py"

PLAIN = {
    r"[Tt]old|[Tt]ells?|[Uu]ntold": "report, return, send, state, answer; distinguish",
    r"World|worlds?": "state",
    r"Slot|Hall|Roll|Stage|Bench|bench(es)?|Site": "state, deployment, player, placed partition",
    r"[Dd]eeds?|[Bb]eats?|[Bb]eaten": "event, exchange, action; heartbeat",
    r"Ground|Family": "context, strategy",
    r"[Rr]ehears(al|als|e|ed|es|ing)": "dry run",
    r"[Aa]new": "again",
    r"[Ss]eldom": "rarely",
    r"[Ll]est": "so that ... not",
    r"[Dd]ear(er|est|ly)?": "expensive",
    r"(go|goes|going|went|gone)\s+on": "continue",
    r"([Hh]as|[Hh]ad|[Hh]ave|[Hh]aving|[Ww]ithout)\s+(a|no|any)\s+word": "apply, no clause applied",
    r"[Hh]angs?\s+on": "depend on; timing-sensitive",
    r"(come|comes|came|coming)\s+again": "be delivered again, return; reproduced",
    r"[Ss]een\s+once": "not reproduced, flaky",
    r"(?<!\.)[Jj]ust(?!\()": "exactly, only, if and only if",
    r"(?<=[,;.] )[Ee]lse|(?<=\bor )else": "otherwise",
}
"""Words that have a plain one, as a regular expression of whole words, and the plain one. A name
with hyphens, as of a planted fault, stays as it is: files have it.
"""
ALLOWED = {
    "conformance/findings/file.py": ("seldom",),  # the old name of a key that is still read
    **dict.fromkeys(
        (
            "spec/share/clauses/ranges.py",
            "conformance/findings/kfake.toml",
            "docs/implementations/kfake.md",
        ),
        ("ranges of records that come again",),  # a signature in logs
    ),
}
"""What may stand all the same: for a file, the texts that are taken out before it is looked at."""
BARE = re.compile(
    r"^(?:async )?def _?(?!(?:weighted|frozen|need|seed|feed|speed|embed)\()"
    r"([a-z]+ed|told|taken|met|apart|again|begun|built|done|drawn|found|given|held|hidden|kept|known"
    r"|laid|left|lost|made|seen|sent|shown|written)\(",
    re.MULTILINE,
)
"""A function of a module is named by a verb or a noun, not by a bare participle or adverb; a
strategy may be `weighted`, a class is made `frozen`.
"""
SHIPPED = ("spec/", "generators/", "conformance/", "results/", "drafts/", "fencepost_pytest/")
"""Where functions are called from elsewhere, so that their names are held to that."""
ENDINGS = ("ings", "ing", "ers", "er", "ed", "ions", "ion", "ments", "ment", "es", "s", "y", "")
ALIKE = {("judge", "judgement"), ("observation", "observer")}
"""Modules of one folder that differ in their endings alone: who acts, and what results."""

_PATTERN = re.compile("|".join(rf"\b(?:{word})\b" for word in PLAIN))


@cache
def tracked() -> tuple[str, ...]:
    """The files that are looked at, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return tuple(
        [
            name
            for name in listed
            if name.endswith(SUFFIXES) and name != OWN and (ROOT / name).exists()
        ]
    )


def found_in(name: str, text: str) -> list[str]:
    """Each word that has a plain one, with its place, as `file:line: word`."""
    for allowed in ALLOWED.get(name, ()):
        text = text.replace(allowed, "")
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for match in _PATTERN.finditer(text)
        if "-" not in {text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]}
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the offsets that it tells", ["tells"]),
        ("a run goes\n    on", ["goes\n    on"]),
        ("0 where it is null, else 1", ["else"]),
        ("x = 0 if one is None else 1", []),
        ("st.just(3), a heartbeat, fortold, log-start-told-one-less", []),
        ("just where it fits", ["just"]),
    ],
)
def test_whole_words_are_found(text: str, words: list[str]) -> None:
    assert [one.partition(": ")[2] for one in found_in("x.py", text)] == words


@pytest.mark.system
def test_every_file_uses_the_plain_words() -> None:
    found = [one for name in tracked() for one in found_in(name, (ROOT / name).read_text("utf-8"))]
    plain = "; ".join([f"{word} -> {instead}" for word, instead in PLAIN.items()])
    assert not found, "\n".join([*found, f"say it plainly: {plain}"])


@pytest.mark.system
def test_no_function_is_named_by_a_bare_participle_or_adverb() -> None:
    found = [
        f"{name}: {match.group()}"
        for name in tracked()
        if name.endswith(".py") and name.startswith(SHIPPED)
        for match in BARE.finditer((ROOT / name).read_text("utf-8"))
    ]
    assert not found, "\n".join([*found, "name it by a verb or a noun"])


def _stem(module: str) -> str:
    return next(module.removesuffix(one) for one in ENDINGS if module.endswith(one))


@pytest.mark.system
def test_no_two_modules_of_a_folder_differ_in_their_endings_alone() -> None:
    folders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in tracked():
        if name.endswith(".py"):
            folder, _, module = name.removesuffix(".py").rpartition("/")
            folders[folder, _stem(module)].append(module)
    alike = {
        f"{folder}: {' and '.join(sorted(modules))}"
        for (folder, _), modules in folders.items()
        if len(modules) > 1 and tuple(sorted(modules)) not in ALIKE
    }
    assert not alike, "\n".join([*sorted(alike), "name one of them by another noun"])


def test_the_glossary_has_at_most_twenty_words_of_our_own() -> None:
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert 0 < len(re.findall(r"^\*\*", text, re.MULTILINE)) <= 20
