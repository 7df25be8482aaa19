"""What tests of several rooms need: one Spark for all, a Docker daemon, and a browser, and what
Hypothesis draws from.
"""

import os
import signal
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from conformance.systems import container
from results.spark.session import spark_session
from tests.browser import NAMES, Page, browser_page, find_browser
from tests.plain_words import BROKEN_TEXTS
from tests.within import GUARD

WITHOUT_A_CLOCK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A test on a busy machine may take its time."""
settings.register_profile("fixed", WITHOUT_A_CLOCK, derandomize=True)
settings.register_profile("random", WITHOUT_A_CLOCK, derandomize=False)

BROKEN_TEXTS.watch()

LATER = ("broker", "container", "spark", "slow", "system", "campaign")
"""The marks of tests that the quick tier leaves out; CONTRIBUTING.md has the tiers."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `quick` what needs nothing but this process and little time."""
    for item in items:
        if not any(item.get_closest_marker(name) for name in LATER):
            item.add_marker("quick")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keep what a quick test asks of fixtures within pytest's own process."""
    with GUARD.watch(is_on=item.get_closest_marker("quick") is not None):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keep a quick test within pytest's own process."""
    with GUARD.watch(is_on=item.get_closest_marker("quick") is not None):
        return (yield)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """A command called within a test leaves no handler of signals of its own behind: the next
    signal is meant for pytest.
    """
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _breaks_in_plain_words() -> Iterator[None]:
    """No break that a test judges, on purpose or not, is put in a form of Python."""
    BROKEN_TEXTS.found.clear()
    yield
    assert BROKEN_TEXTS.found == []


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark for all tests; `report` uses it too, since it is the process's active session."""
    with spark_session(master="local[2]", memory="700m") as session:
        yield session


@pytest.fixture
def daemon() -> Iterator[Any]:
    """A client of the Docker daemon. Without one a test fails when FENCEPOST_DOCKER=1 is set, and
    is skipped otherwise.
    """
    problem = container.daemon_problem()
    if problem:
        if os.environ.get("FENCEPOST_DOCKER") == "1":
            pytest.fail(f"FENCEPOST_DOCKER=1 promises a daemon: {problem}")
        pytest.skip(problem)
    client = container._docker_client()
    yield client
    client.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A tab of a headless Chromium. Without one a test fails when FENCEPOST_BROWSER=1 is set, and
    is skipped otherwise.
    """
    executable = find_browser()
    if executable is None:
        problem = f"expected a Chromium on PATH as {' or '.join(NAMES)}, found none; install one"
        if os.environ.get("FENCEPOST_BROWSER") == "1":
            pytest.fail(f"FENCEPOST_BROWSER=1 promises a browser: {problem}")
        pytest.skip(problem)
    with browser_page(executable, tmp_path_factory.mktemp("browser")) as page:
        yield page
