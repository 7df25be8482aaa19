"""Each broker config that a scenario may ask for is one that a served model takes, and that is read
back where the broker has to have it already.
"""

import pytest

from conformance.facts import LIMITS, SHARE_BOUNDS, SHARE_LIMITS
from conformance.serve.settings import Settings
from conformance.subjects.registry import runner_of
from spec.subject import Subject
from spec.subject_registry import SUBJECTS

READ_BACK = {*LIMITS, *SHARE_LIMITS, *SHARE_BOUNDS}


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_each_config_of_a_scenario_can_be_had_and_read_back(subject: Subject) -> None:
    for name, values in subject.configs.items():
        assert Settings("4.3.1", {name: str(max(1, values.low))}).config
        if not runner_of(subject.name).sets_config:
            assert name in READ_BACK
