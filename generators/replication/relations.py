"""What scenarios on several brokers try: who is asked what, before and after a leader has moved."""

from spec.replication.steps import (
    ALL,
    BROKERS,
    FOLLOWER,
    LEADER,
    NO_RACK,
    OTHER_RACK,
    ElectLeader,
    LookAtBrokers,
    Outage,
    Read,
    StopBroker,
    Write,
)
from spec.scenario import Scenario

ASKED = ("write", "read", "ask latest", "ask epoch end")
ACKS = {ALL: "all", 1: "1"}
EPOCHS = {None: "no", -1: "older", 0: "current", 1: "newer"}


def replication_relations(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario has tried, by name, each once, sorted."""
    leader, moves = LEADER, 0
    found = set()
    for step in scenario.steps:
        if isinstance(step, LookAtBrokers):
            found.add(f"min.insync.replicas={step.min_insync_replicas or 'own'}")
        elif isinstance(step, Outage):
            found.add(f"{step.name} of the {_who(step.actor, leader)}")
        if isinstance(step, ElectLeader) or (isinstance(step, StopBroker) and step.actor == leader):
            leader = FOLLOWER if leader == LEADER else LEADER
            moves += 1
        elif not isinstance(step, LookAtBrokers | Outage):
            found.add(_relation(step.name, _who(step.actor, leader), moves))
        if isinstance(step, Read):
            found.add(f"rack={_rack(step.rack, leader)}")
        if isinstance(step, Write):
            found.add(f"acks={ACKS[step.acks]}")
        if isinstance(step, Read) and step.epoch in EPOCHS:
            found.add(f"epoch={EPOCHS[step.epoch]}")
    return tuple(sorted(found))


def all_replication_relations() -> frozenset[str]:
    """Every relation that a scenario can have."""
    asked = [
        _relation(name, who, moves)
        for name in ASKED
        for who in ("leader", "follower", "stranger")
        for moves in range(3)
    ]
    racks = [f"rack={_rack(rack, LEADER)}" for rack in range(NO_RACK, OTHER_RACK + 1)]
    outages = [
        "stop broker of the leader",
        "stop broker of the follower",
        "kill broker of the leader",
        "kill broker of the follower",
        "start broker of the follower",
    ]
    minima = [f"min.insync.replicas={value}" for value in ("own", 1, 2, 3)]
    epochs = [f"epoch={word}" for word in EPOCHS.values()]
    acks = [f"acks={word}" for word in ACKS.values()]
    return frozenset([*asked, *racks, *epochs, *outages, *minima, *acks])


def _relation(name: str, who: str, moves: int) -> str:
    after = ("at first", "after a move", "after several moves")[min(moves, 2)]
    return f"{name} at the {who} {after}"


def _who(actor: int, leader: int) -> str:
    if actor == leader:
        return "leader"
    return "follower" if actor < BROKERS - 1 else "stranger"


def _rack(rack: int, leader: int) -> str:
    if rack == NO_RACK:
        return "none"
    return "no broker's" if rack == OTHER_RACK else _who(rack, leader)
