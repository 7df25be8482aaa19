"""Faults that are planted on purpose, so that anyone can watch the suite find one."""
