"""What is stored: an accepted batch as it was sent, and nothing of a refused one."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.produce.dry_run import REPAIRED
from spec.produce.examples import LOOK, alone, empty, pair, scenario
from spec.produce.outcomes import ReadBatch
from spec.produce.steps import Flaw, LookUpTime, Outgoing, Produce, UseTopic
from spec.produce.topic import TimestampType, TopicSettings
from spec.produce.turn import PossibleBatch, Reading, Turn, of_reading, of_search
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(of_reading)
searches: Chapter[Turn] = Chapter(of_search)

ACCEPTED = Doc("design documentation, message delivery semantics: a committed record is not lost")
REFUSED = Doc("protocol guide, Produce: a batch that is answered with an error was not written")


def _batches(seen: Reading) -> tuple[ReadBatch, ...]:
    return () if seen.read is None else seen.read.batches


def _certain(seen: Reading) -> tuple[PossibleBatch, ...]:
    """The accepted batches that all replicas in sync acknowledged; others may not be readable
    yet.
    """
    return tuple([one for one in seen.state.stored if one.acks == -1])


@chapter.clause(
    "PRO-052",
    Strength.MUST,
    LimitClass.HARD,
    REFUSED,
    slug="produce/stored/nothing-refused",
)
def nothing_refused_is_stored(turn: Turn) -> Held | None:
    """No record of a batch that was answered with an error is read back."""
    seen = turn.read_back
    if seen.read is None or seen.end is None or not seen.state.refused:
        return None
    found = [one.sent for one in seen.read.batches if one.sent in seen.state.refused]
    if not found:
        return holds()
    return fails(
        f"expected nothing of the refused batches, found that of step {found[0][0]}", "stored"
    )


@nothing_refused_is_stored.example("a wrong checksum, alone and beside a sound batch")
def _nothing() -> Scenario:
    return scenario(alone(flaw=Flaw.CRC), pair(Flaw.CRC), partitions=2)


@chapter.clause(
    "PRO-152",
    Strength.MUST,
    LimitClass.HARD,
    REFUSED,
    ACCEPTED,
    slug="produce/stored/end",
)
def the_end_is_that_of_what_is_stored(turn: Turn) -> Held | None:
    """The latest offset of a partition, by ListOffsets and as the high watermark of a Fetch, is the
    end of the last batch that was accepted with acks=-1, or more where further ones were accepted
    otherwise or not answered; it is never past all of these.
    """
    seen = turn.read_back
    if seen.end is None:
        return None
    least = max([seen.state.laid, *[_end_of(one) for one in _certain(seen)]])
    most = max(seen.state.possible_ends)
    if least <= seen.end <= most:
        return holds()
    why = f"expected {least if least == most else f'{least} to {most}'}, found {seen.end}"
    return fails(why, "behind" if seen.end < least else "past it")


@the_end_is_that_of_what_is_stored.example("two records are accepted and one is refused")
def _end() -> Scenario:
    return scenario(alone(200, 2), alone(flaw=Flaw.CRC))


@chapter.clause(
    "PRO-024",
    Strength.MUST,
    LimitClass.HARD,
    ACCEPTED,
    KIP(98, "Message Format"),
    slug="produce/stored/read-back",
)
def what_is_accepted_is_read_back(turn: Turn) -> Held | None:
    """A batch that was accepted is read back, if the high watermark is past it: a batch at the base
    offset that was answered, with the same records and as many offsets, unless all its records were
    deleted. Of a batch whose header
    does not agree with its records nothing is said.
    """
    seen = turn.read_back
    if seen.read is None or seen.end is None:
        return None
    by_base = {one.base: one for one in seen.read.batches}
    sound = [one for one in seen.state.stored if one.spans == {one.batch.records}]
    below = [one for one in sound if seen.state.start < _end_of(one) <= seen.end]
    for one in below:
        found = by_base.get(one.base) if one.base is not None else None
        batch = f"the batch of {one.batch.size} bytes that step {one.sent[0]} sent"
        if found is None:
            return fails(f"nothing at offset {in_words(one.base)}: expected {batch}", "missing")
        if found.sent != one.sent:
            return fails(f"expected the records of {batch}, found {found}", "other records")
        if (found.last - found.base + 1, found.records) != (one.batch.records,) * 2:
            return fails(f"expected the offsets of {batch}, found {found}", "other offsets")
    return holds() if below else None


@what_is_accepted_is_read_back.example("batches of one, two and three records")
def _read_back() -> Scenario:
    return scenario(*[alone(200, records) for records in (1, 2, 3)])


def _end_of(one: PossibleBatch) -> int:
    return (one.base or 0) + min(one.spans)


@chapter.clause(
    "PRO-068",
    Strength.MUST,
    LimitClass.HARD,
    Doc("design documentation, record batch: the checksum covers the attributes to the end"),
    slug="produce/stored/sound",
)
def what_is_read_is_sound(turn: Turn) -> Held | None:
    """Each batch that is read back has a right checksum."""
    batches = _batches(turn.read_back)
    if not batches:
        return None
    wrong = [one for one in batches if not one.sound]
    return fails(f"expected right checksums, found {wrong[0]}", "damaged") if wrong else holds()


@what_is_read_is_sound.example("a batch of two records")
def _sound() -> Scenario:
    return scenario(alone(200, 2))


@chapter.clause(
    "PRO-124",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("LogValidator.java", "138-602"),
    slug="produce/stored/byte-for-byte",
)
def what_is_stored_is_what_was_sent(turn: Turn) -> Held | None:
    """From its magic byte on, a batch is read back byte for byte as it was sent, if its topic has
    its producers' times and keeps its codec, and its header needs no repair: a leader changes the
    base offset and the leader epoch alone, which the checksum does not cover.
    """
    seen = turn.read_back
    known = {
        one.sent
        for one in seen.state.stored
        if one.topic.timestamp_type is TimestampType.CREATE
        and one.batch.flaw not in REPAIRED
        and not one.topic.encodes_again(one.batch.codec)
    }
    found = [one for one in _batches(seen) if one.sent in known]
    if not found:
        return None
    other = [one for one in found if not one.identical]
    return (
        fails(f"expected the bytes that were sent, found {other[0]}", "bytes") if other else holds()
    )


@what_is_stored_is_what_was_sent.example("a batch of two records")
def _identical() -> Scenario:
    return scenario(alone(200, 2))


@chapter.clause(
    "PRO-023",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("KafkaApis.scala", "396-450"),
    slug="produce/stored/named-twice",
)
def the_last_of_several_is_stored(turn: Turn) -> Held | None:
    """Of several batches for one partition of a request that was answered without an error, the
    last one is read back, at the offset that was answered, and no other.
    """
    seen = turn.read_back
    if seen.read is None or seen.end is None:
        return None
    named = [
        (some, base) for some, base in seen.state.named_twice if seen.state.start <= base < seen.end
    ]
    if not named:
        return None
    found = {one.sent: one.base for one in seen.read.batches}
    for some, base in named:
        *others, last = some
        if found.get(last) != base:
            where = in_words(found.get(last))
            return fails(f"expected the last batch at offset {base}, found {where}", "lost")
        if any(one in found for one in others):
            return fails("expected the last batch alone, found another one too", "more")
    return holds()


@the_last_of_several_is_stored.example("two batches for one partition")
def _named_twice() -> Scenario:
    return scenario(Produce((Outgoing(0, 200), Outgoing(0, 220, 2))), alone(200, 3))


@chapter.clause(
    "PRO-069",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaApis.scala", "396-450"),
    slug="produce/stored/without-acks",
)
def what_nobody_acknowledged_is_stored(turn: Turn) -> Held | None:
    """A sound batch of a request whose acks is 0 is read back."""
    seen = turn.read_back
    if seen.read is None or seen.end is None:
        return None
    expected = [one.sent for one in seen.state.maybe if not one.acks and one.expected]
    if not expected or seen.state.start:
        return None
    found = {one.sent for one in seen.read.batches}
    lost = [sent for sent in expected if sent not in found]
    return (
        fails(f"expected the batch of step {lost[0][0]}, found none", "lost") if lost else holds()
    )


@what_nobody_acknowledged_is_stored.example("acks=0, then acks=-1")
def _without_acks() -> Scenario:
    return scenario(alone(acks=0), alone(200, 2, Flaw.NONE))


@searches.clause(
    "PRO-190",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(32, "Proposed Changes: LogAppendTime is the time of all records of a batch"),
    KIP(734, "Public Interfaces"),
    slug="produce/stored/found-by-append-time",
    fence=Fence("the time that is asked for", Unit.MILLISECONDS, "the last log append time"),
)
def a_stamped_record_is_found_by_its_stamp(turn: Turn) -> Held | None:
    """On a topic with message.timestamp.type=LogAppendTime, each record has the log append time
    that was answered on its batch, whatever its producer sent: a lookup of a time gives the first
    record whose batch has that time or a later one, with the time of its batch, or nothing if all
    are earlier; a lookup of the largest timestamp gives a record of a batch that has it, with it.
    """
    assert turn.search is not None
    times, found = turn.search.times, turn.search.found
    if not times:
        return None
    asked = found.asked_ms
    if asked is None:
        largest = max([time for _, time in times])
        right = found.found_ms == largest and any(
            found.offset in offsets for offsets, time in times if time == largest
        )
        if right:
            return holds()
        return fails(f"expected the time {largest}, found {found}", "other largest")
    where = side(asked, times[-1][1])
    first = next(((offsets[0], time) for offsets, time in times if time >= asked), (None, None))
    if first == (found.offset, found.found_ms):
        return holds(where)
    stamps = in_words([time for _, time in times])
    expected = "nothing" if first[0] is None else f"offset {first[0]} with time {first[1]}"
    return breaks(where, f"time {asked} of {stamps}: expected {expected}, found {found}", "other")


@a_stamped_record_is_found_by_its_stamp.example(
    "the log append time, one more, and the largest of three records with times of their own"
)
def _stamped_example() -> Scenario:
    topic = UseTopic(TopicSettings(timestamp_type=TimestampType.APPEND))
    batch = Outgoing(0, 200, 3, times=(0, 50, 100))
    looks = (LookUpTime(0, 0), LookUpTime(0, 1), LookUpTime(0, -1), LookUpTime(0, None))
    return Scenario(empty(1), (topic, Produce((batch,)), *looks, *LOOK))
