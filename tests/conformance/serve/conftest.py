"""A served model for the tests of this folder."""

from collections.abc import Iterator

import pytest

from conformance.systems.model import Model


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with Model() as served:
        yield served


@pytest.fixture(scope="module")
def address(model: Model) -> str:
    host, port = model.address
    return f"{host}:{port}"
