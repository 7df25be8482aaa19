"""JSON Schemas as they are published, from the types that the files are written from."""

from pathlib import Path
from typing import Any

import msgspec

SMOKE_SCHEMA = Path(__file__).parent / "smoke.schema.json"
"""The schema of `fencepost smoke --json` as it ships; a test holds it to the types."""
SMOKE_TITLE = "Fencepost look at a broker"


def schema_of(form: type, title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a form."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **msgspec.json.schema(form),
    }


def as_text(plain: Any) -> str:
    """JSON as it is published: indented by two, with a final line break."""
    return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"
