"""The matrix of clauses by system as JSON."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from results.files import write_whole
from results.matrix import Matrix, State
from results.text import without_surrogates

FORMAT = 1
"""Version of the file's format: fields are added without a new number, never renamed or taken away.
"""


class Clause(Struct, frozen=True):
    """One clause."""

    id: str
    states: Annotated[dict[str, State], Meta(description="by system")]


class MatrixFile(Struct, frozen=True):
    """Clauses by system."""

    fencepost_matrix: int
    systems: list[str]
    clauses: list[Clause]


def write_matrix(matrix: Matrix, file: Path) -> Path:
    """Write a matrix; the file is there whole or not at all.

    Raises:
        ReportError: it can't be written.
    """
    content = MatrixFile(
        FORMAT,
        list(matrix.systems),
        [
            Clause(row.clause, dict(zip(matrix.systems, row.states, strict=True)))
            for row in matrix.rows
        ],
    )
    data = msgspec.json.encode(without_surrogates(msgspec.to_builtins(content)))
    return write_whole(file, msgspec.json.format(data, indent=2) + b"\n")
