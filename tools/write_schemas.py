"""Writes the published JSON Schemas again, after a change of the types that they come from."""

from results.export import PUBLISHED_SCHEMA, summary_schema
from results.schema_files import as_text
from results.specification.schema import PUBLISHED, catalogue_schema


def main() -> None:
    PUBLISHED.write_text(as_text(catalogue_schema()), encoding="utf-8")
    PUBLISHED_SCHEMA.write_text(as_text(summary_schema()), encoding="utf-8")


if __name__ == "__main__":
    main()
