"""Small faults in Apache Kafka's own classes, one at a time, and whether a default run sees them.

A comparison is negated or moved by one, an addition becomes a subtraction, a call is left out, as
the broker loads the class (`KafkaMutants.java`, a Java agent). A first run changes nothing and says
what the scenarios reach at all: only that is changed. Of what survives much can't be seen from
outside: it is a list of questions to look at, not a score. Run (with a JDK):
python benchmarks/kafka_mutants.py [SUBJECT] [HOW MANY] [SEED] [SCENARIOS] [RELEASE]
"""

import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

from conformance import findings
from conformance.exit_codes import FOUND, OK
from conformance.systems.jars import class_path
from spec.frozen import frozen
from spec.verdict import Outcome

SOURCE = Path(__file__).with_name("KafkaMutants.java")
ASM = ("jdk.internal.org.objectweb.asm", "jdk.internal.org.objectweb.asm.tree")
EXPORTS = [f"--add-exports=java.base/{package}=ALL-UNNAMED" for package in ASM]
CLASSES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("kafka_classes.toml").read_text()
)
"""By subject: the classes of Kafka behind it, each with a pattern of its methods."""
SKIPPED = re.compile("[sS]treams|[rR]emote|[tT]iered|lambda.new|[fF]lush|^close$|[mM]onitor")
"""Methods that nothing here reaches, or that no peer sees."""
BREAKS = {Outcome.VIOLATES, Outcome.DEVIATES}
FINDINGS = {
    (one["clause"], one["signature"])
    for one in tomllib.loads(Path(findings.__file__).with_name("apache-kafka.toml").read_text())[
        "finding"
    ]
}
FEW = 6
"""Most mutants are killed by a part of the scenarios: one in so many is tried first."""


@frozen
class Mutant:
    """One change.

    Attributes:
        owner: the class, as its file is named.
        number: the place in it.
        kind: what is changed there.
        method, line: where that is.
    """

    owner: str
    number: int
    kind: str
    method: str
    line: str

    @property
    def place(self) -> str:
        """As the agent writes where it came."""
        return f"{self.owner}\t{self.number}"

    def __str__(self) -> str:
        """`SharePartition.java:1463 archiveCompleteBatch, negated`."""
        name = self.owner.rpartition("/")[2].partition("$")[0]
        return f"{name}.java:{self.line} {self.method}, {self.kind}"


@frozen
class Run:
    """A strict run of a subject on a broker that loads an agent.

    Attributes:
        agent: its jar.
        subject, release, scenarios: the options of the run.
        folder: where its files go.
    """

    agent: Path
    subject: str
    release: str
    scenarios: int
    folder: Path

    @property
    def reached(self) -> Path:
        """The places that were reached."""
        return self.folder / "reached"

    def exit_code(self, changes: Sequence[str], scenarios: int) -> int:
        """How it ends with these changes (`CLASS,NUMBER`), or with places marked (`CLASS,all`). It
        is ended at its first break that is no finding of Kafka: many more may wait for answers.
        """
        self.reached.unlink(missing_ok=True)
        agents = [f"-javaagent:{self.agent}={change},{self.reached}" for change in changes]
        command = [sys.executable, "-m", "conformance.cli", "run", "--subject", self.subject]
        command += ["--strict", "--kafka", self.release, "--scenarios", str(scenarios)]
        command += ["--seed", "7", "--shrink", "0s", "--no-corpus", "--no-report"]
        runs = self.folder / "runs"
        shutil.rmtree(runs, ignore_errors=True)
        with subprocess.Popen(  # noqa: S603
            [*command, "--out", str(runs)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "JDK_JAVA_OPTIONS": " ".join([*EXPORTS, *agents])},
        ) as process:
            while process.poll() is None:
                time.sleep(1)
                if is_broken(runs):
                    process.send_signal(signal.SIGINT)
                    return FOUND
        return process.returncode


