from collections.abc import Iterator
from typing import Any

import pytest

from results.spark.session import spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark for all tests; `report` uses it too, since it is the process's active session."""
    with spark_session(master="local[2]", memory="700m") as session:
        yield session
