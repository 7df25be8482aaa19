"""A scenario as a program of its own, which shows a break on a broker without Fencepost."""
