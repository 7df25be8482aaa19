"""What an implementation claims, by a features file: what it does not claim is unsupported, and
what it claims and lacks fails a run.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.claims.scopes import close_to, scopes
from conformance.claims.uses import USES
from conformance.misuse import BadConfiguration
from conformance.toml_file import read_toml
from spec.catalogue import catalogue
from spec.frozen import frozen, replace
from spec.releases import RELEASES
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from spec.verdict import Verdict

NOT_CLAIMED = "not claimed"
"""The signature of a verdict on a clause that is not claimed."""
APIS = tuple([use.api for use in USES])
TRANSACTIONS = ("InitProducerId", "AddPartitionsToTxn", "EndTxn")
LOG_STARTS = ("DeleteRecords",)
_KEYS = ("claims", "lacks", "versions")
_VERSIONS = re.compile(r"(?:(\d{1,4})-)?(\d{1,4})", re.ASCII)


class FeaturesError(BadConfiguration):
    """A features file can't be understood: wrong use. The message names the file and the mend."""


@frozen
class MissingFeature:
    """Something that is claimed and is not there.

    Attributes:
        api: its name.
        reason: what was expected, what was found and what to do.
        clauses: ids of the clauses that can't be tried without it.
    """

    api: str
    reason: str
    clauses: frozenset[str]


