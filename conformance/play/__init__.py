"""The one player: a scenario is a task group, each of its actors a coroutine, a restart of the
broker an event they wait for.
"""
