"""The schema by which Spark reads an event log knows what every event must have."""

import re
from dataclasses import MISSING, fields
from typing import get_args

from results.schema import LINE
from spec.events import Event
from tools.write_tables_page import PAGE, page


def test_every_field_that_an_event_must_have_is_a_column() -> None:
    columns = set(re.findall(r"\b([a-z_]+) [A-Z]", LINE))
    missing = {
        f"{event.__name__}.{field.name}"
        for event in get_args(Event)
        for field in fields(event)
        if field.default is MISSING and field.default_factory is MISSING
        if field.name not in columns
    }
    assert not missing


def test_the_page_of_the_tables_has_every_column() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.write_tables_page"
