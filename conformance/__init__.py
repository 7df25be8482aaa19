"""Systems under test, the wire, replay, the run loop and the command line."""
