"""The contracts of counting hold for all whole numbers, as far as CrossHair can see: it says so for
every path.
"""

import pytest

from tests.spec.test_contracts import (
    test_crosshair_confirms_the_contracts_over_all_paths as confirms,
)


@pytest.mark.system
def test_crosshair_confirms_the_contracts_of_counting() -> None:
    confirms("drafts/max_records/counting.py", 11)
