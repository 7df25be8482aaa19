"""Scenarios with state: fetch sessions and waits. And the record of what a history has tried, read
from its steps alone.
"""

from generators.fetch.question_context import reads_older_segment
from generators.fetch.relations import side_name
from generators.fetch.session_histories import session_histories
from generators.fetch.session_track import ABOVE, ACCEPTED, BELOW, KINDS, Track
from generators.fetch.waiting_histories import awaits_data, waiting_histories
from spec.fetch.steps import Fetch
from spec.frozen import replace
from spec.kafka import LEADER_EPOCH_SINCE
from spec.layout import Layout
from spec.log import bytes_of, log_of
from spec.scenario import Scenario
from spec.steps import Append

__all__ = ["all_history_relations", "history_relations", "session_histories", "waiting_histories"]

TIGHT = 100
"""A request limit up to which one batch of a history's layout is all that is served."""

PARAMETERS = ("offset", "max_bytes", "leader_epoch")
KEPT = tuple([f"{name}-{way}" for name in PARAMETERS for way in ("raised", "lowered")])
"""Changes of a partition's parameters in a session, which the next request does not name."""


def all_history_relations() -> frozenset[str]:
    """Every relation that a history can have."""
    return frozenset(
        [
            *[f"session={kind}" for kind in KINDS],
            *[f"session_names={what}" for what in ("nothing", "some", "all")],
            *[f"session_adds={what}" for what in ("known", "unknown")],
            *[f"session_forgets={what}" for what in ("one", "all", "absent", "updated")],
            *[f"session_moves={where}" for where in ("forward", "back", "end", "out-of-range")],
            *[f"session_size={count}" for count in ("one", "two", "more")],
            "session=closed-then-used",
            "session_limit=changed",
            *[f"session_keeps={one}" for one in KEPT],
            "session_rotation=tight",
            "session_repeats=frozen",
            "between=append",
            "between=delete_records",
            *[f"append_fills={where}" for where in ("below", "at", "above")],
            "append_fills=nothing",
            "wait=long",
            "wait=short",
            "wait=in-session",
            "wait=older-segment",
            "wait=elsewhere",
            "wait=partition-limited",
            "wait=lowered",
            "wait=unstable",
            "wait=unknown-beside",
            "wait=repeated",
            "wait=repeated-in-session",
            "wait=followed-in-session",
        ]
    )


def history_relations(scenario: Scenario) -> tuple[str, ...]:
    """The relations of a history, each once, sorted."""
    found: set[str] = set()
    track = Track()
    ends = [log_of(partition).end for partition in scenario.layout.partitions]
    used, changed = False, frozenset[str]()
    for number, step in enumerate(scenario.steps):
        if isinstance(step, Fetch):
            found |= _request(track, step, ends)
            if track.kind(step) == ACCEPTED and not step.partitions:
                found |= {f"session_keeps={one}" for one in changed}
            changed = _changed_parameters(track, step)
            if awaits_data(step):
                found |= _wait(scenario, number, step, track)
            before = track.kind(step)
            if used and not track.alive and before not in {"full", "sessionless"}:
                found.add("session=closed-then-used")
            track.send(step)
            used = used or step.epoch == 0
        else:
            if step.actor == 0:
                found.add(
                    "between=append" if isinstance(step, Append) else "between=delete_records"
                )
            if isinstance(step, Append):
                ends[step.partition] += step.batch.records
    return tuple(sorted(found))


def _request(track: Track, fetch: Fetch, ends: list[int]) -> set[str]:
    """The kind of a request in its session, and the changes that it makes."""
    kind = track.kind(fetch)
    if fetch.epoch < 0 and fetch.session == 0:
        return {f"session={kind}"} if track.alive else set()
    found = {f"session={kind}"}
    if kind not in {ACCEPTED, BELOW, ABOVE}:
        return found
    names = {ask.partition for ask in fetch.partitions}
    held = set(track.partitions)
    found.add(
        "session_names=nothing"
        if not names
        else "session_names=all"
        if names >= held
        else "session_names=some"
    )
    if kind != ACCEPTED:
        return found
    found.add(f"session_size={('one', 'one', 'two')[len(held)] if len(held) < 3 else 'more'}")
    if not names and not fetch.forgotten:
        found.add("session_repeats=frozen")
    if len(held) > 1 and fetch.max_bytes <= TIGHT:
        found.add("session_rotation=tight")
    return found | _changes(track, fetch, ends) | _forgets(held, fetch)


