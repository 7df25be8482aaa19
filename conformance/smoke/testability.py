"""What the APIs and the trials of a broker mean for a run: which subjects and clauses it tries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.claims.scopes import clauses_in
from conformance.claims.uses import AFTER_RESTARTS, FROM_FILES, ON_LOGS, PLACED_FILES, USES, Use
from conformance.facts import (
    FETCH_MAX_BYTES,
    MORE_LIMITS,
    SESSION_SLOTS,
    SHARE_FETCH_API,
    SHARE_LIMITS,
)
from conformance.smoke.found import Api, Limit, Subject
from conformance.systems.base import CanPlaceFiles, CanRestart, ShowsItsData
from spec.groups.releases import CLASSIC_LIMIT, CONSUMER_LIMIT, INITIAL_DELAY, SHARE_LIMIT
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from conformance.engine.runner import Runner
    from conformance.smoke.found import Trial
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from conformance.wire.negotiation import ApiVersions
    from spec.semantics import Semantics

CAN_BE_LAID = "a topic is made, written and read"
"""The trial without which no subject on logs runs."""


def apis_of(versions: ApiVersions, codec: Codec) -> tuple[Api, ...]:
    """Each API that a run asks, as the broker advertises it."""
    keys = codec.api_keys
    return tuple([_api(use, keys[use.api], versions, codec) for use in USES])


def _api(use: Use, key: int, versions: ApiVersions, codec: Codec) -> Api:
    known = codec.versions(use.api)
    return Api(
        use.api,
        use.purpose,
        versions.ranges.get(key),
        (known.start, known.stop - 1),
        bool(versions.usable(codec, use.api)),
        use.scopes,
        use.partly,
    )


def limits_of(shown: Mapping[str, int], *, share_groups: bool) -> tuple[Limit, ...]:
    """The limits that the model needs, with the cost of each that is not reported."""
    needed = "a run asks for it in a facts file: --facts"
    of_share = "a run on share groups asks for it in a facts file: --facts"
    unneeded = "no clause is judged by it"
    unjudged = "what a broker does at it is not judged, unless a facts file gives it: --facts"
    unasked = "groups of that kind are not asked about, unless a facts file gives it: --facts"
    groups = (
        CLASSIC_LIMIT,
        INITIAL_DELAY,
        CONSUMER_LIMIT,
        *([SHARE_LIMIT] if share_groups else []),
    )
    costs = {
        FETCH_MAX_BYTES: needed,
        SESSION_SLOTS: unneeded,
        **(dict.fromkeys(SHARE_LIMITS, of_share) if share_groups else {}),
        **dict.fromkeys(MORE_LIMITS, unjudged),
        **dict.fromkeys(groups, unasked),
    }
    return tuple(
        [
            Limit(name, shown.get(name), "" if name in shown else cost)
            for name, cost in costs.items()
        ]
    )


def has_share_groups(versions: ApiVersions) -> bool:
    """Whether the broker advertises ShareFetch."""
    return SHARE_FETCH_API in versions.ranges


def subjects_of(
    runners: Iterable[Runner[Any]],
    system: BrokerSystem,
    semantics: Semantics,
    apis: Collection[Api],
    trials: Collection[Trial],
    brokers: int = 1,
) -> Iterator[Subject]:
    """What a run would try of each subject on the broker, one of so many in its cluster, which is
    judged by these decisions.
    """
    unseen = () if isinstance(system, ShowsItsData) else FROM_FILES
    unplaced = () if isinstance(system, CanPlaceFiles) else PLACED_FILES
    in_files = clauses_in((*unseen, *unplaced))
    restarts = isinstance(system, CanRestart)
    unasked = in_files | (frozenset() if restarts else frozenset(AFTER_RESTARTS))
    absent = {api.name: clauses_in(api.without) for api in apis if not api.usable}
    unlaid = next((one for one in trials if one.name == CAN_BE_LAID and not one.ok), None)
    for runner in runners:
        required = requirement_set(runner.subject, semantics.release)
        counted = frozenset(required.clauses)
        costs = {api: counted & clauses for api, clauses in absent.items()}
        missing = (unasked & counted).union(*costs.values())
        why = runner.missing(system) or runner.unfit(semantics, brokers, restarts=restarts)
        if not why and missing == counted:
            whole = [api for api, clauses in costs.items() if clauses == counted]
            lacking = whole or [api for api, clauses in costs.items() if clauses]
            why = f"the broker does not advertise {', '.join(lacking)}"
        if not why and unlaid is not None and runner.subject in ON_LOGS:
            why = unlaid.why
        if why:
            missing = counted
        yield Subject(
            runner.subject,
            not why,
            required.name,
            len(counted),
            len(counted - missing),
            why,
            tuple(sorted(missing)),
            tuple(sorted(in_files & counted)),
        )
