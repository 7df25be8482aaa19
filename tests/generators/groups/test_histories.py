"""What is drawn about groups: within what a report takes for all there is, and nearly all of it."""

from generators.drawing import collect
from generators.groups.histories import (
    all_group_relations,
    classic_histories,
    group_relations,
    mixed_histories,
    named_histories,
    restart_histories,
    streams_histories,
    upgraded_histories,
)


def test_drawn_histories_have_every_relation_that_is_said_to_be_there_and_no_other() -> None:
    drawn = [
        scenario
        for strategy in (
            classic_histories(2),
            named_histories(2),
            streams_histories(2),
            restart_histories(3, 2),
            mixed_histories(),
            upgraded_histories(),
        )
        for scenario in collect(strategy, seed=5, count=250)
    ]
    assert {
        relation for scenario in drawn for relation in group_relations(scenario)
    } == all_group_relations()
