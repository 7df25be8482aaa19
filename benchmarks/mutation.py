"""The mutation score: how many small changes of the reference machines a strict run detects.

First the unchanged machine is judged for each seed, with a probe at each mutant (`mutant_probe`):
it has to survive, and a mutant whose change it never sees is *not reached*, which no run has to
show. Each other mutant is served by a child process and judged by an unchanged one, for each seed,
until the first break. Survivors are listed: each is shown to be equivalent, with its reason, in
`equivalent_mutants.toml`, or is a question that the generators don't ask.

The machines of `DRY` are not served but answer in a dry run, as all do with --dry: what a served
model has no part of (files, retention, time between a topic's batches) counts there, and nothing
waits.

With --known a sample of those in `killed_mutants.tsv` is judged, to see that they are still
detected: what fails then is certain, since each was detected early, and is tried by three seeds.

Run: python benchmarks/mutation.py [--subject NAME] [--sample N] [--seed S] [--seeds 1,2,3]

Exit codes: 0 measured; 1 the unchanged machine did not survive, the score is below --at-least, or a
known mutant is no longer detected.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mutant_lists import excluded, keep_killed, killed, stale
from mutant_probe import probed
from mutants import SOURCES, Mutant, mutants_of

from conformance.cli.output import use_unbroken_output
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent
JUDGE = Path(__file__).with_name("mutant_judge.py")
ENDING_S = 15.0
"""How long a judge that is out of time may take to end its served model."""
FATES = (
    *("killed", "survived", "not reached", "inconclusive"),
    *("crashed at start", "timed out", "failed"),
)
DRY = frozenset({"offsets", "segments", "limits", "replication"})
"""Subjects of which the served model answers a part alone."""
EARLY = 300
"""A mutant is kept as known where so many scenarios, or fewer, detect it."""
TRIES = (1, 2, 3)
"""The seeds by which a known mutant has to survive before it is said to be no longer detected."""
UNDETECTED = ("survived", "failed")
"""What a known mutant may not come to under each seed: a judge that fails shows nothing."""
SCORED = ("killed", "survived", "not reached", "inconclusive")
"""What counts in the score: the others never answered a whole run."""


@frozen
class Fate:
    """What became of a mutant under one seed: one of `FATES`, by what, after how many scenarios."""

    name: str
    by: str
    judged: int


def commit() -> str:
    """The commit that is checked out, on which a sample depends by default."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    done = subprocess.run(  # noqa: S603 - our own command
        command, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def sampled(mutants: tuple[Mutant, ...], size: int | None, seed: str) -> list[Mutant]:
    """So many of them, chosen by the seed; all where no size is given."""
    if size is None or size >= len(mutants):
        return list(mutants)
    rng = random.Random(seed)  # noqa: S311 - choosing mutants, not secrets
    chosen = set(rng.sample(range(len(mutants)), size))
    return [mutant for index, mutant in enumerate(mutants) if index in chosen]


def unique(mutants: tuple[Mutant, ...]) -> tuple[Mutant, ...]:
    """Those whose key names no other one too."""
    times = Counter(mutant.key for mutant in mutants)
    return tuple(mutant for mutant in mutants if times[mutant.key] == 1)