def _changed_parameters(track: Track, fetch: Fetch) -> frozenset[str]:
    """The parameters of `KEPT` that an accepted request changes in its session."""
    if track.kind(fetch) != ACCEPTED:
        return frozenset()
    found = []
    for ask in fetch.partitions:
        before = track.partitions.get(ask.partition)
        for name in PARAMETERS if before is not None else ():
            was, now = (getattr(one, name) for one in (before, ask))
            if name == "leader_epoch" and fetch.version < LEADER_EPOCH_SINCE:
                continue
            if was is not None and now is not None and was != now:
                found.append(f"{name}-{'raised' if now > was else 'lowered'}")
    return frozenset(found)


def _changes(track: Track, fetch: Fetch, ends: list[int]) -> set[str]:
    found = set()
    for ask in fetch.partitions:
        before = track.partitions.get(ask.partition)
        end = ends[ask.partition] if ask.partition < len(ends) else None
        if before is None:
            found.add("session_adds=unknown" if end is None else "session_adds=known")
            continue
        if ask.max_bytes != before.max_bytes:
            found.add("session_limit=changed")
        if end is not None and ask.offset > end:
            found.add("session_moves=out-of-range")
        elif ask.offset > before.offset:
            found.add("session_moves=end" if ask.offset == end else "session_moves=forward")
        elif ask.offset < before.offset:
            found.add("session_moves=back")
    return found


def _forgets(held: set[int], fetch: Fetch) -> set[str]:
    forgotten = set(fetch.forgotten)
    if not forgotten:
        return set()
    found = {
        "session_forgets=all"
        if forgotten >= held
        else "session_forgets=one"
        if forgotten & held
        else "session_forgets=absent"
    }
    if forgotten & {ask.partition for ask in fetch.partitions}:
        found.add("session_forgets=updated")
    return found


def _wait(scenario: Scenario, number: int, fetch: Fetch, track: Track) -> set[str]:
    """The purpose of a wait, and what the appends from other connections add."""
    found = {"wait=long" if fetch.max_wait_ms > 1000 else "wait=short"}
    asks = fetch.partitions
    if fetch.epoch > 0:
        asks = asks or tuple(track.partitions.values())
    others = [
        replace(other, actor=fetch.actor, after_ms=fetch.after_ms)
        for other in scenario.steps
        if isinstance(other, Fetch) and other.actor != fetch.actor and awaits_data(other)
    ]
    if fetch.epoch > 0:
        beside = "wait=repeated-in-session" if fetch in others else "wait=followed-in-session"
        found.add(beside if others else "wait=in-session")
    elif fetch in others:
        found.add("wait=repeated")
    layout = scenario.layout
    known = [ask for ask in asks if ask.partition < len(layout.partitions)]
    if len(known) < len(asks):
        found.add("wait=unknown-beside")
    appends = [
        step
        for step in scenario.steps[number + 1 :]
        if isinstance(step, Append) and step.actor != fetch.actor
    ]
    here = {ask.partition: ask for ask in known}
    if any(step.partition not in here for step in appends):
        found.add("wait=elsewhere")
    available = sum(
        [
            bytes_of(log_of(layout.partitions[ask.partition]).readable(ask.offset, fetch.isolation))
            for ask in known
        ]
    )
    brought = sum([step.batch.size for step in appends if step.partition in here])
    if any(_open(layout, step.partition, fetch.isolation) for step in appends):
        found.add("wait=unstable")
        brought = 0
    if fetch.max_bytes < fetch.min_bytes:
        found.add("wait=lowered")
    if any(ask.max_bytes < fetch.min_bytes for ask in known):
        found.add("wait=partition-limited")
    if any(
        reads_older_segment(log_of(layout.partitions[ask.partition]), ask.offset, fetch.isolation)
        for ask in known
    ):
        found.add("wait=older-segment")
    wanted = min(fetch.min_bytes, fetch.max_bytes)
    found.add(
        f"append_fills={side_name(available + brought, wanted)}"
        if brought
        else "append_fills=nothing"
    )
    return found


def _open(layout: Layout, partition: int, isolation: int) -> bool:
    log = log_of(layout.partitions[partition])
    return log.bound(isolation) < log.end
