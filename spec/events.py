"""The events of a run, in the order they may come. The event log is one JSON object a line, tagged
by `kind`.

A run is: `RunStarted`, then any number of the others, then `RunFinished`. A log without
`RunFinished` was cut short.
"""

from dataclasses import field

from spec.frozen import frozen
from spec.layout import Layout
from spec.observation import Observation
from spec.scenario import Scenario
from spec.steps import Step
from spec.verdict import Verdict

FORMAT = 2
"""Version of the event log's format. A reader refuses a newer one.

Since 2 a log has cursors, without which a run can't be resumed.
"""


@frozen
class RunStarted:
    """The header.

    Attributes:
        run: the run's id.
        started: UTC time, ISO 8601.
        fencepost: version of the suite.
        seed: what the drawing starts from.
        subject: what is tested, `fetch`.
        system: the system's name, `embedded`.
        release: the Kafka release it is judged as, `4.3`.
        requirement_set: the clauses that count, by name.
        facts: harmless facts of the system (kafka version, java version, limits), by name.
        options: the run's options that matter for doing it again.
        clauses: ids of the clauses that count: those of the requirement set, or of them those that
            were asked for; empty in logs that do not say it.
        hypothesis: the version of Hypothesis that draws, since a seed stands for the same cases
            with one version only; empty in logs that do not say it.
        format: version of the log's format.
    """

    run: str
    started: str
    fencepost: str
    seed: int
    subject: str
    system: str
    release: str
    requirement_set: str
    facts: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    hypothesis: str = ""
    format: int = FORMAT
    clauses: tuple[str, ...] = ()


@frozen
class LayoutPlaced:
    """A layout lies on the broker; the scenarios that follow name it by its id."""

    id: str
    layout: Layout


@frozen
class Judged:
    """One scenario was played and judged.

    Attributes:
        scenario: its id.
        layout: its layout's id.
        family: which generator made it: `question` (enumerated), `crafted` (the same, about a
            layout with holes or old formats), `history` (drawn), `reading` (asked to distinguish
            readings of a draft), `example`, `corpus`, `file`.
        steps, config: the scenario's, so that with the layout it can be put together again.
        verdicts: one for each clause that was exercised or is otherwise worth a word; no
            `unexercised` ones.
        relations: which relations of limits it stood for, by name (`partition_max_bytes=at:first`).
        observation: what came back; only kept where something diverged.
        elapsed_ms: how long the play took.
        waited_ms: how much of it was waiting for what a broker holds back, and for time to pass; 0
            where that is not measured.
    """

    scenario: str
    layout: str
    family: str
    steps: tuple[Step, ...]
    verdicts: tuple[Verdict, ...]
    config: tuple[tuple[str, str], ...] = ()
    relations: tuple[str, ...] = ()
    observation: Observation | None = None
    elapsed_ms: float = 0.0
    waited_ms: float = 0.0


@frozen
class Shrunk:
    """A diverging scenario was made as small as it goes.

    Attributes:
        clause, signature: what diverges.
        found: id of the scenario as it was found.
        scenario: the smallest one, whole.
        verdict: what its replay said.
        observation: what its replay gave.
        calls: live replays it took.
    """

    clause: str
    signature: str
    found: str
    scenario: Scenario
    verdict: Verdict
    observation: Observation
    calls: int = 0


@frozen
class Flaky:
    """A break that was observed once, and that the replay which counts did not reproduce.

    It comes before the `Judged` of its scenario, whose verdicts are those of that replay.

    Attributes:
        clause, signature: what was broken.
        scenario: the scenario, whole.
        verdict: what the first play said.
        observation: what the first play gave.
        reproduced: how many of the replays showed the same break.
        replays: how often the scenario was played again.
    """

    clause: str
    signature: str
    scenario: Scenario
    verdict: Verdict
    observation: Observation
    reproduced: int
    replays: int

    @property
    def kind(self) -> tuple[str, str]:
        """The kind of the break, see `Verdict`."""
        return self.clause, self.signature


@frozen
class ReadingRuledOut:
    """A scenario's observation does not fit a reading of a clause: it is ruled out for this
    system.

    Attributes:
        clause, reading: which.
        scenario: the scenario, whole.
        why: what does not fit.
        observation: what came back; None where it was not kept.
    """

    clause: str
    reading: str
    scenario: Scenario
    why: str
    observation: Observation | None = None


@frozen
class ReadingCost:
    """The cost for a consumer of so many records at a time to read one log to its end, computed by
    the model.

    Attributes:
        shape: what the log is like, `batches of 30`.
        reading: `today`, or a profile of the draft MaxRecords.
        records: records that the consumer can take at a time.
        held: records in the log.
        fetches: requests that returned something.
        fetched: bytes returned.
        stored: bytes of the log.
        taken: records that were read; fewer than are held where a reading lets it come no further.
    """

    shape: str
    reading: str
    records: int
    held: int
    fetches: int
    fetched: int
    stored: int
    taken: int


@frozen
class Cursor:
    """The progress of a run after a part of it: a run that is resumed continues after the last one.

    What was judged after the last cursor belongs to the part that was cut off; the part is done
    again without it.

    Attributes:
        part: the part that is done, `examples` or `chunk 3`.
        scenarios: how many were judged up to here, without those of the corpus.
        from_corpus: how many of the corpus were judged.
        not_laid: how many were left out since their layouts could not be laid, without those of the
            corpus.
        seconds: how long the run has taken, over all its resumptions.
        counters: what else the run's plan depends on: those that have changed since the cursor
            before, with their values now.
        corpus: ids of the scenarios of the corpus that are tried; in the first cursor only.
    """

    part: str
    scenarios: int = 0
    from_corpus: int = 0
    seconds: float = 0.0
    counters: tuple[tuple[str, int], ...] = ()
    corpus: tuple[str, ...] = ()
    not_laid: int = 0


@frozen
class LeftOut:
    """Something that was not asked, or could not be judged to its end.

    It is said once for each reason and clause, not for each scenario.

    Attributes:
        reason: why, `the broker does not advertise ShareFetch`.
        clauses: ids of the clauses that it would have exercised.
        claimed: the API that was not there although a features file claims it; empty otherwise.
    """

    reason: str
    clauses: tuple[str, ...]
    claimed: str = ""


@frozen
class NotLaid:
    """A layout could not be laid on the broker, so that a scenario was left out.

    Attributes:
        scenario: the scenario, whole.
        family: which generator made it, see `Judged`.
        step: what the broker did not do for the layout, `a transaction`.
        why: what was expected of it, and what was found.
        clauses: ids of the clauses that the scenario would have exercised.
        unclaimed: a features file does not claim what the layout needs, so that nothing is missing.
    """

    scenario: Scenario
    family: str
    step: str
    why: str
    clauses: tuple[str, ...] = ()
    unclaimed: bool = False


@frozen
class Note:
    """Something the reader of a run should know: a prerequisite missing, a restart, a scenario that
    was not reproduced.
    """

    text: str


@frozen
class RunFinished:
    """The footer.

    Attributes:
        reason: `done`, `interrupted`, `time`, `broken`.
        exit_code: as documented in the README.
        layouts, scenarios: how many were placed and judged.
        seconds: wall time from the first question to the last verdict.
    """

    reason: str
    exit_code: int
    layouts: int
    scenarios: int
    seconds: float


Event = (
    RunStarted
    | LayoutPlaced
    | Judged
    | Shrunk
    | Flaky
    | ReadingRuledOut
    | ReadingCost
    | Cursor
    | LeftOut
    | NotLaid
    | Note
    | RunFinished
)
