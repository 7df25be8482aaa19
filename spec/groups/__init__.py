"""Group size limits: how many members a group may have, and what becomes of those who come when it
is full.
"""
