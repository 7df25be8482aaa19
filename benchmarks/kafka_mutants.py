"""Small faults in Apache Kafka's own classes, one at a time, and whether a default run sees them.

A comparison is negated or moved by one, an addition becomes a subtraction, a call is left out, as
the broker loads the class (`KafkaMutants.java`, a Java agent). What no scenario reaches is not
counted, and of what survives much can't be seen from outside: it is a list of questions to look at,
not a score. Run (with a JDK):
python benchmarks/kafka_mutants.py [SUBJECT] [HOW MANY] [SEED] [SCENARIOS] [RELEASE]
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZipFile

from conformance.exit_codes import FOUND, OK
from conformance.systems.jars import class_path
from spec.frozen import frozen

SOURCE = Path(__file__).with_name("KafkaMutants.java")
ASM = ("jdk.internal.org.objectweb.asm", "jdk.internal.org.objectweb.asm.tree")
EXPORTS = [f"--add-exports=java.base/{package}=ALL-UNNAMED" for package in ASM]
CLASSES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("kafka_classes.toml").read_text()
)
"""By subject: the classes of Kafka behind it, each with a pattern of its methods."""
SKIPPED = re.compile("[sS]treams|[rR]emote|[tT]iered|lambda.new|[fF]lush|^close$|[mM]onitor")
"""Methods that nothing here reaches, or that no peer sees."""


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

    def __str__(self) -> str:
        """`SharePartition.java:1463 archiveCompleteBatch, negated`."""
        name = self.owner.rpartition("/")[2].partition("$")[0]
        return f"{name}.java:{self.line} {self.method}, {self.kind}"


def main() -> None:
    """Try so many mutants of a subject, and print what became of each."""
    given = dict(enumerate(sys.argv))
    subject, wanted, seed = given.get(1, "fetch"), int(given.get(2, "40")), given.get(3, "1")
    scenarios, release = given.get(4, "1500"), given.get(5, "4.3.1")
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="fencepost-mutants-") as folder:
        agent = make_agent(Path(folder))
        for mutant in sample(agent, subject, release, wanted, seed):
            word = judge(agent, mutant, subject, release, scenarios, Path(folder))
            found[word] += 1
            print(f"{word:9}  {mutant}", flush=True)
    print(", ".join([f"{count} {word}" for word, count in sorted(found.items())]))


def make_agent(folder: Path) -> Path:
    """The agent's jar, compiled."""
    subprocess.run(["javac", *EXPORTS, "-d", folder, SOURCE], check=True)  # noqa: S603, S607
    manifest = folder / "manifest"
    manifest.write_text("Premain-Class: KafkaMutants\nMain-Class: KafkaMutants\n")
    made = folder / "mutants.jar"
    classes = ["-C", str(folder), "KafkaMutants.class"]
    subprocess.run(["jar", "cfm", made, manifest, *classes], check=True)  # noqa: S603, S607
    return made


def sample(agent: Path, subject: str, release: str, wanted: int, seed: str) -> Sequence[Mutant]:
    """Mutants of the subject's classes in a random order, each class as often as the others."""
    rng = random.Random(seed)  # noqa: S311 - choosing questions, not secrets
    by_class = [
        list(mutants(agent, release, owner, pattern)) for owner, pattern in CLASSES[subject].items()
    ]
    for some in by_class:
        rng.shuffle(some)
    longest = max(map(len, by_class))
    mixed = [some[turn] for turn in range(longest) for some in by_class if turn < len(some)]
    return mixed[:wanted]


def mutants(agent: Path, release: str, owner: str, pattern: str) -> Iterator[Mutant]:
    """All mutants of a class in the methods whose names have the pattern."""
    jar = next(one for one in class_path(release) if f"{owner}.class" in ZipFile(one).namelist())
    command = ["java", *EXPORTS, "-cp", str(agent), "KafkaMutants", "list", str(jar), owner]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    for number, kind, method, line in [row.split("\t") for row in listed.splitlines()]:
        if re.search(pattern, method) and not SKIPPED.search(method):
            yield Mutant(owner, int(number), kind, method, line)


def judge(
    agent: Path, mutant: Mutant, subject: str, release: str, scenarios: str, folder: Path
) -> str:
    """What became of a mutant: `killed`, `survived`, `unreached`, or that the run could not end."""
    reached = folder / "reached"
    reached.unlink(missing_ok=True)
    options = [*EXPORTS, f"-javaagent:{agent}={mutant.owner},{mutant.number},{reached}"]
    command = [sys.executable, "-m", "conformance.cli", "run", "--subject", subject, "--strict"]
    command += ["--kafka", release, "--scenarios", scenarios, "--seed", "7", "--shrink", "0s"]
    command += ["--no-corpus", "--no-report", "--out", str(folder / "runs")]
    code = subprocess.run(  # noqa: S603
        command,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "JDK_JAVA_OPTIONS": " ".join(options)},
    ).returncode
    if code == OK:
        return "survived" if reached.exists() else "unreached"
    return "killed" if code == FOUND else f"exit {code}"


if __name__ == "__main__":
    main()
