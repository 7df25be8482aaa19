"""The tests of a draft go with its folder."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
DRAFTS = HERE.parents[1] / "drafts"

collect_ignore = [
    path.name
    for path in HERE.iterdir()
    if path.is_dir() and not (DRAFTS / path.name / "draft.py").exists()
]
