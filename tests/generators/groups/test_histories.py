"""What is drawn about groups: within what a report takes for all there is, and nearly all of it."""

from generators.drawing import collect
from generators.groups.classic import classic_histories
from generators.groups.committing import committing_histories
from generators.groups.migrating import mixed_histories, upgraded_histories
from generators.groups.named import named_histories, streams_histories
from generators.groups.relations import all_group_relations, group_relations
from generators.groups.restarting import restart_histories


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
            committing_histories(),
        )
        for scenario in collect(strategy, seed=5, count=250)
    ]
    assert {
        relation for scenario in drawn for relation in group_relations(scenario)
    } == all_group_relations()
