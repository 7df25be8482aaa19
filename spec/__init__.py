"""The executable specification of Apache Kafka's limits: vocabulary, clauses, model and judge.

Nothing here does I/O, reads a clock or draws a random number, and nothing but the standard library
is imported.
"""
