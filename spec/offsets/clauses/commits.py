"""OffsetCommit and OffsetFetch: how long a commit's metadata may be, and what comes back."""

from collections.abc import Mapping

from spec.clause import Chapter, Code, Doc, Held, Reading, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import COORDINATOR_COMES_UP, Error, error_name
from spec.offsets.examples import EMPTY, commit, play_on
from spec.offsets.model import committed_offset, measure
from spec.offsets.outcomes import OffsetCommitAnswer, OffsetFetchAnswer
from spec.offsets.releases import MetadataUnit, OffsetSemantics
from spec.offsets.steps import Commit, OffsetCommit, OffsetFetch, Text
from spec.offsets.turn import Turn
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()
LIMIT = Doc("broker config offset.metadata.max.bytes")


def _error(turn: Turn, partition: int) -> int | None:
    """The error code of a partition's commit; None where it has none, or more than one, or where
    the broker is not the group's coordinator.
    """
    assert isinstance(turn.outcome, OffsetCommitAnswer)
    found = [error for number, error in turn.outcome.errors if number == partition]
    return found[0] if len(found) == 1 and found[0] not in COORDINATOR_COMES_UP else None


def _decided_commits(turn: Turn) -> list[tuple[Commit, int]]:
    """The commits of partitions that exist, each with its error code."""
    assert isinstance(turn.step, OffsetCommit)
    found = [
        (one, _error(turn, one.partition))
        for one in turn.step.commits
        if one.partition < len(turn.timelines)
    ]
    return [(one, error) for one, error in found if error is not None]


def _sides(one: Commit, limit: int) -> Side:
    """The side of the limit on which a commit's metadata lies whatever the limit counts."""
    if one.size <= limit:
        return side(one.size, limit)
    return Side.ABOVE if one.length > limit else Side.NONE


commits = chapter.under(
    lambda turn: (
        isinstance(turn.step, OffsetCommit) and isinstance(turn.outcome, OffsetCommitAnswer)
    )
)


@commits.clause(
    "OFF-050",
    Strength.MUST,
    LimitClass.SOFT,
    LIMIT,
    Doc("protocol guide, error code 12: the metadata field of the offset request was too large"),
    slug="offsets/commit/metadata",
    fence=Fence("the metadata", Unit.BYTES, "offset.metadata.max.bytes"),
)
def metadata_up_to_the_limit_is_taken(turn: Turn) -> Held | None:
    """A commit whose metadata has at most `offset.metadata.max.bytes` (4096) bytes in UTF-8 has no
    error; one whose metadata has more characters than that is refused with
    OFFSET_METADATA_TOO_LARGE; whatever becomes of other partitions in the same request.

    Between the two the unit decides (OFF-051). Partitions that do not exist, and errors of a
    coordinator that is not there yet, are left out.
    """
    if not turn.semantics.knows_metadata_max:
        return None
    limit = turn.semantics.metadata_max
    sides = Side.NONE
    for one, error in _decided_commits(turn):
        where = _sides(one, limit)
        expected = Error.OFFSET_METADATA_TOO_LARGE if where is Side.ABOVE else Error.NONE
        if where and error != expected:
            return breaks(
                where,
                f"partition {one.partition}, metadata of {one.size} bytes with a limit of {limit}: "
                f"expected {expected.name}, found {error_name(error)}",
                "taken" if where is Side.ABOVE else "refused",
            )
        sides |= where
    return holds(sides) if sides else None


@metadata_up_to_the_limit_is_taken.example("one byte below the limit, at it, and above it")
def _around() -> Scenario:
    return play_on(EMPTY, *[commit(length) for length in (4095, 4096, 4097)])


