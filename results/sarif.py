"""A run as SARIF 2.1.0, the form in which build servers and editors take findings: a rule for each
clause that counts, a result for each kind of break.
"""

from pathlib import Path
from typing import Any

import msgspec

from results.cases import case_file
from results.clauses import Clauses
from results.clusters import Cluster, by_cause
from results.files import write_whole
from results.headline import headline
from results.picture_text import sketch
from results.reproduce import reproduction
from results.summary import Summary
from results.text import count_of, plain, without_surrogates
from spec.verdict import Outcome

VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LACKS = "lacks"
"""The rule of what a features file claims and was not there."""
_RUN = "RUN"
"""The base of the places of scenario files."""


def write_sarif(summary: Summary, clauses: Clauses, path: Path, *, strict: bool = False) -> Path:
    """Write the run as SARIF.

    Args:
        summary: the run.
        clauses: the catalogue, for what the clauses say.
        path: the file.
        strict: a deviation is an error, as under `--strict`; otherwise it is a note.

    Raises:
        ReportError: it can't be written.
    """
    data = msgspec.json.encode(without_surrogates(sarif(summary, clauses, strict=strict)))
    return write_whole(path, msgspec.json.format(data, indent=2) + b"\n")


def sarif(summary: Summary, clauses: Clauses, *, strict: bool = False) -> dict[str, Any]:
    """The run as SARIF, see `write_sarif`."""
    counted_here = [one.clause for one in summary.clauses if one.clause in clauses]
    broken = [one.clause for one in summary.clusters if one.clause not in counted_here]
    rules = [*counted_here, *dict.fromkeys(broken), LACKS]
    index = {name: number for number, name in enumerate(rules)}
    heads = {one.kind: head for head, some in by_cause(summary.clusters) for one in (head, *some)}
    results = [
        _result(one, heads[one.kind], index[one.clause], strict=strict) for one in summary.clusters
    ]
    results += [
        {
            "ruleId": LACKS,
            "ruleIndex": index[LACKS],
            "level": "error",
            "message": {"text": plain(one.reason)},
            "locations": [_location("events.jsonl")],
            "partialFingerprints": {"clauseAndSignature/v1": f"{LACKS} {one.claimed}"},
        }
        for one in summary.missing_apis
    ]
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": _driver(summary, clauses, rules)},
                **_about(summary),
                "originalUriBaseIds": {
                    _RUN: {"description": {"text": "the folder of the run, under --out"}}
                },
                "results": results,
            }
        ],
    }


def _driver(summary: Summary, clauses: Clauses, rules: list[str]) -> dict[str, Any]:
    header = summary.header
    driver = {
        "name": "Fencepost",
        "rules": [_rule(name, clauses) for name in rules],
    }
    return {**driver, "version": plain(header.fencepost)} if header is not None else driver


def _rule(name: str, clauses: Clauses) -> dict[str, Any]:
    if name == LACKS:
        return {"id": name, "shortDescription": {"text": "What is claimed is there."}}
    info = clauses.get(name)
    if info is None:
        return {"id": plain(name)}
    return {
        "id": name,
        "shortDescription": {"text": plain(info.statement)},
        "help": {"text": f"`fencepost spec {name}` names its sources and shows examples."},
        "properties": {"strength": info.strength.value},
    }


def _about(summary: Summary) -> dict[str, Any]:
    """The invocation, and what was asked of which system."""
    header, footer = summary.header, summary.footer
    if header is None:
        return {}
    word, sentence = headline(summary)
    done: dict[str, Any] = {
        "executionSuccessful": footer is not None and footer.reason == "done",
        "commandLine": plain(reproduction(header)),
        "startTimeUtc": plain(header.started),
    }
    if footer is not None:
        done["exitCode"] = footer.exit_code
    return {
        "automationDetails": {"id": plain(f"fencepost/{header.subject}/{header.run}")},
        "invocations": [done],
        "properties": {
            "system": plain(header.system),
            "release": plain(header.release),
            "requirementSet": plain(header.requirement_set),
            "verdict": word,
            "sentence": plain(sentence),
        },
    }


def _result(one: Cluster, head: Cluster, index: int, *, strict: bool) -> dict[str, Any]:
    explained = f" Explained by {head.clause} ({head.signature})." if head.kind != one.kind else ""
    times = count_of(one.count, "scenario")
    text = f"{plain(one.why)} ({plain(one.signature)}, {times}).{explained}"
    result: dict[str, Any] = {
        "ruleId": plain(one.clause),
        "ruleIndex": index,
        "level": level(one, strict=strict),
        "message": {"text": plain(text)},
        "locations": [_location(case_file(one) if one.example is not None else "events.jsonl")],
        "occurrenceCount": one.count,
        "partialFingerprints": {
            "clauseAndSignature/v1": plain(f"{one.clause} {one.signature}"),
        },
        "properties": {"outcome": one.outcome.value, "shrunk": one.shrunk},
    }
    if one.example is not None:
        drawn = sketch(one.example, one.observation)
        result["properties"]["case"] = "\n".join([plain(line) for line in drawn.split("\n")])
    if one.known is not None:
        result["suppressions"] = [{"kind": "external", "justification": plain(one.known)}]
    return result


def level(one: Cluster, *, strict: bool) -> str:
    """How bad a kind of break is, in SARIF's words: `error` fails the run unless it is known."""
    if one.outcome is Outcome.VIOLATES or (strict and one.outcome is Outcome.DEVIATES):
        return "error"
    return "note"


def _location(place: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": place, "uriBaseId": _RUN}}}
