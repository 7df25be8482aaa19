"""How often the profile of the draft MaxRecords that is served is found, and how often a planted
fault is found, over the wire.

A random profile is found where the class that is named holds it and its ways of counting are equal
within the bounds. A fault is found where its clause is broken, or no profile fits; a legal variant
passes where no clause is broken. Run: python benchmarks/max_records_identifying.py [PROFILES]
"""

import sys
import time
from statistics import median

from conformance.cli.common import make_codec
from conformance.identify.asking import Unknown, carrier_of, player
from conformance.identify.profiles import Asked, identify
from conformance.systems.model import Model
from drafts.max_records.faults import FAULTS, NO_PROFILE, VARIANTS
from drafts.max_records.inquiry import INQUIRY, inseparable
from drafts.max_records.profile import Profile
from drafts.max_records.space import SPACE
from generators.small_scope import Bounds
from spec.releases import semantics_for

RELEASE = "4.3.1"
RELEASED = semantics_for("4.3")
PROFILES = 20


def asked(profile: Profile, fault: str | None = None) -> list[Asked[Profile]]:
    """All that is asked of a served model; nothing where it seems not to know the field."""
    semantics = semantics_for(RELEASE.rpartition(".")[0])
    with Model(RELEASE, draft=f"max-records:{profile}", fault=fault) as model:
        carrier = carrier_of(INQUIRY, model, semantics, make_codec)
        if isinstance(carrier, Unknown):
            return []
        with player(INQUIRY, model, carrier, semantics, make_codec) as play:
            return list(identify(INQUIRY, play, carrier, semantics, crafted=False))


def broken(found: list[Asked[Profile]]) -> set[str]:
    """The clauses that were broken."""
    return {verdict.clause for one in found for verdict in one.judgement.breaks}


def profiles(count: int) -> None:
    """Serve profiles at random, and say which are found."""
    right, questions, times = 0, [], []
    for seed in range(count):
        profile, began = SPACE.draw(seed), time.perf_counter()
        found = asked(profile)
        times.append(time.perf_counter() - began)
        questions.append(len(found))
        held = bool(found) and found[-1].left.holds(profile) and not broken(found)
        ways = len(found[-1].left.counting) if found else 0
        equal = held and (
            ways == 1
            or inseparable(found[-1].left.counting, Bounds(2, crafted=False), RELEASED) is None
        )
        right += equal
        print(
            f"{'found' if equal else 'NOT FOUND':<9} ways of counting {ways}  questions "
            f"{len(found):>2}  {profile}",
            flush=True,
        )
    print(
        f"{right} of {count} profiles found; questions {median(questions):.0f}, seconds "
        f"{median(times):.1f} (medians)"
    )


def faults() -> None:
    """Serve each fault and each legal variant, and say which are found."""
    found_sides = {
        fault.name: fault.clause in broken(asked(Profile(), fault.name)) for fault in FAULTS
    }
    found_sides |= {fault.name: asked(Profile(), fault.name)[-1].left.empty for fault in NO_PROFILE}
    for name, right in found_sides.items():
        print(f"{'found' if right else 'NOT FOUND':<9} {name}", flush=True)
    passed = {fault.name: not broken(asked(Profile(), fault.name)) for fault in VARIANTS}
    for name, right in passed.items():
        print(f"{'passed' if right else 'ACCUSED':<9} {name}", flush=True)
    accused = len(passed) - sum(passed.values())
    print(
        f"{sum(found_sides.values())} of {len(found_sides)} faults found; "
        f"{accused} false alarms in {len(passed)} legal variants"
    )


def main() -> None:
    """Print both scores."""
    profiles(int(sys.argv[1]) if len(sys.argv) > 1 else PROFILES)
    faults()


if __name__ == "__main__":
    main()
