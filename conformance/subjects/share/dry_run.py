"""The player of share groups without a broker: the model, or the model with a planted
fault, answers in this very process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.engine.dry_run import DryRun
from spec.share.dry_run import answer_all
from spec.share.model.seams import REFERENCE, Sharing

if TYPE_CHECKING:
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class ShareDryRun(DryRun):
    """Plays histories of share groups on the model.

    Args:
        semantics: what it is judged by, and answers by.
        sharing: how the groups are handled.
    """

    def __init__(self, semantics: Semantics, sharing: Sharing = REFERENCE) -> None:
        super().__init__(semantics)
        self._sharing = sharing

    def _answer_all(self, scenario: Scenario) -> Observation:
        return answer_all(scenario, self.semantics, self._sharing, patient=True)
