"""The JSON Schema of `fencepost spec --json`, as it is shipped."""

from pathlib import Path
from typing import Any

import msgspec

from results.specification.form import Catalogue

PUBLISHED = Path(__file__).parent / "catalogue.schema.json"
"""The published file; a test holds it to the types."""


def catalogue_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the published catalogue."""
    made = msgspec.json.schema(Catalogue)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Fencepost catalogue",
        **made,
    }


def as_text(plain: Any) -> str:
    """JSON as it is published: indented by two, with a final line break."""
    return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
