"""The pytest plugin: `pytest --fencepost-bootstrap-server HOST:PORT` holds a broker against
Fencepost, one test for each clause.

Fencepost runs in a process of its own, so that none of its packages meets one of the tests'; this
package imports the standard library and pytest alone.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fencepost_pytest.runs import Runs

DEFAULT_SUBJECT = "fetch"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of Fencepost."""
    group = parser.getgroup("fencepost", "hold a Kafka broker against Fencepost")
    group.addoption(
        "--fencepost-bootstrap-server",
        metavar="HOST:PORT",
        help="The broker; without it, --fencepost takes what the fixture of that name gives.",
    )
    group.addoption(
        "--fencepost",
        action="store_true",
        help="Add its tests; your fixture fencepost_bootstrap_server gives the broker's address.",
    )
    group.addoption(
        "--fencepost-subject",
        action="append",
        metavar="NAME",
        help=f"What to test; repeatable (default {DEFAULT_SUBJECT}).",
    )
    group.addoption("--fencepost-scenarios", type=int, default=300, metavar="N")
    group.addoption("--fencepost-seed", type=int, default=1, metavar="N")
    group.addoption(
        "--fencepost-strict", action="store_true", help="A deviation fails its test too."
    )
    group.addoption(
        "--fencepost-options",
        default="",
        metavar="TEXT",
        help='More options of `fencepost run`, as "--facts facts.toml --findings mine.toml".',
    )
    group.addoption(
        "--fencepost-command",
        metavar="COMMAND",
        help="How Fencepost is called, as fencepost or uvx; by default that of this Python.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for each clause, and one for each run, where the options ask for it."""
    if config.getoption("--fencepost") or config.getoption("--fencepost-bootstrap-server"):
        items.extend(list(_items(session, items)))


@pytest.fixture(scope="session")
def fencepost_bootstrap_server(pytestconfig: pytest.Config) -> str:
    """The address of the broker, HOST:PORT; a fixture of yours with this name may start one."""
    address = pytestconfig.getoption("--fencepost-bootstrap-server")
    if not address:
        pytest.fail(
            "expected --fencepost-bootstrap-server HOST:PORT or a fixture of yours named "
            "fencepost_bootstrap_server, found neither; give one of them",
            pytrace=False,
        )
    return str(address)


@pytest.fixture(scope="session")
def fencepost_runs(
    fencepost_bootstrap_server: str,
    pytestconfig: pytest.Config,
    tmp_path_factory: pytest.TempPathFactory,
) -> Runs:
    """The runs of Fencepost on the broker, each done when its first test asks for it."""
    from fencepost_pytest.runs import Runs  # noqa: PLC0415  only where a broker is tested

    option = pytestconfig.getoption
    strict = ["--strict"] if option("--fencepost-strict") else []
    return Runs(
        _command(pytestconfig),
        (
            *("--bootstrap-server", fencepost_bootstrap_server),
            *("--scenarios", str(option("--fencepost-scenarios"))),
            *("--seed", str(option("--fencepost-seed"))),
            *("--no-report", "--no-corpus", *strict),
            *shlex.split(option("--fencepost-options")),
        ),
        tmp_path_factory.mktemp("fencepost"),
        strict=bool(strict),
    )


def _items(session: pytest.Session, items: list[pytest.Item]) -> Iterable[pytest.Item]:
    from fencepost_pytest.items import collect_tests  # noqa: PLC0415  only where a broker is tested

    config = session.config
    subjects = config.getoption("--fencepost-subject") or [DEFAULT_SUBJECT]
    return collect_tests(session, items, _command(config), tuple(dict.fromkeys(subjects)))


def _command(config: pytest.Config) -> tuple[str, ...]:
    from fencepost_pytest.runs import OWN_COMMAND  # noqa: PLC0415  only where a broker is tested

    given = config.getoption("--fencepost-command")
    return tuple(shlex.split(given)) if given else OWN_COMMAND
