"""A clause: one checkable rule, with its text, its sources, its check and its worked example in one
place.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from spec.fence import Fence
from spec.frozen import frozen, replace
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Change
from spec.verdict import LimitClass, Side, Strength


@frozen
class KIP:
    """A Kafka improvement proposal, a promise."""

    number: int
    section: str = ""

    def __str__(self) -> str:
        """`KIP-74`, with the section where one is named."""
        return f"KIP-{self.number}" + (f" ({self.section})" if self.section else "")


@frozen
class Doc:
    """A sentence's worth of Kafka's documentation, a promise: a config's text or a page of the
    protocol guide.
    """

    where: str

    def __str__(self) -> str:
        """`documentation: <where>`."""
        return f"documentation: {self.where}"


@frozen
class Code:
    """Lines of Apache Kafka's source: what the reference does, not a promise."""

    file: str
    lines: str
    release: str = "4.3.1"

    def __str__(self) -> str:
        """`Kafka 4.3.1, LogSegment.java:431-459`."""
        return f"Kafka {self.release}, {self.file}:{self.lines}"


@frozen
class Report:
    """A public issue or change request that shows the rule at work: `KAFKA-9885`, or
    `owner/repository#number` of GitHub.
    """

    where: str

    def __str__(self) -> str:
        """`report: <where>`."""
        return f"report: {self.where}"


@frozen
class Draft:
    """A section of a draft proposal: a promise of what implements it, and of nothing else."""

    issue: str
    section: str

    def __str__(self) -> str:
        """`draft of KAFKA-19554 (section 3.1)`."""
        return f"draft of {self.issue} (section {self.section})"


Source = KIP | Doc | Code | Report | Draft


@frozen
class Held:
    """A clause's condition arose.

    Attributes:
        ok: the clause held.
        sides: on which sides of its fence; none where it has no fence.
        why: where it did not hold: expected against found.
        signature: a short name of the way it broke, free of numbers.
    """

    ok: bool
    sides: Side
    why: str = ""
    signature: str = ""


_CONFORMS = tuple([Held(ok=True, sides=Side(bits)) for bits in range(8)])


def holds(sides: Side = Side.NONE) -> Held:
    """The clause held, on these sides of its fence."""
    return _CONFORMS[sides]


def breaks(sides: Side, why: str, signature: str = "") -> Held:
    """The clause did not hold, on these sides of its fence."""
    return Held(ok=False, sides=sides, why=why, signature=signature)


def fails(why: str, signature: str = "") -> Held:
    """A clause without a fence did not hold."""
    return Held(ok=False, sides=Side.NONE, why=why, signature=signature)


T = TypeVar("T")
Check = Callable[[T], Held | None]
Condition = Callable[[T], bool]
Fits = Callable[[T], Mapping[str, bool]]
"""For each reading of a clause, whether what was seen fits it; empty where the readings do not
differ on it.
"""


Answers = Callable[[Scenario], Observation]
"""The model's answers to a scenario."""
Answered = Callable[[Scenario, Answers], Observation]
"""The answers to a scenario by a reading that the model does not follow."""


@frozen
class Reading:
    """One way to understand a clause's text.

    Attributes:
        name: `cut`.
        statement: the text as this reading takes it.
        way: the change of the semantics with which the model follows it; None where the model does
            not.
        answered: without a way, the answers to a worked example of the clause that the reading
            permits, made from those of the model; None where the model's own show the reading.
    """

    name: str
    statement: str
    way: Change | None = None
    answered: Answered | None = None


@frozen
class Example:
    """A clause's worked example; its outcome is computed by the model, never written down.

    Attributes:
        title: the example in a few words.
        make: makes its scenario.
    """

    title: str
    make: Callable[[], Scenario]

    @property
    def scenario(self) -> Scenario:
        """Layout and steps."""
        return self.make()


@frozen
class Clause(Generic[T]):
    """One checkable rule.

    Attributes:
        id: `FET-004`; a published id is never reused.
        slug: the same as words, subject first, `fetch/limit/first-batch`; it never changes either.
        statement: the rule in our words.
        explanation: why it is so, or what follows from it.
        strength: how much it binds.
        limit_class: where the limit comes from.
        since: first Kafka release it holds in.
        sources: where it is promised or done.
        fence: the value at which its outcome tips; None where there is no such value.
        when: the condition that its check takes for granted; None where it takes nothing for
            granted. Clauses that stand together share it, so that it is looked at once for them
            all.
        check: the relation over what was seen where `when` holds; None where the clause is
            excluded.
        excluded: why it can't be tested; empty where it can.
        readings: the ways its text can be understood, where there is more than one.
        fits: what an observation says of these readings; None where nothing does.
        aliases: other names of the same rule.
        timing_sensitive: its verdict depends on the clock.
        examples: worked examples.
    """

    id: str
    slug: str
    statement: str
    strength: Strength
    limit_class: LimitClass
    sources: tuple[Source, ...]
    fence: Fence | None = None
    since: str = "4.0"
    explanation: str = ""
    when: Condition[T] | None = None
    check: Check[T] | None = None
    excluded: str = ""
    readings: tuple[Reading, ...] = ()
    fits: Fits[T] | None = None
    aliases: tuple[str, ...] = ()
    timing_sensitive: bool = False
    examples: tuple[Example, ...] = ()

    @property
    def sides(self) -> Side:
        """The sides of its fence that can be met; none where it has no fence."""
        return Side.NONE if self.fence is None else self.fence.sides

    def judge(self, seen: T) -> Held | None:
        """Its verdict on an observation; None where its condition did not arise, or it is
        excluded.
        """
        return (
            None
            if self.check is None or (self.when is not None and not self.when(seen))
            else self.check(seen)
        )


