"""What `kind` says in files is part of the format: renaming a class must not change it
unnoticed.
"""

from spec.canonical import kind_of, known_classes
from spec.layout import Batch, Marker
from spec.outcomes import Outcome
from spec.steps import Step

STEPS = """
    fetch append delete_records
    share_fetch share_acknowledge drop_connection name_group find_share_coordinator
    alter_share_group_offsets
    delete_share_group_offsets alter_group_config restart_broker pause
    join_group sync_group heartbeat leave_group describe_group consumer_group_heartbeat
    share_group_heartbeat
    streams_group_heartbeat member_commit member_offset_fetch alter_broker_config restart_with
    wait_for
    list_offsets append_timed offset_for_leader_epoch offset_commit offset_fetch
    use_topic change_topic produce init_producer look_up_time end_offsets read_back
    use_segments alter_segments append_batch resend_batch describe_log_dirs ask_offset ask_time
    read_segments look_at_files await_retention
    create_topics create_partitions describe_topics list_partitions describe_configs alter_configs
    limit_connections open_connection close_connection limit_listener open_on_listener
    close_on_listener
    start_client assign_partitions subscribe_topics poll pause_partitions resume_partitions seek_to
    ask_position
    commit_positions acknowledge_records idle close_client send_records limit_messages
    damage_batch cut_response fail_partition fail_sessions give_otherwise move_leader truncate_log
    end_locks
    refuse_members
    look_at_brokers write read ask_latest ask_epoch_end elect_leader stop_broker
    kill_broker start_broker
"""
OUTCOMES = """
    fetch_answer append_answer closed silent garbled not_sent not_ready
    share_fetch_answer share_acknowledge_answer group_changed done
    join_group_answer group_answer member_heartbeat_answer group_described broker_changed passed
    list_offsets_answer epoch_end_answer offset_commit_answer offset_fetch_answer
    topic_ready topic_changed producer_given time_found produce_answer no_answer end_offsets_answer
    read_answer
    segments_ready log_dir_answer offset_answer segments_read files_seen
    topics_answer partition_page configs_described configs_altered connections_held
    listener_connections
    brokers write_answer read_result latest_answer epoch_end moved not_moved replicas
    poll_returned position_returned commit_returned records_sent step_done
"""


def test_steps_keep_their_names() -> None:
    assert {kind_of(step) for step in known_classes(Step)} == set(STEPS.split())


def test_outcomes_keep_their_names() -> None:
    assert {kind_of(outcome) for outcome in known_classes(Outcome)} == set(OUTCOMES.split())


def test_a_batch_goes_without_a_name_and_a_marker_has_one() -> None:
    assert (kind_of(Batch), kind_of(Marker)) == (None, "marker")
