"""JUnit XML in the xunit2 form, so that any CI shows each difference as a test.

One suite for the system. A clause that held is one test case; each kind of break, a clause with a
signature, is a test case of its own, with a failure; each reason for which something could not be
judged is one with an error; a listed difference is skipped as `known: ...`, so that it stays in
sight. A break that was not reproduced is skipped as
`flaky`, or a failure under `--strict` where such breaks come too often.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, Properties, Property, Skipped
from junitparser.xunit2 import JUnitXml, TestCase, TestSuite

from results.clusters import Cluster
from results.files import write_whole
from results.flaky import flaky_kinds
from results.picture_text import sketch
from results.reproduce import reproduction
from results.summary import ClauseCount, Summary
from results.text import count_of, plain
from spec.judgement import EVERY_CLAUSE
from spec.known import plain_facts
from spec.verdict import Outcome

_LONGEST_NAME = 120
"""Characters of a reason in a case's name; its message has all of them."""


def write_junit(summary: Summary, path: Path, *, strict: bool = False) -> Path:
    """Write the run as JUnit XML.

    Args:
        summary: the run.
        path: the file.
        strict: a deviation is a failure, as under `--strict`; otherwise it is skipped as `deviates:
            ...`, since it is legal.

    Raises:
        ReportError: it can't be written.
    """
    return write_whole(path, junit(summary, strict=strict))


def junit(summary: Summary, *, strict: bool = False) -> bytes:
    """The run as JUnit XML, see `write_junit`."""
    header = summary.header
    make: Any = TestSuite
    suite = make(plain(f"{header.system} {header.release}") if header else "unknown system")
    if header:
        suite.timestamp = plain(header.started)
        facts = {
            **plain_facts(header.facts),
            "run": header.run,
            "seed": str(header.seed),
            "reproduce": reproduction(header),
            "requirement_set": header.requirement_set,
        }
        if summary.score is not None:
            facts["score"] = summary.score.sentence
        make = Properties
        properties = make()
        for name, value in facts.items():
            properties.add_property(Property(plain(name), plain(value)))
        suite.append(properties)
    suite.add_testcases(
        [
            *_harness(summary),
            *_conforming(summary),
            *_listed_cases(summary),
            *_unlisted_cases(summary, strict=strict),
            *_not_given(summary),
            *_flaky(summary, strict=strict),
            *_not_laid(summary, strict=strict),
            *_lacking(summary),
        ]
    )
    make = JUnitXml
    document = make("fencepost")
    document.add_testsuite(suite)
    document.update_statistics()
    text: bytes = document.tostring()
    return text


def _harness(summary: Summary) -> Iterator[TestCase]:
    troubles = []
    if summary.truncated:
        troubles.append(
            ("event log is whole", "the event log has no footer: the run was cut short")
        )
    elif summary.footer and summary.footer.reason == "broken":
        troubles.append(
            (
                "system can be used",
                "the run ended early because the system under test could not be used",
            )
        )
    if summary.broken_lines:
        first = summary.broken_lines[0]
        lines = count_of(len(summary.broken_lines), "line")
        message = (
            f"{lines} of the event log can't be read and were not counted; line {first.number}: "
            f"{first.reason}"
        )
        troubles.append(("event log can be read", message))
    if not summary.exercised:
        troubles.append(
            ("something was exercised", "no clause's condition arose, so nothing can be said")
        )
    for name, message in troubles:
        yield _case("fencepost", name, Error(plain(message), "harness"))


def _conforming(summary: Summary) -> Iterator[TestCase]:
    reasons = summary.score.reasons if summary.score is not None else {}
    for count in summary.clauses:
        if count.conforms and count.conforms == count.exercised:
            case = _case(count.clause, f"{count.clause} holds")
            case.system_out = _counts(count)
            yield case
        elif not count.exercised and not count.inconclusive:
            reason = reasons.get(count.clause, "its condition did not arise")
            skipped = Skipped(plain(f"not exercised: {reason}"))
            yield _case(count.clause, f"{count.clause} was exercised", skipped)
    for clause, reason in summary.excluded:
        yield _case(clause, f"{clause} can be tested", Skipped(plain(f"excluded: {reason}")))