@frozen
class Claims:
    """What an implementation claims.

    Attributes:
        file: the name of the features file; empty where there is none, so that nothing is claimed
            or denied.
        clauses: ids of the clauses that are claimed.
        apis: names of the APIs that are claimed.
        versions: the versions that are claimed of an API, by its name.
    """

    file: str = ""
    clauses: frozenset[str] = frozenset()
    apis: frozenset[str] = frozenset(APIS)
    versions: Mapping[str, range] = field(default_factory=dict)

    @property
    def unclaimed(self) -> str:
        """Why a clause that is not claimed is not judged."""
        return f"{self.file} does not claim it"

    def is_claimed(self, clause: str) -> bool:
        """Whether a clause is claimed: any that there is no features file for, or that stands for
        all.
        """
        return not self.file or clause in self.clauses or clause not in catalogue()

    def has(self, *apis: str) -> bool:
        """Whether all these APIs are claimed."""
        return self.apis.issuperset(apis)

    def weigh(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        """The same verdicts, but `unsupported` on clauses that are not claimed."""
        if not self.file:
            return verdicts
        return tuple(
            [
                one
                if self.is_claimed(one.clause)
                else replace(
                    one,
                    outcome=Outcome.UNSUPPORTED,
                    why=self.unclaimed,
                    signature=NOT_CLAIMED,
                    primary=False,
                )
                for one in verdicts
            ]
        )

    def lacks(
        self,
        release: str,
        counted: Collection[str],
        offers: Callable[[str], bool],
        advertised: Callable[[str], range],
    ) -> Iterator[MissingFeature]:
        """The features that are claimed, needed by clauses that count, and not offered, of those
        that the release has.

        Args:
            release: the release that the broker is judged as.
            counted: ids of the clauses that count.
            offers: whether the broker offers an API in some version known here.
            advertised: the versions of an API that it says to have.
        """
        if not self.file:
            return
        claimed, order = self.clauses.intersection(counted), list(RELEASES)
        for use in USES:
            wanted = claimed & (use.clauses | use.clauses_partly)
            is_due = order.index(use.since) <= order.index(release)
            if not (is_due and wanted and use.api in self.apis):
                continue
            if not offers(use.api):
                yield MissingFeature(
                    use.api, self.lacking(use.api, "it is not advertised"), claimed & use.clauses
                )
            elif missing := _outside(self.versions.get(use.api, range(0)), advertised(use.api)):
                yield MissingFeature(use.api, self._lacking_versions(use.api, missing), frozenset())

    def _lacking_versions(self, api: str, missing: str) -> str:
        """The message that versions of an API are claimed and lacking."""
        return (
            f"{self.file} claims versions of {api} that are not advertised: {missing}; mend the "
            "broker, or claim fewer under [versions]"
        )

    def lacking(self, api: str, found: str) -> str:
        """The message that an API is claimed and lacking."""
        return (
            f"{self.file} claims {api}, {found}; mend the broker, or say that it lacks it: "
            f'lacks = ["{api}"]'
        )


ANYTHING = Claims()
"""No features file: every clause is judged, and nothing has to be there."""


def read_features(path: Path) -> Claims:
    """Read a features file: TOML with `claims` (by default all), `lacks` (taken out of them), and
    `versions`, a table of the versions of APIs that are claimed (`Fetch = "4-17"`, or `"17"` for
    all up to it).

    The first two are lists of subjects (`offsets`), groups of clauses (`offsets/commit`), ids of
    clauses and names of APIs (`OffsetCommit`). A clause is claimed where it is in the claims and
    every API that it can't be tried without is; where `claims` names APIs, it names all that there
    are.

    Raises:
        FeaturesError: it can't be read, is no TOML, or names something unknown.
    """
    plain = read_toml(path, "features file", FeaturesError)
    for key in plain:
        if key not in _KEYS:
            raise FeaturesError(
                f"{path}: expected the keys {', '.join(_KEYS)}, found {key!r:.60}"
                f"{close_to(key, _KEYS)}; mend it or take it out"
            )
    claims = _names(path, "claims", plain.get("claims"))
    lacks = _names(path, "lacks", plain.get("lacks")) or ()
    if claims is not None and not claims:
        raise FeaturesError(
            f"{path}: expected some names in claims, found none; leave it out for all"
        )
    named, apis = _split_names(claims or ())
    lacking, lacking_apis = _split_names(lacks)
    found = _clauses(named) if named else frozenset(catalogue())
    has = (frozenset(apis) or frozenset(APIS)) - {*lacking_apis}
    needed = [use.clauses for use in USES if use.api not in has]
    versions = _versions(path, plain.get("versions", {}))
    return Claims(path.name, found.difference(_clauses(lacking), *needed), has, versions)


def _versions(path: Path, value: Any) -> dict[str, range]:
    """Read the table of versions.

    Raises:
        FeaturesError: it is none.
    """
    if not isinstance(value, dict):
        raise FeaturesError(
            f'{path}: expected a table [versions] with entries as Fetch = "4-17", found '
            f"{value!r:.60}; mend it"
        )
    found = {}
    for api, text in value.items():
        if api not in APIS:
            raise FeaturesError(
                f"{path}: expected in [versions] APIs that a run asks, found {api!r:.60}"
                f"{close_to(api, APIS)}; mend the name (`fencepost smoke` lists them)"
            )
        read = _VERSIONS.fullmatch(text) if isinstance(text, str) else None
        first, last = (int(read[1] or 0), int(read[2])) if read else (0, 0)
        if read is None or first > last:
            raise FeaturesError(
                f'{path}: expected the first and the last version of {api}, as in {api} = "4-17", '
                f"found {text!r:.60}; mend it"
            )
        found[api] = range(first, last + 1)
    return found


def _outside(claimed: range, advertised: range) -> str:
    """The claimed versions that are not advertised, as spans; empty where all are."""
    below = range(claimed.start, min(claimed.stop, advertised.start))
    above = range(max(claimed.start, advertised.stop), claimed.stop)
    return ", ".join(
        [
            f"v{some[0]}" if len(some) == 1 else f"v{some[0]} to v{some[-1]}"
            for some in (below, above)
            if some
        ]
    )


def _names(path: Path, key: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise FeaturesError(
            f'{path}: expected a list of names for {key}, as in {key} = ["offsets/commit"], found '
            f"{value!r:.60}; mend it"
        )
    known = [*scopes(), *APIS]
    for name in value:
        if name not in known:
            raise FeaturesError(
                f"{path}: expected in {key} subjects, groups of clauses, ids of clauses or APIs "
                f"that a run asks, found {name!r:.60}{close_to(name, known)}; mend the name "
                "(`fencepost spec` lists the clauses, `fencepost smoke` the APIs)"
            )
    return tuple(value)


def _split_names(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names of clauses, and those of APIs."""
    found = list(names)
    return [one for one in found if one not in APIS], [one for one in found if one in APIS]


def _clauses(names: Iterable[str]) -> frozenset[str]:
    by_name: Mapping[str, frozenset[str]] = scopes()
    return frozenset().union(*[by_name[name] for name in names])
