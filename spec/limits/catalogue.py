"""All limits by name: those of the limits table, and every other config of a release."""

from spec.limits.calculators import CALCULATORS
from spec.limits.computed_limit import Calculator
from spec.limits.configs import Config, configs
from spec.limits.entries import LIMITS
from spec.limits.limit import Limit


class UnknownLimitError(ValueError):
    """A name of no limit, or of several."""


def find_limit(name: str, version: str) -> Limit | Config | Calculator:
    """The limit of a name: an entry of the catalogue, another config of a release, or a calculator
    that is not an entry. The plane before a config's name may be left out where only one plane has
    it.

    Raises:
        UnknownLimitError: there is none, or there are several.
        UnknownReleaseError: there is no table of the release.
    """
    found = _exact(name, version)
    if found is not None:
        return found
    keys = [key for key in _names(version) if key.partition("/")[2] == name]
    if len(keys) == 1:
        (only,) = keys
        found = _exact(only, version)
        assert found is not None
        return found
    similar = keys or [key for key in _names(version) if name.lower() in key]
    meant = f"; is it one of {', '.join(sorted(similar)[:12])}?" if similar else ""
    raise UnknownLimitError(
        f"expected the name of a limit of Kafka {version}, found {name!r}{meant}"
    )


def _exact(name: str, version: str) -> Limit | Config | Calculator | None:
    entry = next((limit for limit in LIMITS if limit.name == name), None)
    if entry is not None:
        return entry
    computed = next((one for one in CALCULATORS if one.name == name), None)
    return configs(version).get(name) if computed is None else computed


def _names(version: str) -> frozenset[str]:
    named = (*[limit.name for limit in LIMITS], *[one.name for one in CALCULATORS])
    return frozenset((*named, *configs(version)))
