"""Planted faults of group configs that change while a share group is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.share.faults.fault import ShareFault, Timed
from spec.frozen import replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.share.model.state import State

VIOLATES, DEVIATES = Expected.VIOLATES, Expected.DEVIATES
LIMIT, LOCKS, DURATION, RENEWING, ISOLATION = (
    "share.delivery.count.limit",
    "share.partition.max.record.locks",
    "share.record.lock.duration.ms",
    "share.renew.acknowledge.enable",
    "share.isolation.level",
)


def _keep_config(key: str, keeps: Callable[[str | None, str | None], bool]) -> Timed:
    """The broker keeps some old values of a group config once share partitions are loaded."""

    def alter(before: State, after: State, _: float) -> State:
        old, new = dict(before.configs).get(key), dict(after.configs).get(key)
        if old == new or not any(one.loaded for one in before.partitions) or not keeps(old, new):
            return after
        configs = {name: value for name, value in after.configs if name != key}
        if old is not None:
            configs[key] = old
        return replace(after, configs=tuple(sorted(configs.items())))

    return alter


def _is_raised(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and int(old) < int(new)


def _is_lowered(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and int(old) > int(new)


FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "raised-delivery-limit-not-taken",
        "SHR-155",
        VIOLATES,
        "A higher delivery count limit of a group whose partitions are loaded does not count.",
        timed=_keep_config(LIMIT, _is_raised),
    ),
    ShareFault(
        "lowered-delivery-limit-not-taken",
        "SHR-128",
        VIOLATES,
        "A lower delivery count limit of a group whose partitions are loaded does not count.",
        timed=_keep_config(LIMIT, _is_lowered),
    ),
    ShareFault(
        "raised-lock-limit-not-taken",
        "SHR-155",
        VIOLATES,
        "A higher limit of record locks of a group whose partitions are loaded does not count.",
        timed=_keep_config(LOCKS, _is_raised),
    ),
    ShareFault(
        "lowered-lock-limit-not-taken",
        "SHR-112",
        VIOLATES,
        "A lower limit of record locks of a group whose partitions are loaded does not count.",
        timed=_keep_config(LOCKS, _is_lowered),
    ),
    ShareFault(
        "raised-lock-duration-not-taken",
        "SHR-402",
        VIOLATES,
        "A longer lock of a group whose partitions are loaded does not count.",
        timed=_keep_config(DURATION, _is_raised),
    ),
    ShareFault(
        "lowered-lock-duration-not-taken",
        "SHR-402",
        VIOLATES,
        "A shorter lock of a group whose partitions are loaded does not count.",
        timed=_keep_config(DURATION, _is_lowered),
    ),
    ShareFault(
        "renewing-stays-forbidden",
        "SHR-309",
        VIOLATES,
        "Renewing that is allowed later stays forbidden.",
        timed=_keep_config(RENEWING, lambda old, _: old == "false"),
    ),
    ShareFault(
        "renewing-stays-allowed",
        "SHR-404",
        VIOLATES,
        "Renewing that is forbidden later stays allowed.",
        timed=_keep_config(RENEWING, lambda old, _: old == "true"),
    ),
    ShareFault(
        "aborted-records-stay-filtered",
        "SHR-121",
        DEVIATES,
        "A group that reads uncommitted records later does not get aborted ones.",
        timed=_keep_config(ISOLATION, lambda old, _: old == "read_committed"),
    ),
    ShareFault(
        "aborted-records-stay-unfiltered",
        "SHR-425",
        DEVIATES,
        "A group that reads committed records later still gets aborted ones.",
        timed=_keep_config(ISOLATION, lambda old, _: old == "read_uncommitted"),
    ),
)