class Chapter(Generic[T]):
    """The clauses of one module, in the order in which a break is diagnosed."""

    def __init__(
        self,
        when: Condition[T] | None = None,
        stated: str = "",
        *,
        timing_sensitive: bool = False,
    ) -> None:
        """Start an empty chapter, whose checks take `when` for granted.

        `stated` says that condition in words where the statements do not: the explanation of each
        clause ends with it. `timing_sensitive` is what the clauses are unless they say so.
        """
        self.when = when
        self.stated = stated
        self.timing_sensitive = timing_sensitive
        self.clauses: list[Clause[T]] = []

    def under(self, when: Condition[T], stated: str = "") -> "Chapter[T]":
        """The same chapter, for clauses that can arise under this condition only; their checks take
        it for granted, and their explanations end with it as it is `stated`.
        """
        section: Chapter[T] = Chapter(when, stated, timing_sensitive=self.timing_sensitive)
        section.clauses = self.clauses
        return section

    def clause(
        self,
        clause_id: str,
        strength: Strength,
        limit_class: LimitClass,
        *sources: Source,
        slug: str,
        fence: Fence | None = None,
        since: str = "4.0",
        readings: tuple[Reading, ...] = (),
        aliases: tuple[str, ...] = (),
        timing_sensitive: bool | None = None,
    ) -> "Callable[[Check[T]], Rule[T]]":
        """Register a check; the first paragraph of its docstring is the clause's statement, the
        rest its explanation. Its examples follow it, see `Rule`.
        """

        def register(check: Check[T]) -> Rule[T]:
            statement, _, explanation = (check.__doc__ or "").partition("\n\n")
            self.clauses.append(
                Clause(
                    id=clause_id,
                    slug=slug,
                    statement=" ".join(statement.split()),
                    explanation=" ".join([*explanation.split(), *self.stated.split()]),
                    strength=strength,
                    limit_class=limit_class,
                    sources=sources,
                    fence=fence,
                    since=since,
                    when=self.when,
                    check=check,
                    readings=readings,
                    aliases=aliases,
                    timing_sensitive=self.timing_sensitive
                    if timing_sensitive is None
                    else timing_sensitive,
                )
            )
            return Rule(self, clause_id, check)

        return register

    def exclude(
        self,
        clause_id: str,
        strength: Strength,
        limit_class: LimitClass,
        *sources: Source,
        slug: str,
        statement: str,
        reason: str,
    ) -> None:
        """Register a clause that can't be tested, with the reason."""
        self.clauses.append(
            Clause(
                id=clause_id,
                slug=slug,
                statement=statement,
                strength=strength,
                limit_class=limit_class,
                sources=sources,
                excluded=reason,
            )
        )

    def amend(self, clause_id: str, **more: Any) -> None:
        """Give a clause of this chapter other attributes."""
        number = [clause.id for clause in self.clauses].index(clause_id)
        self.clauses[number] = replace(self.clauses[number], **more)


class Rule(Generic[T]):
    """The check of a clause, under which the rest of the clause's block is registered: what is seen
    of its readings, and its worked examples.
    """

    def __init__(self, chapter: Chapter[T], clause_id: str, check: Check[T]) -> None:
        """Stand for a clause of this chapter."""
        self._chapter, self._id, self._check = chapter, clause_id, check

    def __call__(self, seen: T) -> Held | None:
        """The clause's verdict on an observation; None where its condition did not arise."""
        return self._check(seen)

    def fits(self, find: Fits[T]) -> Fits[T]:
        """Register what an observation says of the clause's readings."""
        self._chapter.amend(self._id, fits=find)
        return find

    def example(self, title: str) -> Callable[[Callable[[], Scenario]], Callable[[], Scenario]]:
        """Register a worked example. Its scenario is made when it is asked for."""

        def register(make: Callable[[], Scenario]) -> Callable[[], Scenario]:
            examples = next(one for one in self._chapter.clauses if one.id == self._id).examples
            self._chapter.amend(self._id, examples=(*examples, Example(title, make)))
            return make

        return register


def clauses_by_id(chapters: Iterable[Chapter[T]]) -> Mapping[str, Clause[T]]:
    """The clauses of these chapters by id, in the order in which a break is diagnosed."""
    found: dict[str, Clause[T]] = {}
    for chapter in chapters:
        for clause in chapter.clauses:
            assert clause.id not in found, f"{clause.id} is used twice"
            found[clause.id] = clause
    return found