@commits.clause(
    "OFF-051",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("OffsetMetadataManager.java", "isMetadataInvalid"),
    LIMIT,
    slug="offsets/commit/metadata-unit",
    fence=Fence(
        "the metadata", Unit.CHARACTERS, "offset.metadata.max.bytes", "counted in units of UTF-16"
    ),
    readings=(
        Reading(
            "utf16",
            "The limit counts units of UTF-16, as Java's strings do.",
            decision_change(OffsetSemantics, metadata_unit=MetadataUnit.UTF16),
        ),
        Reading(
            "bytes",
            "The limit counts bytes of UTF-8, as its name says.",
            decision_change(OffsetSemantics, metadata_unit=MetadataUnit.BYTES),
        ),
        Reading(
            "characters",
            "The limit counts characters (code points).",
            decision_change(OffsetSemantics, metadata_unit=MetadataUnit.CHARACTERS),
        ),
    ),
)
def the_limit_counts_units_of_utf_16(turn: Turn) -> Held | None:
    """Metadata with characters outside of ASCII is refused with OFFSET_METADATA_TOO_LARGE if and
    only if it has more units of UTF-16 than `offset.metadata.max.bytes`: so many letters of two
    bytes each are taken, and half as many characters outside of the basic plane.

    A broker that counts bytes keeps its promise by the config's name, and refuses commits that
    clients in Java have made so far. Left out is what OFF-050 leaves out.
    """
    if not turn.semantics.knows_metadata_max:
        return None
    sides = Side.NONE
    for one, error in _decided_commits(turn):
        if one.text is Text.ASCII:
            continue
        where = side(one.units, turn.semantics.metadata_max)
        refused = error == Error.OFFSET_METADATA_TOO_LARGE
        if refused != (where is Side.ABOVE):
            return breaks(
                where,
                f"partition {one.partition}, metadata of {one.units} units: found "
                f"{error_name(error)}",
                "other unit",
            )
        sides |= where
    return holds(sides) if sides else None


@the_limit_counts_units_of_utf_16.fits
def _units(turn: Turn) -> Mapping[str, bool]:
    if not isinstance(turn.outcome, OffsetCommitAnswer) or not turn.semantics.knows_metadata_max:
        return {}
    limit = turn.semantics.metadata_max
    found = {unit.value: True for unit in MetadataUnit}
    differs = False
    for one, error in _decided_commits(turn):
        refused = error == Error.OFFSET_METADATA_TOO_LARGE
        larger = {unit: measure(one, unit) > limit for unit in MetadataUnit}
        differs |= len(set(larger.values())) > 1
        for unit, is_larger in larger.items():
            found[unit.value] &= refused == is_larger
    return found if differs else {}


@the_limit_counts_units_of_utf_16.example("letters of two bytes, and characters of two units")
def _letters() -> Scenario:
    sizes = ((4096, Text.ACCENTED), (4097, Text.ACCENTED), (2048, Text.ASTRAL), (2049, Text.ASTRAL))
    return play_on(EMPTY, *[commit(length, text) for length, text in sizes])


@commits.clause(
    "OFF-054",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, OffsetCommit: the response's partitions"),
    slug="offsets/commit/entries",
)
def each_commit_has_one_entry(turn: Turn) -> Held | None:
    """The answer to an OffsetCommit has exactly one entry for each partition that is committed, and
    no others.
    """
    assert isinstance(turn.step, OffsetCommit)
    assert isinstance(turn.outcome, OffsetCommitAnswer)
    wanted = sorted(one.partition for one in turn.step.commits)
    found = sorted(partition for partition, _ in turn.outcome.errors)
    if wanted == found:
        return holds()
    return fails(f"expected entries for {in_words(wanted)}, found {in_words(found)}", "entries")


@each_commit_has_one_entry.example("one partition")
def _one() -> Scenario:
    return play_on(EMPTY, commit(1))


fetches = chapter.under(
    lambda turn: (
        isinstance(turn.step, OffsetFetch)
        and isinstance(turn.outcome, OffsetFetchAnswer)
        and turn.outcome.error not in COORDINATOR_COMES_UP
    )
)


@fetches.clause(
    "OFF-052",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, OffsetFetch"),
    Doc("protocol guide, OffsetCommit"),
    slug="offsets/commit/comes-back",
)
def what_was_committed_comes_back(turn: Turn) -> Held | None:
    """OffsetFetch gives, of each partition that is asked for, the offset and the metadata of the
    last commit that was taken, and offset -1 without an error where none was. A commit that was
    refused changes nothing, also where others of the same request were taken. Answers of a
    coordinator that is not there yet are left out.
    """
    assert isinstance(turn.step, OffsetFetch)
    assert isinstance(turn.outcome, OffsetFetchAnswer)
    for partition in turn.step.partitions:
        found = [one for one in turn.outcome.committed if one.partition == partition]
        if any(one.error in COORDINATOR_COMES_UP for one in found):
            return None
        expected = committed_offset(turn.commits, partition)
        why = f"expected {in_words(expected)}, found {in_words(found)}"
        if len(found) != 1 or found[0].error or found[0].offset != expected.offset:
            return fails(why, "offset")
        if expected.offset is not None and found[0] != expected:
            return fails(why, "metadata")
    return holds()


@what_was_committed_comes_back.example("a commit is taken, the next one refused")
def _kept_example() -> Scenario:
    return play_on(EMPTY, commit(3), commit(5000), OffsetFetch((0,)))
