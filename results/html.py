"""The report as one HTML page: one script of our own, no outside address, everything from outside
escaped.
"""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from results.cases import case_file_of
from results.clauses import Clauses
from results.clusters import Order, order_of
from results.coverage import SIDES, Coverage
from results.drawn_readings import draw_readings
from results.figures import short_sides
from results.headline import State, headline_of
from results.heat_map import MEANINGS, SIGNS, STATES, UNEXERCISED, HeatMap, break_rate, heat_map
from results.page_picture import draw_for_page
from results.reproduce import replaying, reproduction
from results.text import count_of, number, plain
from spec.canonical import FormatError, file_form, from_json, identity
from spec.events import RunStarted
from spec.flaky import is_too_flaky
from spec.frozen import frozen, replace
from spec.judgement import EVERY_CLAUSE
from spec.known import plain_facts
from spec.observation import Observation
from spec.scenario import Scenario
from spec.verdict import Outcome

TEMPLATES = Path(__file__).parent / "templates"
MOST_CLUSTERS = 60
"""Kinds of difference drawn; the tables have them all."""
MOST_OPEN = 3
"""Differences that stand open at first; a list before them names and links all."""
MOST_LISTED = 12
"""Known differences that are shown at first; of more, their number."""
MOST_DRAWN_BYTES = 2_500_000
"""Bytes of all pictures and examples together, from which on only the words are given."""
MOST_ROWS = 100
"""Rows of a table over many runs; the tables have them all."""

Row = Mapping[str, Any]


@frozen
class ManyRuns:
    """Rows of the jobs over many runs, see `results.job_tables`.

    Attributes:
        along_releases, flaky_rates, lift, interactions, readings_left: of the jobs of these names.
    """

    along_releases: tuple[Row, ...] = ()
    flaky_rates: tuple[Row, ...] = ()
    lift: tuple[Row, ...] = ()
    interactions: tuple[Row, ...] = ()
    readings_left: tuple[Row, ...] = ()


@frozen
class Page:
    """The content of the page: the headers of the runs, what was covered, and the rows of the jobs
    and of the small tables.

    Attributes:
        scores, not_given: how much of its requirement set a run exercised, and why verdicts could
            not be given; of a single run only.
        causes: the break that explains another one, by clause and signature; of a single run only.
        many: of several runs only.
        folders: the run folders, by the run's id; a scenario file that lies in one is named.
    """

    headers: tuple[RunStarted, ...]
    runs: tuple[Row, ...]
    matrix: tuple[Row, ...]
    clusters: tuple[Row, ...]
    coverage: Coverage
    readings: tuple[Row, ...]
    broken_lines: tuple[Row, ...]
    regressions: tuple[Row, ...] = ()
    costs: tuple[Row, ...] = ()
    flaky: tuple[Row, ...] = ()
    scores: tuple[Row, ...] = ()
    not_given: tuple[Row, ...] = ()
    causes: Mapping[tuple[str, str], str] = field(default_factory=dict)
    many: ManyRuns = field(default_factory=ManyRuns)
    folders: Mapping[str, Path] = field(default_factory=dict)


@frozen
class _Difference:
    """A kind of difference as the page shows it.

    Attributes:
        row: of the job.
        anchor: its id in the page.
        state: its word: the outcome, or `known`.
        expected, observed: the halves of its reason; both empty where it has no such halves.
        cause: the break that explains it; empty where none does.
        wide, narrow: its picture, for a desk and for a phone; empty where it is not drawn.
        note: why it is not drawn.
        text: the example's scenario file.
        command: what plays it again; empty without an example.
        named: whether the command names a file that is there.
        id: the scenario's.
    """

    row: Row
    anchor: str
    state: str
    expected: str = ""
    observed: str = ""
    cause: str = ""
    wide: str = ""
    narrow: str = ""
    note: str = ""
    text: str = ""
    command: str = ""
    named: bool = False
    id: str = ""

    @property
    def drawn_bytes(self) -> int:
        """Bytes of its pictures and its example."""
        return len(self.wide) + len(self.narrow) + len(self.text)


