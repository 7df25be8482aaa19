"""A draft is a plug: found, never named, pure in its specification, and gone with its folder."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import spec.draft_packages
import spec.draft_registry
from conformance.drafts import plug_of
from conformance.identify.inquiry import inquiry_of
from spec.draft import Draft
from spec.draft_registry import (
    UnknownDraftError,
    draft_named,
    draft_of,
    draft_with,
    drafts,
    packages,
    parse_drafted,
)
from spec.readings import BadProfileError
from spec.releases import RELEASES
from spec.requirements import requirement_set
from tests.test_imports import EFFECTS, ROOMS

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(path.parent.name for path in (ROOT / "drafts").glob("*/draft.py"))


def imported(source: str) -> Iterator[str]:
    """Every module that is imported, wherever the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def specification(folder: str) -> set[Path]:
    """The modules of a draft that its object is made of: `draft` and what that imports of the same
    folder.
    """
    found: set[Path] = set()
    coming = [ROOT / "drafts" / folder / "draft.py"]
    while coming:
        module = coming.pop()
        if module in found or not module.exists():
            continue
        found.add(module)
        names = [
            name
            for name in imported(module.read_text(encoding="utf-8"))
            if name.startswith(f"drafts.{folder}.")
        ]
        coming += [ROOT / (name.replace(".", "/") + ".py") for name in names]
    return found


def test_every_folder_is_found_and_can_be_used() -> None:
    ours = [one for one in packages() if one.package.startswith("drafts.")]
    assert [one.package for one in ours] == [f"drafts.{folder}" for folder in FOLDERS]
    assert not [one.problem for one in ours if one.problem]
    assert (
        len({draft.name for draft in drafts()})
        == len({draft.subject.prefix for draft in drafts()})
        == len(drafts())
    )


@pytest.mark.parametrize("draft", drafts(), ids=lambda draft: draft.name)
def test_a_draft_is_whole(draft: Draft) -> None:
    assert draft_named(draft.name) is draft_of(draft.subject.name) is draft
    assert all(draft_with(field) is draft for field in draft.fields)
    assert plug_of(draft).draft is draft
    inquiry = inquiry_of(draft)
    assert inquiry is not None
    assert inquiry.draft is draft
    for axis in draft.axes:
        assert set(axis.ways) == {reading.name for reading in axis.readings}
    clauses = {clause.id for chapter in draft.subject.chapters for clause in chapter.clauses}
    assert all(
        {*requirement_set(draft.subject.name, release).clauses} <= clauses for release in RELEASES
    )
    assert str(parse_drafted(draft.name)) == f"{draft.name}:default"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_specification_of_a_draft_is_pure(folder: str) -> None:
    modules = specification(folder)
    assert len(modules) > 1
    for module in modules:
        for name in imported(module.read_text(encoding="utf-8")):
            top = name.partition(".")[0]
            assert top in {"spec", "drafts"} or (
                top in sys.stdlib_module_names and top not in EFFECTS
            ), f"{module}: {name}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_draft_imports_no_other_one(folder: str) -> None:
    for module in (ROOT / "drafts" / folder).rglob("*.py"):
        for name in imported(module.read_text(encoding="utf-8")):
            assert not name.startswith("drafts.") or name.split(".")[1] == folder, (
                f"{module}: {name}"
            )


@pytest.mark.parametrize("draft", drafts(), ids=lambda draft: draft.name)
def test_an_unknown_name_and_an_unknown_answer_say_what_there_is(draft: Draft) -> None:
    with pytest.raises(UnknownDraftError, match=f"{draft.name}.*found 'no-such-draft'"):
        draft_named("no-such-draft")
    with pytest.raises(BadProfileError, match=draft.axes[0].name):
        parse_drafted(f"{draft.name}:no_such_question=1")


@pytest.mark.parametrize("folder", FOLDERS)
def test_another_distribution_adds_a_draft_by_an_entry_point(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = (
        EntryPoint("good", f"drafts.{folder}", spec.draft_packages.GROUP),
        EntryPoint("bad", "no.such.package", spec.draft_packages.GROUP),
    )
    monkeypatch.setattr(
        spec.draft_packages,
        "entry_points",
        lambda *, group: points if group == spec.draft_packages.GROUP else (),
    )
    monkeypatch.setattr(spec.draft_packages, "PACKAGE", "no_package_of_drafts")
    good, bad = [
        one
        for name in spec.draft_packages.draft_packages()
        for one in [spec.draft_registry.load_draft(name)]
    ]
    assert (good.draft, good.problem) == (draft_named(good.draft.name) if good.draft else None, "")
    assert bad.draft is None
    assert "ModuleNotFoundError" in bad.problem


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree without the folder of any draft."""
    copy = tmp_path_factory.mktemp("without")
    for room in ROOMS:
        ignored = shutil.ignore_patterns("__pycache__", *(FOLDERS if room == "drafts" else ()))
        shutil.copytree(ROOT / room, copy / room, ignore=ignored)
    shutil.copytree(
        ROOT / "tests",
        copy / "tests",
        ignore=shutil.ignore_patterns("__pycache__", "cases", "conformance", "results"),
    )
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def python(folder: Path, *arguments: str) -> str:
    """What a Python of its own writes that has this folder first on its path."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder), "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_with_the_folders_gone_everything_else_works(without: Path, tmp_path: Path) -> None:
    assert not list((without / "drafts").glob("*/draft.py"))
    fencepost = ("-m", "conformance.cli")
    assert "identify" in python(without, *fencepost, "--help")
    catalogue = python(without, *fencepost, "spec")
    assert "FET-004" in catalogue
    assert "MXR-100" not in catalogue
    assert "FET-102" in python(without, *fencepost, "readings")
    played = python(
        without,
        *fencepost,
        "run",
        "model",
        "--scenarios",
        "60",
        "--no-report",
        "--no-corpus",
        "--out",
        str(tmp_path),
    )
    assert "CONFORMS" in played
    tests = [
        "tests/test_imports.py",
        *[
            f"tests/spec/test_{name}.py"
            for name in ("examples", "requirements", "errata", "bounds")
        ],
    ]
    assert "passed" in python(
        without,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow and not broker",
        *tests,
    )
