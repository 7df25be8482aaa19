"""JSON Schemas as they are published, from the types that the files are written from."""

from typing import Any

import msgspec


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
