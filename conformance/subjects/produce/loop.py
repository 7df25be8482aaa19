"""The loop over scenarios of produce: batch by batch they are drawn, played side by side, and
judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.batch_loop import BatchLoop
from generators.produce.histories import (
    config_change_histories,
    limit_histories,
    long_record_histories,
    mixed_histories,
    produce_histories,
    producer_id_histories,
    recompression_histories,
    sequence_histories,
)
from generators.produce.relations import produce_relations
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import UseTopic

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from spec.scenario import Scenario

STRATEGIES = (
    produce_histories(),
    produce_histories(),
    sequence_histories(),
    produce_histories(),
    recompression_histories(),
    produce_histories(),
)
"""What is drawn for each broker."""


def strategies_for(semantics: ProduceSemantics) -> tuple[SearchStrategy[Scenario], ...]:
    """What is drawn for a broker, batch by batch in turn."""
    long_records = (long_record_histories(),) if semantics.limits_unpacked_records else ()
    return (
        *STRATEGIES,
        mixed_histories(),
        limit_histories(semantics.request_max_bytes),
        config_change_histories(),
        *long_records,
        producer_id_histories(semantics.transaction_max_ms),
    )


class ProduceLoop(BatchLoop):
    """One run on produce; see `Loop`."""

    subject = "produce"
    batch = 32

    def _strategy(self, number: int) -> SearchStrategy[Scenario]:
        strategies = strategies_for(self.player.semantics.of(ProduceSemantics))
        return strategies[number % len(strategies)]

    @property
    def _limits_unpacked_records(self) -> bool:
        """Whether the release has `max.decompressed.message.bytes`."""
        return self.player.semantics.of(ProduceSemantics).limits_unpacked_records

    def _worked_examples(self) -> list[Scenario]:
        """The worked examples whose topics the release can have."""
        return [one for one in super()._worked_examples() if not self._unplayable(one)]

    def _unplayable(self, scenario: Scenario) -> str:
        limited = any(
            isinstance(step, UseTopic) and step.settings.max_decompressed for step in scenario.steps
        )
        if limited and not self._limits_unpacked_records:
            return "the release has no max.decompressed.message.bytes"
        return ""

    def _relations(self, scenario: Scenario) -> tuple[str, ...]:
        return produce_relations(scenario)
