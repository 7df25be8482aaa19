"""Drawing and judging that tests share: what one seed draws from one strategy is the same for every
planted fault, and drawing takes most of the time in which a fault is found.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest

from conformance.engine import asking, player
from conformance.subjects.fetch import loop as fetch
from conformance.subjects.registry import RUNNERS
from tests.judged import judge_once
from tests.secured import SecuredCluster

_STRATEGIES: dict[Any, Any] = {}
"""By the function that makes it and its arguments."""
_DRAWN: dict[tuple[int, int, int], list[Any]] = {}
"""By the strategy's identity, the seed and the count; the strategies above stay alive."""


@pytest.fixture(scope="session")
def one_secured_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredCluster]:
    """One cluster of three brokers behind SASL, TLS and ACLs for all tests of this process."""
    cluster = SecuredCluster(tmp_path_factory.mktemp("secured"))
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def secured(one_secured_cluster: SecuredCluster) -> SecuredCluster:
    """The cluster with all its brokers, whatever an earlier test did to them."""
    one_secured_cluster.heal()
    return one_secured_cluster


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the loops of all subjects draw the same values, and judge the same observations, once in
    this process.
    """
    for runner in RUNNERS:
        loop = import_module(f"conformance.subjects.{runner.subject}.loop")
        for name, value in list(vars(loop).items()):
            if name.endswith(("_histories", "layouts")) and callable(value):
                monkeypatch.setattr(loop, name, _one_strategy(value))
    monkeypatch.setattr(player, "judge", judge_once)
    for module in (asking, fetch):
        monkeypatch.setattr(module, "collect", _drawn_once(module.collect))


def _one_strategy(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same strategy for the same arguments."""

    def made(*args: Any, **named: Any) -> Any:
        key = make, _hashable(args), _hashable(named)
        if key not in _STRATEGIES:
            _STRATEGIES[key] = make(*args, **named)
        return _STRATEGIES[key]

    return made


def _hashable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(sorted([(name, _hashable(one)) for name, one in value.items()]))
    return tuple([_hashable(one) for one in value]) if isinstance(value, tuple) else value


def _drawn_once(collect: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """What was drawn for a strategy of `_STRATEGIES` is not drawn again."""

    def drawn(strategy: Any, seed: int, count: int) -> list[Any]:
        if not any(strategy is one for one in _STRATEGIES.values()):
            return collect(strategy, seed, count)
        key = id(strategy), seed, count
        if key not in _DRAWN:
            _DRAWN[key] = collect(strategy, seed, count)
        return list(_DRAWN[key])

    return drawn
