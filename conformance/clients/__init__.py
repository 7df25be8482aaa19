"""Real clients, and what their users see: here, when a group is full."""
