"""The commands that this draft brings."""

COMMANDS = {
    "cost": (
        "drafts.max_records.cost_command:cost",
        "Show which fetched bytes a consumer throws away.",
    )
}
"""Where each command is, and its help in one line; imported when it is called."""
