"""Histories of a share group: two members fetch around the ends of batches, acknowledge parts, give
back, close and return.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.share.actions import (
    RELEASE,
    act,
    confirm,
    confirm_mistakenly,
    fetch,
    fetch_sized,
)
from generators.share.layouts import share_layouts
from generators.share.script import BIT, FEW, READ_COMMITTED, SOME, ShareScript
from spec.layout import Layout
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.dry_run import SharePlay
from spec.share.model.settings import settings_of
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    FINAL_EPOCH,
    RENEW_SINCE,
    AcknowledgementBatch,
    AcknowledgeType,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)

if TYPE_CHECKING:
    from spec.steps import Step

FEW_LOCKS = (("group.share.partition.max.record.locks", str(FEW)),)
"""The broker's config under which a history of long batches meets that limit."""
SHORT_LOCK_MS = 1000
SHORT_LOCKS = (
    ("group.share.min.record.lock.duration.ms", str(SHORT_LOCK_MS)),
    ("group.share.record.lock.duration.ms", str(SHORT_LOCK_MS)),
)
"""The broker's configs under which locks run out soon."""
HALF_MS = SHORT_LOCK_MS // 2
BETWEEN_MS = 700
"""After this long a lock of `SHORT_LOCK_MS` still holds. One that is half over is at its end, and a
new one that began then is not.
"""
OVER_MS = 4000
"""After this long a lock of `SHORT_LOCK_MS` has surely been noticed to have run out."""


def _begun(
    draw: st.DrawFn,
    semantics: Semantics,
    layout: Layout,
    config: tuple[tuple[str, str], ...],
    start: int,
) -> ShareScript:
    """A history whose group begins at this offset of each partition, in the newest version of the
    requests or the oldest.
    """
    share = semantics.of(ShareSemantics)
    version = share.newest_fetch if draw(SOME) < 10 else share.oldest_fetch
    empty = Scenario(layout, (), config, subject="share")
    script = ShareScript(draw, SharePlay(empty, semantics), version, draw(BIT))
    script.add(
        AlterShareGroupOffsets(tuple([(number, start) for number in range(len(layout.partitions))]))
    )
    return script


@st.composite
def _histories(
    draw: st.DrawFn, semantics: Semantics, config: tuple[tuple[str, str], ...]
) -> Scenario:
    kind = draw(SOME)
    words = semantics.of(ShareSemantics).group_words
    committed = kind > 10 and "share.isolation.level" in words
    few = settings_of(semantics.of(ShareSemantics), dict(config), {}).max_record_locks <= FEW
    layout = draw(share_layouts(transactions=committed or kind == 10, long=few and draw(BIT) > 0))
    script = _begun(
        draw,
        semantics,
        layout,
        config,
        (0, 2, 6)[draw(SOME) % 3] if kind > 6 and not committed else 0,
    )
    if committed:
        script.add(AlterGroupConfig((READ_COMMITTED,)))
    elif kind == 9:
        script.add(AlterGroupConfig((_config(script, semantics),)))
    (fetch_sized if draw(SOME) > 8 else fetch)(script)
    act(script)
    return script.scenario()


def _config(script: ShareScript, semantics: Semantics) -> tuple[str, str]:
    """A group config of the release: a value at an end of its range or past it."""
    keys = semantics.of(ShareSemantics).group_configs
    known = keys[script.some() % len(keys)]
    if (
        script.some() > 9
        and "share.renew.acknowledge.enable" in semantics.of(ShareSemantics).group_words
    ):
        return "share.renew.acknowledge.enable", "false"
    value = (known.low, known.high, known.low - 1, known.high + 1, known.low)[script.some() % 5]
    return known.key, str(value)


