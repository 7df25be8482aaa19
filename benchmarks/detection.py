"""The suite's power to detect: every planted fault by many seeds, and how often a legal variant is
spoken against.

For each fault: in how many seeds its clause caught it, the layouts and scenarios until then
(median, worst), the seconds (median), and the size of the smallest shrunk case. The faulty model
answers in this very process. Run: python benchmarks/detection.py [SEEDS] [FAULT...]
"""

import sys
from datetime import UTC, datetime
from statistics import median

from conformance.engine.detecting import Detection, detect_planted
from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault
from conformance.subjects.fetch.runner import RUNNER

SEEDS = 20
VARIANT_SCENARIOS = 500


def measured(fault: Fault, seeds: int) -> list[Detection]:
    """The fault by each seed."""
    today = datetime.now(UTC).date()
    budget = VARIANT_SCENARIOS if fault.expected is Expected.CONFORMS else None
    return [detect_planted(RUNNER, fault, seed, today, budget) for seed in range(seeds)]


def line(fault: Fault, found: list[Detection]) -> str:
    """One row of the table."""
    right = [one for one in found if one.as_expected]
    head = (
        f"{fault.name:<50} {fault.expected:<9} {fault.clause or '-':<8} "
        f"{len(right):>3}/{len(found)}"
    )
    if fault.expected is Expected.CONFORMS or not right:
        return head
    layouts, scenarios = (
        [getattr(one, name) for one in right] for name in ("layouts", "scenarios")
    )
    shrunk = [one.shrunk for one in right if one.shrunk is not None]
    size = min(
        (
            len(s.layout.partitions),
            sum(len(segment) for part in s.layout.partitions for segment in part.segments),
            len(s.steps),
        )
        for s in shrunk
    )
    return (
        f"{head}  layouts {median(layouts):>5.0f} {max(layouts):>5}  scenarios "
        f"{median(scenarios):>5.0f} {max(scenarios):>5}"
        f"  seconds {median(one.seconds for one in right):>6.2f}  shrunk {size[0]} partitions, "
        f"{size[1]} batches, {size[2]} steps"
    )


def main() -> None:
    """Print the table and the score."""
    words = sys.argv[1:]
    seeds = int(words.pop(0)) if words and words[0].isdigit() else SEEDS
    faults = (*RUNNER.faults, *RUNNER.dry_faults)
    chosen = [fault for fault in faults if not words or fault.name in words]
    tried = caught = passed = variants = 0
    for fault in chosen:
        found = measured(fault, seeds)
        print(line(fault, found), flush=True)
        right = sum(one.as_expected for one in found)
        if fault.expected is Expected.CONFORMS:
            variants, passed = variants + len(found), passed + right
        else:
            tried, caught = tried + len(found), caught + right
    print(
        f"caught {caught} of {tried} faulty runs; {variants - passed} false alarms in {variants} "
        "runs of legal variants"
    )


if __name__ == "__main__":
    main()
