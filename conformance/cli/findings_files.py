"""The findings files that a run writes: `--update-findings` and `--prune-findings`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.cli.errors import wrong
from conformance.findings import Sightings, read_findings, stale
from conformance.findings.editing import Entry, with_entries, without_entries
from conformance.findings.file import applies
from results.cases import case_file
from results.files import write_whole
from results.text import count_of, plain
from spec.events import Judged
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from conformance.cli.asked_files import AskedFiles
    from results.clusters import Cluster
    from results.summary import Summary
    from spec.events import Event, RunStarted

_LONGEST = 1000
"""Characters of expected against found in an entry's evidence."""


@dataclass(slots=True)
class FindingsWriter:
    """Follows a run, and writes findings files by what it showed.

    Attributes:
        updated: the file that gets what broke; None for none. One that is not there is made.
        pruned: the file that loses what does not happen any more; None for none.
        whole: whether the run asks about all clauses: only then may a finding that did not happen
            be stale.
        strict: whether a deviation counts as a break.
    """

    updated: Path | None
    pruned: Path | None
    whole: bool
    strict: bool
    _sightings: Sightings = field(default_factory=Sightings)

    def check_files(self) -> tuple[Path, ...]:
        """See before the run that the files can be read and written; give those that are there:
        their findings count in the run.

        Raises:
            ClickException: one can't be written later, or the file to be pruned is not there.
            FindingsError: one can't be read.
        """
        if self.pruned is not None:
            read_findings(self.pruned)
        if self.updated is not None and not self.updated.exists():
            if not self.updated.absolute().parent.is_dir():
                raise wrong(
                    f"--update-findings: expected a folder for {self.updated}, found none; make it "
                    "or name another file"
                )
            return tuple([one for one in (self.pruned,) if one is not None])
        found = [one for one in (self.updated, self.pruned) if one is not None]
        return tuple({one.resolve(): one for one in found}.values())

    def __call__(self, event: Event) -> Iterable[Event]:
        """See one event."""
        if isinstance(event, Judged) and (self.updated or self.pruned):
            self._sightings.see(event.verdicts)
        return ()

    def write(self, summary: Summary, asked: AskedFiles) -> Iterator[str]:
        """Write the files once the run is over; lines on what was done. One that can't be written
        is as it was, and noted.

        Raises:
            FindingsError: a file is none any more.
        """
        header = summary.header
        if header is None:
            return
        if self.pruned is not None:
            with asked.writing():
                yield self._prune(self.pruned, header, summary)
        if self.updated is not None:
            with asked.writing():
                yield self._update(self.updated, header, summary)

    def _prune(self, file: Path, header: RunStarted, summary: Summary) -> str:
        """Take the stale findings of the run's system and release out of a file."""
        if why := self._why_nothing_is_stale(summary):
            return f"{file}: nothing was taken out: {why}"
        findings = read_findings(file)
        system = header.facts.get("implementation", "")
        version = header.facts.get("kafka.version", "")
        mine = [one for one in findings if applies(one, header.release, system, version)]
        gone = stale(
            mine, self._sightings.happened, self._sightings.exercised, self._sightings.sided
        )
        numbers = {number for number, one in enumerate(findings) if one in gone}
        if not numbers:
            return f"{file}: no finding is stale"
        write_whole(file, without_entries(file.read_text(encoding="utf-8"), numbers))
        named = ", ".join([f"{one.clause} '{one.signature}'" for one in gone])
        return f"{file}: {count_of(len(gone), 'stale finding')} taken out: {named}"

    def _why_nothing_is_stale(self, summary: Summary) -> str:
        """Why no finding is known to be stale though it did not happen; empty where one may be."""
        if summary.footer is None or summary.footer.reason != "done":
            return "the run did not come to its end"
        if summary.total("inconclusive"):
            return "the run is inconclusive"
        return "" if self.whole else "the run asked about some clauses alone"

    def _update(self, file: Path, header: RunStarted, summary: Summary) -> str:
        """Add what broke, and is not known, to a file; its user writes the reasons."""
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        broke = [cluster for cluster in summary.clusters if self._is_new_break(cluster)]
        entries: dict[tuple[str, str], Entry] = {}
        for cluster in broke:
            entry = _entry(cluster, header)
            entries.setdefault(entry.key, entry)
        content, new = with_entries(text, list(entries.values()))
        if not new:
            return f"{file}: nothing to add"
        write_whole(file, content)
        named = ", ".join([f"{one.clause} '{one.signature}'" for one in new])
        return f"{file}: {count_of(len(new), 'finding')} added, whose reasons are yours: {named}"

    def _is_new_break(self, cluster: Cluster) -> bool:
        outcomes = {Outcome.VIOLATES, Outcome.DEVIATES} if self.strict else {Outcome.VIOLATES}
        return cluster.known is None and cluster.outcome in outcomes


def _entry(cluster: Cluster, header: RunStarted) -> Entry:
    """The entry of a findings file for a kind of break."""
    implementation = header.facts.get("implementation", "unknown")
    example = "smallest case" if cluster.shrunk else "an example, not shrunk"
    case = f"; {example}: {case_file(cluster)}" if cluster.example is not None else ""
    return Entry(
        cluster.clause,
        cluster.signature,
        f"{plain(cluster.why, _LONGEST)}; seen in run {header.run} with seed {header.seed}{case}",
        "" if implementation == "unknown" else implementation,
        header.release,
    )


def all_findings_files(files: Sequence[Path], writer: FindingsWriter) -> tuple[Path, ...]:
    """The findings files of a run, each once: those that it reads, and those that it writes."""
    return tuple({one.resolve(): one for one in (*files, *writer.check_files())}.values())
