"""The drafts that there are: found, never named.

The module `draft` of each package that `spec.draft_packages` finds has the object `DRAFT`, a
`spec.draft.Draft`. With its folder gone a draft is gone, and nothing else changes.
"""

from functools import cache
from importlib import import_module

from spec.draft import Draft, Drafted
from spec.draft_packages import draft_packages
from spec.frozen import frozen


@frozen
class DraftPackage:
    """A draft's package.

    Attributes:
        package: its full name, from which its modules are imported.
        draft: its object; None where it can't be used.
        problem: why not, with what was expected; empty where it can.
    """

    package: str
    draft: Draft | None = None
    problem: str = ""


class UnknownDraftError(LookupError):
    """No draft has that name, or it can't be used."""


@cache
def packages() -> tuple[DraftPackage, ...]:
    """The package of every draft, those of the package `drafts` first, each kind by name."""
    return tuple([load_draft(name) for name in draft_packages()])


@cache
def drafts() -> tuple[Draft, ...]:
    """Every draft that can be used; of two with one name the first."""
    found: dict[str, Draft] = {}
    for one in packages():
        if one.draft is not None:
            found.setdefault(one.draft.name, one.draft)
    return tuple(found.values())


def draft_named(name: str) -> Draft:
    """The draft of this name.

    Raises:
        UnknownDraftError: there is none, or its package can't be used; the message says which there
        are.
    """
    for draft in drafts():
        if draft.name == name:
            return draft
    broken = "".join(
        [f"; {one.package} can't be used: {one.problem}" for one in packages() if one.draft is None]
    )
    known = ", ".join(draft.name for draft in drafts()) or "none, as the package `drafts` has none"
    raise UnknownDraftError(f"expected one of the drafts {known}, found {name!r}{broken}")


def parse_drafted(text: str) -> Drafted:
    """The draft and the profile that `max-records:stop=before` names; without a profile, the
    default one.

    Raises:
        UnknownDraftError: as for `draft_named`.
        BadProfileError: the profile answers no question of that draft.
    """
    name, _, profile = text.partition(":")
    draft = draft_named(name)
    return Drafted(draft, draft.questions.parse(profile))


def draft_of(subject: str) -> Draft | None:
    """The draft whose scenarios are of this subject; None for a subject of released brokers."""
    return next((draft for draft in drafts() if draft.subject.name == subject), None)


@cache
def draft_with(field: str) -> Draft | None:
    """The draft that adds this field; None where none does."""
    return next((draft for draft in drafts() if field in draft.fields), None)


def load_draft(package: str) -> DraftPackage:
    """Load the package of a draft; what is wrong with it is said, not raised."""
    try:
        made = import_module(f"{package}.draft").DRAFT
    except Exception as failed:  # noqa: BLE001  another's code
        return DraftPackage(
            package,
            problem=f"its module `draft` can't be loaded: {type(failed).__name__}: {failed}",
        )
    if not isinstance(made, Draft):
        return DraftPackage(
            package,
            problem=f"expected its `draft.DRAFT` to be a Draft, found a {type(made).__name__}",
        )
    return DraftPackage(package, made)