def page(found: Page, clauses: Clauses) -> str:
    """The page's text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(plain=plain, number=number, counted=count_of)
    environment.filters.update(percent=_percent, coded=_mark_code, words=_mark_words)
    environment.globals.update(break_rate=break_rate)
    style, script = (
        (TEMPLATES / f"report.{name}").read_text(encoding="utf-8") for name in ("css", "js")
    )
    word, sentence = headline_of(_state(found))
    clusters = sorted(found.clusters, key=_rank)
    shown = _differences(found, clusters[:MOST_CLUSTERS])
    left = Counter([_state_of(row) for row in clusters[MOST_CLUSTERS:]])
    mapped = heat_map(found.matrix, clauses)
    return environment.get_template("report.html").render(
        page=found,
        planted=_planted_faults(found.headers),
        word=word,
        look=_LOOKS.get(word, "deviates"),
        sentence=sentence,
        style=Markup(style),  # noqa: S704  our own file
        style_hash=_digest(style),
        script=Markup(script),  # noqa: S704  our own file
        script_hash=_digest(script),
        differences=[one for one in shown if one.state not in {"known", "inconclusive"}],
        listed=[one for one in shown if one.state == "known"],
        doubts=[one for one in shown if one.state == "inconclusive"],
        more_differences=left["violates"] + left["deviates"] + left["known"],
        more_doubts=left["inconclusive"],
        clauses=clauses,
        map=mapped,
        tallies=_tallies(mapped, found.runs),
        states=STATES,
        every_state=(*STATES, UNEXERCISED),
        signs=SIGNS,
        meanings=MEANINGS,
        costs=sorted(found.costs, key=_today_first),
        most_fetched=max([row["fetched"] for row in found.costs], default=0),
        limits=_limits(found.coverage),
        holes=_holes(found, clauses),
        excluded=[(clause.id, clause.excluded) for clause in clauses.values() if clause.excluded],
        facts=[
            (header, plain_facts(header.facts), reproduction(header)) for header in found.headers
        ],
        many=_shown_of(found.many),
        most_rows=MOST_ROWS,
        most_open=MOST_OPEN,
        most_listed=MOST_LISTED,
        readings=draw_readings(
            found.readings, MOST_DRAWN_BYTES - sum([one.drawn_bytes for one in shown])
        ),
        moved=[row for row in found.regressions if row["new"] or row["changed"] or row["fixed"]],
    )


_LOOKS = {"VIOLATES": "violates", "LACKS": "violates", "CONFORMS": "conforms"}
_LOOKS |= {"INCONCLUSIVE": "inconclusive"}


def _state(found: Page) -> State:
    unlisted = [row for row in found.clusters if row["known"] is None]

    def clauses_that(outcome: str) -> tuple[str, ...]:
        return tuple(sorted({str(row["clause"]) for row in unlisted if row["outcome"] == outcome}))

    def total(name: str) -> int:
        return sum(row[name] for row in found.matrix)

    return State(
        violated=clauses_that("violates"),
        deviating=clauses_that("deviates"),
        violates=total("violates"),
        deviates=total("deviates"),
        known=total("known"),
        inconclusive=total("inconclusive"),
        exercised=total("exercised"),
        broken=any(run["reason"] == "broken" for run in found.runs),
        whole=not (found.broken_lines or any(run["truncated"] for run in found.runs)),
        interrupted=any(run["reason"] == "interrupted" for run in found.runs),
        too_undecided=is_too_flaky(
            sum(row["clause"] == EVERY_CLAUSE for row in found.flaky),
            sum(run["judged"] for run in found.runs),
        ),
    )


def _tallies(mapped: HeatMap, runs: Sequence[Row]) -> list[tuple[Row, Mapping[str, int]]]:
    """Each implementation: its name, its runs and their scenarios; and how many clauses have each
    state there.
    """
    found: list[tuple[Row, Mapping[str, int]]] = []
    for column, one in enumerate(mapped.implementations):
        own = [row for row in runs if (row["system"], row["kafka"]) == (one.system, one.kafka)]
        about = {
            "system": one.system,
            "kafka": one.kafka,
            "runs": len(own),
            "judged": sum(row["judged"] for row in own),
        }
        found.append((about, mapped.tally(column)))
    return found


def _today_first(row: Row) -> tuple[str, int, bool, str]:
    return str(row["shape"]), row["records"], row["reading"] != "today", str(row["reading"])


def _rank(row: Row) -> tuple[bool, Order]:
    """What differs first, the worst first; then what could not be judged."""
    order = order_of(
        row["known"], Outcome(row["outcome"]), row["count"], row["clause"], row["signature"]
    )
    return _state_of(row) == "inconclusive", order


def _state_of(row: Row) -> str:
    return "known" if row["known"] is not None else str(row["outcome"])


def _differences(found: Page, clusters: Sequence[Row]) -> list[_Difference]:
    """The kinds as they are shown, drawn as long as there is room."""
    headers = {header.run: header for header in found.headers}
    left, shown = MOST_DRAWN_BYTES, list[_Difference]()
    for row in clusters:
        one = _difference(found, row, headers.get(row["run"]), left)
        left -= one.drawn_bytes
        shown.append(one)
    return shown


def _difference(found: Page, row: Row, header: RunStarted | None, left: int) -> _Difference:
    kind = f"{row['clause']}-{row['signature']}-{row['outcome']}"
    halves = _HALVES.fullmatch(row["example_why"] or "")
    known = "" if row["known"] is None else f"-{_digest(row['known'])[:6]}"
    base = _Difference(
        row=row,
        anchor=re.sub(r"[^A-Za-z0-9]+", "-", kind + known).strip("-"),
        state=_state_of(row),
        expected=halves[1] if halves else "",
        observed=halves[2] if halves else "",
        cause=found.causes.get((row["clause"], row["signature"]), ""),
    )
    if row["example_json"] is None:
        note = "the line of its layout was lost, so the example can't be drawn"
        return replace(base, note=note)
    try:
        scenario = from_json(Scenario, row["example_json"])
        observation = (
            from_json(Observation, row["observation_json"]) if row["observation_json"] else None
        )
    except FormatError as error:
        return replace(base, note=f"the example can't be drawn: {error}")
    file, named = _case(found, row)
    base = replace(
        base,
        id=identity(scenario),
        command=replaying(header, file) if header is not None else "",
        named=named,
    )
    wide, narrow = draw_for_page(scenario, observation)
    text = json.dumps(file_form(scenario), separators=(",", ":"))
    drawn = replace(base, wide=wide, narrow=narrow, text=text)
    if drawn.drawn_bytes > left:
        return replace(base, note="its picture was left out: the page is full")
    return drawn


_HALVES = re.compile(r"(?:[^:]{0,60}: )?expected (.+), (?:found|observed) (.+)", re.DOTALL)


def _case(found: Page, row: Row) -> tuple[str, bool]:
    """The scenario file of a kind, and whether it is in its run's folder."""
    file = case_file_of(row["clause"], row["signature"])
    folder = found.folders.get(row["run"])
    if folder is not None and (folder / file).is_file():
        return str(folder / file), True
    return Path(file).name, False