def is_broken(runs: Path) -> bool:
    """Whether a run that is under way has seen a break that is no finding of Kafka."""
    for log in runs.glob("*/events.jsonl"):
        for line in log.read_text().splitlines(keepends=True):
            verdicts = json.loads(line).get("verdicts", ()) if line.endswith("\n") else ()
            for one in verdicts:
                known = not one.get("primary") or (one["clause"], one["signature"]) in FINDINGS
                if one["outcome"] in BREAKS and not known:
                    return True
    return False


def main() -> None:
    """Try so many mutants of a subject, and print what became of each."""
    given = dict(enumerate(sys.argv))
    subject, wanted, seed = given.get(1, "fetch"), int(given.get(2, "40")), given.get(3, "1")
    scenarios, release = int(given.get(4, "1500")), given.get(5, "4.3.1")
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="fencepost-mutants-") as made:
        folder = Path(made)
        agent = make_agent(folder)
        run = Run(agent, subject, release, scenarios, folder)
        by_class = [
            list(mutants(agent, release, owner, pattern))
            for owner, pattern in CLASSES[subject].items()
        ]
        reached = reached_places(run)
        can_be_seen = [[one for one in some if one.place in reached] for some in by_class]
        print(f"{total(can_be_seen)} of {total(by_class)} places are reached", flush=True)
        for mutant in sample(can_be_seen, seed)[:wanted]:
            word = judge(run, mutant)
            found[word] += 1
            print(f"{word:9}  {mutant}", flush=True)
    print(", ".join([f"{count} {word}" for word, count in sorted(found.items())]))


def total(some: Sequence[Sequence[Mutant]]) -> int:
    """How many mutants all classes have."""
    return sum(map(len, some))


def make_agent(folder: Path) -> Path:
    """The agent's jar, compiled."""
    subprocess.run(["javac", *EXPORTS, "-d", folder, SOURCE], check=True)  # noqa: S603, S607
    manifest = folder / "manifest"
    manifest.write_text("Premain-Class: KafkaMutants\nMain-Class: KafkaMutants\n")
    made = folder / "mutants.jar"
    classes = [one.name for one in folder.glob("*.class")]
    subprocess.run(["jar", "cfm", made, manifest, *classes], check=True, cwd=folder)  # noqa: S603, S607
    return made


def sample(by_class: Sequence[Sequence[Mutant]], seed: str) -> Sequence[Mutant]:
    """Mutants of the subject's classes in a random order, each class as often as the others."""
    rng = random.Random(seed)  # noqa: S311 - choosing questions, not secrets
    orders = [rng.sample(some, len(some)) for some in by_class]
    turns = itertools.zip_longest(*orders)
    return [mutant for turn in turns for mutant in turn if mutant is not None]


def mutants(agent: Path, release: str, owner: str, pattern: str) -> Iterator[Mutant]:
    """All mutants of a class in the methods whose names have the pattern."""
    jar = next(one for one in class_path(release) if f"{owner}.class" in ZipFile(one).namelist())
    command = ["java", *EXPORTS, "-cp", str(agent), "KafkaMutants", "list", str(jar), owner]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    for number, kind, method, line in [row.split("\t") for row in listed.splitlines()]:
        if re.search(pattern, method) and not SKIPPED.search(method):
            yield Mutant(owner, int(number), kind, method, line)


def reached_places(run: Run) -> frozenset[str]:
    """The places that the scenarios reach in a broker in which nothing is changed."""
    marked = [f"{owner},all" for owner in CLASSES[run.subject]]
    if run.exit_code(marked, run.scenarios) != OK:
        sys.exit("the run on an unchanged broker does not pass")
    return frozenset(run.reached.read_text().splitlines())


def judge(run: Run, mutant: Mutant) -> str:
    """What became of a mutant: `killed`, `survived`, `unreached`, or that the run could not end."""
    change = [f"{mutant.owner},{mutant.number}"]
    code = run.exit_code(change, run.scenarios // FEW)
    if code == OK:
        code = run.exit_code(change, run.scenarios)
    if code == OK:
        return "survived" if run.reached.exists() else "unreached"
    return "killed" if code == FOUND else f"exit {code}"


if __name__ == "__main__":
    main()
