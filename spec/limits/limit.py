"""A limit: one boundary with its class, its value in each release, and what settles it."""

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction

from spec.frozen import frozen
from spec.limits.calculators import calculator
from spec.limits.config_table import VERSIONS
from spec.limits.configs import Config, ConfigScope, Range, configs, constants
from spec.limits.quantities import show_quantity
from spec.verdict import LimitClass


class EvidenceKind(StrEnum):
    """What decides whether the value that is stated is so."""

    JARS = "the release's jars define it"
    DESCRIBED = "DescribeConfigs of a running broker"
    CLAUSE = "a clause, on each run"
    PROBE = "a probe of a running broker or of its messages"
    AUDIT = "a rule of the audit of a data folder"
    CALCULATOR = "a calculator"

    __hash__ = str.__hash__


@frozen
class Evidence:
    """One way in which a limit is settled.

    Attributes:
        by: what settles it.
        name: of the config or constant, clause or calculator.
    """

    by: EvidenceKind
    name: str

    def __str__(self) -> str:
        """`a clause, on each run: FET-001`."""
        return f"{self.by}: {self.name}"


@frozen
class Value:
    """A limit in one release.

    Attributes:
        default: what holds where nothing is configured, numbers as whole numbers or fractions;
            None where there is no such value.
        bounds: what can be configured; None where nothing can.
        mode: how it is changed; empty where it can't be.
    """

    default: str | None
    bounds: Range | None = None
    mode: str = ""


@frozen
class Limit:
    """One boundary.

    Attributes:
        name: `topic/max.message.bytes`, or words with hyphens.
        limit_class: where it comes from.
        unit: of its value: a base unit, or the plural of what is counted.
        what: what it bounds, in a sentence.
        sources: where it is defined or promised.
        rows: the rows of the limits table that speak of it, as `table/row`.
        settled: what settles it.
        value: its value in a release; None where the release has no such limit.
        note: what a reader of that table should know besides.
    """

    name: str
    limit_class: LimitClass
    unit: str
    what: str
    sources: tuple[str, ...]
    rows: tuple[str, ...]
    settled: tuple[Evidence, ...]
    value: Callable[[str], Value | None]
    note: str = ""

    def as_text(self, version: str) -> str:
        """Its value in a release, as text with its unit."""
        value = self.value(version)
        if value is None:
            return f"not in {version}"
        if value.default is None:
            return "no value of its own"
        try:
            return show_quantity(Fraction(value.default), self.unit).strip()
        except ValueError:
            return value.default or '""'


def clauses_on(config: Config) -> tuple[str, ...]:
    """The clauses that hold a config's range and default, or that it can't be altered, against a
    broker.
    """
    if config.plane is ConfigScope.TOPIC:
        return ("LIM-060", "LIM-061", "LIM-062", "LIM-067") if config.numeric else ("LIM-067",)
    if config.plane is ConfigScope.BROKER and config.numeric:
        known = {"cluster-wide": ("LIM-061",), "read-only": ("LIM-063",)}
        return known.get(config.mode, ())
    return ()


def config_limit(
    key: str,
    unit: str,
    what: str,
    *rows: str,
    sources: tuple[str, ...],
    clauses: tuple[str, ...] = (),
    probes: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
    calculators: tuple[str, ...] = (),
    note: str = "",
) -> Limit:
    """A limit that is a config, by `plane/name`: SOFT, defined by the jars of each release; what
    a broker describes settles it too, and the clauses on configs of its plane.
    """
    described = () if key.startswith(("producer/", "consumer/")) else (EvidenceKind.DESCRIBED,)

    def value(version: str) -> Value | None:
        found = configs(version).get(key)
        return None if found is None else value_of(found)

    settled = tuple(Evidence(by, key) for by in (EvidenceKind.JARS, *described))
    newest = next((found for one in VERSIONS[::-1] if (found := configs(one).get(key))), None)
    clauses = (*clauses, *(() if newest is None else clauses_on(newest)))
    return Limit(
        key,
        LimitClass.SOFT,
        unit,
        what,
        sources,
        rows,
        (*settled, *_settlements(clauses, probes, rules, calculators)),
        value,
        note,
    )


def value_of(config: Config) -> Value:
    """The value that a config has where nothing is set, and what can be."""
    return Value(config.default, config.bounds if config.numeric else None, config.mode)


def hard_limit(
    name: str,
    value: int | str,
    unit: str,
    what: str,
    *rows: str,
    sources: tuple[str, ...],
    clauses: tuple[str, ...] = (),
    probes: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
    calculators: tuple[str, ...] = (),
    note: str = "",
) -> Limit:
    """A limit that is compiled in: a number, the same in all releases, or the name of a constant
    that the jars of each release have.
    """
    settled = () if isinstance(value, int) else (Evidence(EvidenceKind.JARS, value),)

    def found(version: str) -> Value | None:
        number = value if isinstance(value, int) else constants(version).get(value)
        return None if number is None else Value(str(number))

    return Limit(
        name,
        LimitClass.HARD,
        unit,
        what,
        sources,
        rows,
        (*settled, *_settlements(clauses, probes, rules, calculators)),
        found,
        note,
    )


def emergent_limit(
    name: str,
    what: str,
    *rows: str,
    sources: tuple[str, ...],
    clauses: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    note: str = "",
) -> Limit:
    """A limit that comes of resources: computed by the calculator of its name, with its defaults;
    `others` are calculators of parts of it.
    """
    found = calculator(name)
    assert found is not None, f"expected a calculator named {name}, found none"
    needed = any(one.default is None for one in found.quantities)

    def value(version: str) -> Value | None:
        del version
        return Value(None if needed else str(found({})))

    return Limit(
        name,
        LimitClass.EMERGENT,
        found.unit,
        what,
        sources,
        rows,
        _settlements(clauses, calculators=(name, *others)),
        value,
        note,
    )


def _settlements(
    clauses: tuple[str, ...],
    probes: tuple[str, ...] = (),
    rules: tuple[str, ...] = (),
    calculators: tuple[str, ...] = (),
) -> tuple[Evidence, ...]:
    named = (
        (EvidenceKind.CLAUSE, clauses),
        (EvidenceKind.PROBE, probes),
        (EvidenceKind.AUDIT, rules),
        (EvidenceKind.CALCULATOR, calculators),
    )
    return tuple([Evidence(by, name) for by, names in named for name in names])