def _limits(coverage: Coverage) -> list[tuple[str, list[tuple[str, int | None, str]]]]:
    """The pairs of limits as a square: for each limit each other one, with how many of the nine
    pairs of sides were met and the missing ones; None on the diagonal. Limits that no other one
    came with are left out.
    """
    hits = {(one.one, one.other): one for one in coverage.pairs}
    names = sorted({name for pair, one in hits.items() if one.hit for name in pair})

    def cell(one: str, other: str) -> tuple[str, int | None, str]:
        pair = hits.get((one, other)) or hits.get((other, one))
        return (other, None, "") if pair is None else (other, pair.hit, ", ".join(pair.missing))

    return [(one, [cell(one, other) for other in names]) for one in names]


def _shown_of(many: ManyRuns) -> Mapping[str, Any]:
    """What the page shows of the jobs over many runs."""
    changes = [row for row in many.along_releases if row["change"] in {"worse", "better"}]
    lifts = [row for row in many.lift if row["together"] >= LEAST_TOGETHER and row["lift"] > LIFTED]
    pairs: dict[str, list[Row]] = {}
    for row in many.interactions:
        pairs.setdefault(row["subject"], []).append(row)
    return {
        "changes": sorted(changes, key=lambda row: (row["change"] == "better", row["clause"])),
        "flaky": sorted(many.flaky_rates, key=lambda row: -row["plays"]),
        "lift": sorted(lifts, key=lambda row: (-row["lift"], -row["together"], row["clause"])),
        "holes": {
            subject: (len(rows), [row for row in rows if not row["count"]])
            for subject, rows in sorted(pairs.items())
        },
        "readings": many.readings_left,
    }


LEAST_TOGETHER = 5
"""Scenarios with a break and a feature from which on their coming together is shown."""
LIFTED = 1.5
"""How much more often than without regard to the feature."""


def _mark_code(text: str) -> Markup:
    """Text escaped, with what stands between backticks as code."""
    parts = [
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(plain(text).split("`"))
    ]
    return Markup("").join(parts)


def _mark_words(command: str) -> Markup:
    """A command escaped, each word of it marked, so that a line ends between words."""
    words = plain(command).split(" ")
    marked = [Markup('<span class="word">{}</span>').format(word) if word else "" for word in words]
    return Markup(" ").join(marked)


def _planted_faults(headers: Iterable[RunStarted]) -> dict[str, str]:
    """What was planted in what a run tested, in words, by the run; runs without are left out."""
    found: dict[str, str] = {}
    for header in headers:
        options = {name.replace("-", "_"): value for name, value in header.options.items()}
        kinds = (("fault", "planted fault"), ("client_fault", "planted client fault"))
        named = [f"the {words} {options[kind]}" for kind, words in kinds if options.get(kind)]
        if named:
            found[header.run] = " and ".join(named)
    return found


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.3g} %"


def _digest(text: str) -> str:
    return base64.b64encode(
        hashlib.sha256(text.encode(errors="backslashreplace")).digest()
    ).decode()


def _holes(found: Page, clauses: Clauses) -> list[tuple[str, str]]:
    """Clauses that can be tested and were not, or hardly, on some side of their fence."""
    met: dict[str, dict[str, int]] = {}
    for row in found.matrix:
        sides = met.setdefault(row["clause"], dict.fromkeys((*SIDES, "exercised"), 0))
        for name in sides:
            sides[name] += row[name]
    reasons = {
        clause: str(one["reason"])
        for row in found.scores
        for one in row["not_exercised"]
        for clause in one["clauses"]
    }
    return list(_holes_of(met, clauses, reasons))


def _holes_of(
    met: Mapping[str, Mapping[str, int]], clauses: Clauses, reasons: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    for clause in clauses.values():
        if clause.excluded:
            continue
        sides = met.get(clause.id)
        if sides is None or not sides["exercised"]:
            yield clause.id, reasons.get(clause.id, "its condition never arose")
            continue
        thin = [f"{sides[side]} {side}" for side in short_sides(sides, clause.sides)]
        if thin:
            yield clause.id, f"met only {', '.join(thin)} its fence"