@st.composite
def _over_holes(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begun(draw, semantics, draw(share_layouts(holes=True)), (), (0, 1, 4)[draw(SOME) % 3])
    script.add(script.fetch(0, max_records=script.fence()))
    act(script)
    return script.scenario()


@st.composite
def _restarts(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begun(draw, semantics, draw(share_layouts(alone=True)), (), (0, 0, 2)[draw(SOME) % 3])
    script.add(script.fetch(0, max_records=script.fence()))
    if draw(SOME) > 6:
        _leave_a_gap(script)
    else:
        act(script, 4)
    script.add(RestartBroker())
    if not script.ended:
        script.add(script.fetch(draw(BIT), max_records=script.fence()))
        act(script, 3)
    return script.scenario()


def _leave_a_gap(script: ShareScript) -> None:
    """Of all that can be acquired, one part or two are done with and the front is not: between them
    nothing is written, which a broker that loads the partition finds as a gap.
    """
    script.add(script.fetch(0))
    for _ in range(1 + script.other()):
        held = script.held(0)
        if not held:
            break
        number, first, last = held[-1]
        at = first + 1 + script.some() % max(1, last - first)
        part = AcknowledgementBatch(min(at, last), min(at + script.some() % 3, last))
        script.add(script.confirm(0, (number, part)))


@st.composite
def _expiries(draw: st.DrawFn, semantics: Semantics) -> Scenario:
    script = _begun(draw, semantics, draw(share_layouts()), SHORT_LOCKS, 0)
    script.add(script.fetch(0, max_records=script.fence()))
    if draw(BIT):
        confirm(script)
    which = draw(SOME) % (len(SECOND_LOCKS) + 1)
    if which:
        script.add(Pause(HALF_MS))
        SECOND_LOCKS[which - 1](script)
    script.add(Pause(OVER_MS if draw(BIT) else BETWEEN_MS))
    script.add(script.fetch(draw(BIT), max_records=script.fence()))
    if draw(BIT):
        confirm_mistakenly(script)
    return script.scenario()


def _prolong(script: ShareScript) -> None:
    """A part of what the first member holds is renewed, where the release knows it."""
    held = script.held(0)
    if not held or script.version < RENEW_SINCE:
        return confirm(script)
    first, last = script.part(held[0])
    renewed = AcknowledgementBatch(first, last, (AcknowledgeType.RENEW.value,))
    return script.add(script.confirm(0, (held[0][0], renewed), renew=True))


def _hand_over(script: ShareScript) -> None:
    """All that the first member holds is given back, and acquired by the other under a new lock."""
    batches = [
        (number, AcknowledgementBatch(first, last, RELEASE))
        for number, first, last in script.held(0)
    ]
    if batches:
        script.add(script.confirm(0, *batches))
    script.add(script.fetch(1))


def _come_back(script: ShareScript) -> None:
    """The first member closes its session, and acquires again what it held, under a new lock."""
    script.add(ShareFetch(epoch=FINAL_EPOCH, version=script.version, actor=0))
    script.add(script.fetch(0))


SECOND_LOCKS = (_prolong, _hand_over, _come_back)
"""The actions that begin a lock again when half of the first one is over."""


def share_histories(
    semantics: Semantics | None = None, config: tuple[tuple[str, str], ...] = ()
) -> SearchStrategy[Scenario]:
    """Histories of a share group of one or two members (KIP-932, KIP-1206, KIP-1222): a first fetch
    and up to 9 actions.

    They shrink towards one partition of two batches, one fetch and nothing else.

    Args:
        semantics: the broker's versions and limits.
        config: the broker's configs that it was started with.
    """
    return _histories(semantics or semantics_for("4.3"), config)


def expiring_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories in which locks run out, on a broker with `SHORT_LOCKS`; each takes some 5 s, so
    that they are played side by side.
    """
    return _expiries(semantics or semantics_for("4.3"))


def restarting_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories in the midst of which the broker restarts, once; they are played so that one
    restart serves many.
    """
    return _restarts(semantics or semantics_for("4.3"))


def compacted_histories(semantics: Semantics | None = None) -> SearchStrategy[Scenario]:
    """Histories over what compaction has left; their logs are placed as files, while the broker
    restarts.
    """
    return _over_holes(semantics or semantics_for("4.3"))


def in_known_version(scenario: Scenario, newest: int) -> Scenario:
    """A worked example with its requests in the newest version that a broker knows; a version that
    no release knows stays.
    """
    steps: list[Step] = []
    for step in scenario.steps:
        if isinstance(step, ShareFetch | ShareAcknowledge) and step.version <= ACQUIRE_MODE_SINCE:
            steps.append(replace(step, version=min(step.version, newest)))
        else:
            steps.append(step)
    return replace(scenario, steps=tuple(steps))
