"""Data folders of real brokers, as `tools/record_data_folder.py` recorded them."""

import tarfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RECORDED = sorted(HERE.glob("data-*.tar.gz"))


def unpack(recorded: Path, where: Path) -> Path:
    """The data folder of a recording."""
    with tarfile.open(recorded) as packed:
        packed.extractall(where, filter="data")
    return where / "data"


@pytest.fixture(params=RECORDED, ids=lambda path: path.name[5:-7])
def every_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of each release, stopped in good order."""
    return unpack(request.param, tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the newest release that is recorded, stopped in good order."""
    return unpack(RECORDED[-1], tmp_path)
