"""The run loop: it draws, places, asks and judges, and yields events; it knows none of their consumers."""
