"""The documentation does as it says: its commands run and print what it shows, its links lead
somewhere, and its reference names what there is.
"""

import re
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from conformance.cli import COMMANDS, main
from tests.docs.console import BESIDE, ROOT, Command, File, missing_line, parts_of, play
from tests.processes import awaited, gone

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BROKER = {"docs/tutorial.md"}
"""Pages that start a real broker."""
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def pages_with(needs: str) -> list[Any]:
    """The pages with commands that need so much."""
    return [
        pytest.param(
            page, id=name_of(page), marks=[pytest.mark.broker] if name_of(page) in BROKER else []
        )
        for page in PAGES
        if any(
            isinstance(part, Command) and part.needs == needs
            for part in parts_of(page.read_text(encoding="utf-8"))
        )
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    folder.mkdir()
    return folder


@pytest.mark.system
@pytest.mark.parametrize("page", pages_with(""))
def test_the_commands_of_a_page_do_as_it_says(page: Path, folder: Path) -> None:
    play(page, folder)


@pytest.mark.broker
@pytest.mark.parametrize("page", pages_with("broker"))
def test_the_commands_that_need_a_broker_do_as_their_page_says(page: Path, folder: Path) -> None:
    play(page, folder, "broker")


@pytest.mark.container
@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("page", pages_with("container"))
def test_the_commands_that_need_a_container_do_as_their_page_says(page: Path, folder: Path) -> None:
    play(page, folder, "container")


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_the_readme_leads_to_every_page() -> None:
    """By way of other pages too; decisions and notes for those who change the code aside."""
    reached, todo = set[Path](), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        reached.add(page)
        links = _LINK.findall(page.read_text(encoding="utf-8")) if page.suffix == ".md" else []
        found = {(page.parent / link.partition("#")[0]).resolve() for link in links}
        todo += [one for one in found if one.is_file() and one not in reached]
    assert {page for page in PAGES if "decisions" not in page.parts} <= reached


def options_of(command: click.Command) -> set[str]:
    """The long options of a command."""
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    }


def test_the_reference_has_every_command_with_its_options_and_no_other() -> None:
    text = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    sections = {
        section.partition("\n")[0].strip("` "): section for section in text.split("\n## ")[1:]
    }
    assert {name for name in sections if name in COMMANDS} == COMMANDS.keys()
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        named = set(re.findall(r"`(--[a-z-]+)", sections[name]))
        assert named == options_of(command) - {"--help"}, name


def test_the_glossary_is_short_and_has_no_word_twice() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\*\*([^*]+)\*\*", text, re.MULTILINE)
    assert 0 < len(words) <= 20
    assert len(set(words)) == len(words)
    assert words == sorted(words, key=str.lower)


def test_a_page_is_taken_apart_as_it_is_read() -> None:
    text = (
        "# A page\n```console\n$ one # exit code 3\nshown\n…\nlast\n$ two \\\n  more &\n```\n"
        "text\n```toml file=a.toml\nx = 1\n```\n```\nno command\n```\n"
    )
    one, two, file = parts_of(text)
    assert isinstance(one, Command)
    assert isinstance(two, Command)
    assert (one.exit_code, one.shown, one.stays) == (3, ("shown", "…", "last"), False)
    assert (two.exit_code, two.stays, two.line.split()) == (0, True, ["two", "more", "&"])
    assert file == File("a.toml", "x = 1\n")


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (("a", "b"), None),
        (("a", "c"), "c"),
        (("a", "…", "c"), None),
        (("…", "c", "…", "a"), "a"),
        (("b",), None),
        (("bb",), "bb"),
        (("a", "b…", "c"), None),
        (("c…", "x…"), "x…"),
    ],
)
def test_a_shown_line_must_stand_in_the_output_in_its_place(
    shown: tuple[str, ...], missing: str | None
) -> None:
    assert missing_line(shown, "a\nb  \nc\n") == missing


@pytest.mark.system
def test_what_runs_beside_a_page_ends_with_the_tests(tmp_path: Path) -> None:
    """Also where they are killed, so that nobody can end it: its standard input is closed then."""
    line = "echo started $BASHPID; exec sleep 600"
    with subprocess.Popen(
        ["bash", "-c", BESIDE.format(f"({line})")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        started = int(process.stdout.readline().split()[1])
        assert not gone(started)
        assert process.stdin is not None
        process.stdin.close()
        assert awaited(lambda: gone(started), 30)


@pytest.mark.system
def test_a_command_that_does_otherwise_is_named(tmp_path: Path) -> None:
    page, folder = tmp_path / "page.md", tmp_path / "page"
    folder.mkdir()
    page.write_text("```console\n$ echo a\na\n$ false\n```\n")
    with pytest.raises(AssertionError, match=r"\$ false\nended with 1"):
        play(page, folder)