def judge(
    subject: str,
    sources: Mapping[str, str],
    *,
    seed: int,
    scenarios: int,
    patience: float,
    whole: bool = False,
    dry: bool = False,
) -> Fate:
    """Judge one machine, with some sources replaced, in a process of its own.

    Args:
        subject: the machine's.
        sources: the replacing ones by the modules' dotted names.
        seed, scenarios: of the run.
        patience: seconds until it counts as timed out.
        whole: whether the run continues after a break.
        dry: whether a dry run answers, not a served model.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sources.json")
        file.write_text(json.dumps(sources), "utf-8")
        command = [sys.executable, str(JUDGE), subject, str(file), str(scenarios), str(seed)]
        with subprocess.Popen(  # noqa: S603 - our own command
            [*command, *(["whole"] if whole else []), *(["dry"] if dry else [])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                output, words = process.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                process.terminate()
                try:
                    process.communicate(timeout=ENDING_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                return Fate("timed out", f"no verdict after {patience:.0f} s", 0)
    if process.returncode or not output:
        return Fate("failed", (words.strip().splitlines() or ["no words"])[-1], 0)
    found = json.loads(output.splitlines()[-1])
    return Fate(found["fate"], found["by"], found["judged"])


def score(fates: list[Fate]) -> float:
    """The share that was killed, in percent; 100 where nothing counts."""
    counts = Counter(fate.name for fate in fates)
    tried = sum(counts[name] for name in SCORED)
    return 100 * counts["killed"] / tried if tried else 100.0


def reached(
    subject: str, mutants: list[Mutant], seed: int, options: argparse.Namespace
) -> frozenset[int] | None:
    """The places, among some mutants, of those that a run by this seed may detect; None where the
    unchanged machine did not survive it, without which no score means anything.
    """
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "reached")
        record.touch()
        sources, unprobed = probed(mutants, ROOT, record)
        fate = judge(
            *(subject, sources),
            seed=seed,
            scenarios=options.scenarios,
            patience=options.patience,
            whole=True,
            dry=options.dry or subject in DRY,
        )
        if fate.name != "survived":
            print(f"{subject} seed {seed}: the unchanged machine {fate.name}: {fate.by}")
            return None
        seen = frozenset([int(line) for line in record.read_text("utf-8").split()])
    return seen | unprobed


def measured(
    subject: str, mutants: list[Mutant], options: argparse.Namespace
) -> list[float] | None:
    """Judge the mutants under each seed and print what became of them; the score of each seed, None
    where the unchanged machine did not survive one.
    """
    asking = partial(
        judge,
        subject,
        scenarios=options.scenarios,
        patience=options.patience,
        dry=options.dry or subject in DRY,
    )
    within: dict[int, frozenset[int]] = {}
    for seed in options.seeds:
        found = reached(subject, mutants, seed, options)
        if found is None:
            return None
        within[seed] = found

    def fate_of(job: tuple[int, Mutant, int]) -> Fate:
        place, mutant, seed = job
        if place not in within[seed]:
            return Fate("not reached", "", options.scenarios)
        return asking({mutant.module: mutant.source}, seed=seed)

    jobs = [(place, mutant, seed) for place, mutant in enumerate(mutants) for seed in options.seeds]
    fates: dict[int, list[Fate]] = {seed: [] for seed in options.seeds}
    early: set[tuple[str, str, str, str]] = set()
    with ThreadPoolExecutor(options.jobs) as pool:
        for (_, mutant, seed), fate in zip(jobs, pool.map(fate_of, jobs), strict=True):
            fates[seed].append(fate)
            if fate.name == "killed" and fate.judged <= EARLY:
                early.add(mutant.key)
            why = f" after {fate.judged} scenarios by {fate.by}" if fate.by else ""
            print(f"{fate.name:<16} seed {seed}  {mutant.id}{why}", flush=True)
            if fate.name != "killed":
                print(f"{'':<16} {mutant.function}: {mutant.text}  ->  {mutant.changed}")
    if options.keep:
        keep_killed({mutant.key for mutant in unique(mutants_of(subject, ROOT))} & early)
    for seed, some in fates.items():
        counts = Counter(fate.name for fate in some)
        row = ", ".join(f"{counts[name]} {name}" for name in FATES)
        print(f"{subject} seed {seed}: {row}; {score(some):.0f} % killed", flush=True)
    scores = [score(some) for some in fates.values()]
    print(summary(subject, list(zip(*fates.values(), strict=True)), scores), flush=True)
    return scores


def summary(subject: str, fates: list[tuple[Fate, ...]], scores: list[float]) -> str:
    """The scores of all seeds in one line, and how many mutants each of them detects.

    Args:
        subject: the machine's.
        fates: of each mutant, one a seed.
        scores: of the seeds, in percent.
    """
    counted = [some for some in fates if all(fate.name in SCORED for fate in some)]
    always = sum(all(fate.name == "killed" for fate in some) for some in counted)
    shares = ", ".join(f"{one:.0f} %" for one in scores)
    return (
        f"{subject}, of {len(fates)} mutants: {shares} killed by seed; {always} of {len(counted)} "
        "by each"
    )


def lost(subject: str, mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """Those of some known mutants that survive a run by each of `TRIES`, or whose judge fails."""
    asking = partial(
        judge,
        subject,
        scenarios=options.scenarios,
        patience=options.patience,
        dry=options.dry or subject in DRY,
    )

    def survives(mutant: Mutant) -> bool:
        for seed in TRIES:
            fate = asking({mutant.module: mutant.source}, seed=seed)
            if fate.name not in UNDETECTED:
                return False
            print(f"{fate.name:<16} seed {seed}  {mutant.id}  {fate.by}".rstrip(), flush=True)
        return True

    with ThreadPoolExecutor(options.jobs) as pool:
        return [
            mutant
            for mutant, survived in zip(mutants, pool.map(survives, mutants), strict=True)
            if survived
        ]


def given() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--subject", choices=sorted(SOURCES), action="append")
    parser.add_argument("--sample", type=int, help="so many mutants of each subject, not all")
    parser.add_argument("--known", action="store_true", help="see that known mutants are detected")
    parser.add_argument("--dry", action="store_true", help="let a dry run answer, served or not")
    parser.add_argument("--keep", action="store_true", help="add to the known mutants")
    parser.add_argument("--seed", help="what the sample is chosen by; by default the commit")
    parser.add_argument("--scenarios", type=int, default=1500)
    parser.add_argument(
        "--seeds",
        type=lambda text: [int(seed) for seed in text.split(",")],
        default=[1],
        help="the seeds of the runs, such as 1,2,3",
    )
    parser.add_argument("--patience", type=float, default=600.0, help="seconds for each run")
    parser.add_argument("--jobs", type=int, default=4, help="runs side by side; most of them wait")
    parser.add_argument(
        "--at-least", type=float, default=0.0, help="the score to fail below, in %%"
    )
    parser.add_argument("--list", action="store_true", help="list the mutants and judge none")
    return parser.parse_args()


def main() -> int:
    """Print the score of each subject."""
    asked, unobservable, scores = given(), excluded(), []
    known, gone = killed(), list[Mutant]()
    seed = asked.seed or commit()
    if asked.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has enough ends the listing
    for subject in asked.subject or sorted(SOURCES):
        every = mutants_of(subject, ROOT)
        distinct = unobservable.without(every)
        count = f"{len(every)} mutants, {len(every) - len(distinct)} unobservable"
        if asked.known:
            distinct = tuple(mutant for mutant in unique(distinct) if mutant.key in known)
            count = f"{len(distinct)} mutants known to be detected"
        chosen = sampled(distinct, asked.sample, seed)
        print(f"{subject}: {count}; {len(chosen)} asked about, chosen by seed {seed}", flush=True)
        if asked.list:
            for mutant in chosen:
                print(f"{mutant.id}  in {mutant.function}: {mutant.text}  ->  {mutant.changed}")
            continue
        if asked.known:
            gone += lost(subject, chosen, asked)
            continue
        found = measured(subject, chosen, asked)
        if found is None:
            return 1
        scores += found
    for entry in stale(mutant for subject in SOURCES for mutant in mutants_of(subject, ROOT)):
        print(f"listed but no longer there, to be looked at again: {entry}")
    for mutant in gone:
        print(f"no longer detected: {mutant.id}  {mutant.text}  ->  {mutant.changed}")
    return int(bool(gone) or any(score < asked.at_least for score in scores))


if __name__ == "__main__":
    use_unbroken_output()
    sys.exit(main())
