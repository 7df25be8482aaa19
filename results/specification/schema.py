"""The JSON Schema of `fencepost spec --json`, as it is shipped."""

from pathlib import Path
from typing import Any

from results.schema_files import schema_of
from results.specification.form import Catalogue

PUBLISHED = Path(__file__).parent / "catalogue.schema.json"
"""The published file; a test holds it to the types."""


def catalogue_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the published catalogue."""
    return schema_of(Catalogue, "Fencepost catalogue")