def _listed_cases(summary: Summary) -> Iterator[TestCase]:
    for cluster in summary.clusters:
        if cluster.known is not None:
            message = f"known: {cluster.known} ({count_of(cluster.count, 'scenario')})"
            yield _case(
                cluster.clause, f"{cluster.clause} {cluster.signature}", Skipped(plain(message))
            )


def _unlisted_cases(summary: Summary, *, strict: bool) -> Iterator[TestCase]:
    for cluster in summary.clusters:
        if cluster.known is not None:
            continue
        message = plain(f"{cluster.clause}: {cluster.why} ({count_of(cluster.count, 'scenario')})")
        result: Failure | Skipped
        if cluster.outcome is Outcome.DEVIATES and not strict:
            result = Skipped(plain(f"deviates: {message}"))
        else:
            result = Failure(message, cluster.outcome.value)
            result.text = _details(cluster)
        yield _case(cluster.clause, f"{cluster.clause} {cluster.signature}", result)


def _not_given(summary: Summary) -> Iterator[TestCase]:
    """A case for each reason for which verdicts could not be given."""
    for reason in summary.reasons:
        clauses = "every clause" if reason.clauses == (EVERY_CLAUSE,) else ", ".join(reason.clauses)
        message = plain(f"{reason.why} ({count_of(reason.scenarios, 'scenario')}; {clauses})")
        result = (
            Error(message, "inconclusive")
            if reason.outcome is Outcome.INCONCLUSIVE
            else Skipped(f"unsupported: {message}")
        )
        name = f"{reason.outcome.value}: {plain(reason.why, _LONGEST_NAME)}"
        yield _case(reason.clauses[0] if len(reason.clauses) == 1 else "fencepost", name, result)


def _flaky(summary: Summary, *, strict: bool) -> Iterator[TestCase]:
    for kind in flaky_kinds(summary.flaky):
        first = kind.first
        message = plain(f"{kind.rate}; {first.verdict.why}")
        listed = first.kind in summary.known_kinds
        result: Failure | Skipped
        if strict and summary.too_flaky and not listed:
            result = Failure(message, "flaky")
            result.text = sketch(first.scenario, first.observation)
        else:
            result = Skipped(message)
        yield _case(first.clause, f"{first.clause} {first.signature} is reproduced", result)


def _not_laid(summary: Summary, *, strict: bool) -> Iterator[TestCase]:
    """One case for each step of laying that failed; a strict run is incomplete without them."""
    for kind in summary.not_laid:
        message = plain(kind.sentence)
        result = Error(message, "not laid") if strict else Skipped(message)
        yield _case("fencepost", f"layouts can be laid: {kind.step}", result)


def _lacking(summary: Summary) -> Iterator[TestCase]:
    """One case for each API that a features file claims and that was not there."""
    for lack in summary.missing_apis:
        failure = Failure(plain(lack.reason), "lacks")
        failure.text = plain(f"not tried without it: {', '.join(lack.clauses) or 'some scenarios'}")
        yield _case("fencepost", f"{lack.claimed} is there, as claimed", failure)


def _case(classname: str, name: str, result: Error | Failure | Skipped | None = None) -> TestCase:
    case = TestCase(plain(name), plain(classname))
    if result is not None:
        case.result = [result]
    return case


def _details(cluster: Cluster) -> str:
    lines = [f"signature: {plain(cluster.signature)}", plain(cluster.why)]
    if cluster.cause is not None:
        lines.append(f"another break explains this one: {plain(' '.join(cluster.cause))}")
    if cluster.example:
        kind = "smallest example" if cluster.shrunk else "an example"
        lines += [
            "",
            f"{kind}, scenario {cluster.example_id}:",
            sketch(cluster.example, cluster.observation),
        ]
    return "\n".join(lines)


def _counts(count: ClauseCount) -> str:
    exercised = f"exercised in {count_of(count.exercised, 'scenario')}"
    if not count.sides:
        return exercised
    return f"{exercised}: {count.below} below, {count.at} at, {count.above} above the fence"
