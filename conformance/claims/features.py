"""What an implementation claims, by a features file: what it does not claim is unsupported, and
what it claims and lacks fails a run.
"""

from __future__ import annotations

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
_KEYS = ("claims", "lacks")


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
    """

    file: str = ""
    clauses: frozenset[str] = frozenset()
    apis: frozenset[str] = frozenset(APIS)

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
        """The verdicts, of which those on clauses that are not claimed are `unsupported`."""
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
        self, release: str, counted: Collection[str], offers: Callable[[str], bool]
    ) -> Iterator[MissingFeature]:
        """What is claimed of a release, asked for by the clauses that count, and not offered.

        Args:
            release: the release that the broker is judged as.
            counted: ids of the clauses that count.
            offers: whether the broker offers an API in some version known here.
        """
        if not self.file:
            return
        claimed, order = self.clauses.intersection(counted), list(RELEASES)
        for use in USES:
            wanted = claimed & (use.clauses | use.clauses_partly)
            is_due = order.index(use.since) <= order.index(release)
            if is_due and wanted and use.api in self.apis and not offers(use.api):
                yield MissingFeature(
                    use.api, self.lacking(use.api, "it is not advertised"), claimed & use.clauses
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
    """Read a features file: TOML with `claims`, by default all, and `lacks`, which counts more.

    Each is a list of subjects (`offsets`), groups of clauses (`offsets/commit`), ids of clauses and
    names of APIs (`OffsetCommit`). A clause is claimed where it is in the claims and every API that
    it can't be tried without is; where `claims` names APIs, it names all that there are.

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
    return Claims(path.name, found.difference(_clauses(lacking), *needed), has)


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
