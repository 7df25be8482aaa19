"""Share groups (KIP-932) and their acquire modes (KIP-1206): vocabulary, model, clauses and
judge.
"""
