"""Writes the published JSON Schemas again, after a change of the types that they come from."""

from conformance.smoke.found import Smoke
from results.export import PUBLISHED_SCHEMA, summary_schema
from results.schema_files import SMOKE_SCHEMA, SMOKE_TITLE, as_text, schema_of
from results.specification.schema import PUBLISHED, catalogue_schema


def main() -> None:
    PUBLISHED.write_text(as_text(catalogue_schema()), encoding="utf-8")
    PUBLISHED_SCHEMA.write_text(as_text(summary_schema()), encoding="utf-8")
    SMOKE_SCHEMA.write_text(as_text(schema_of(Smoke, SMOKE_TITLE)), encoding="utf-8")


if __name__ == "__main__":
    main()
