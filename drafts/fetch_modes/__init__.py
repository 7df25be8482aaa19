"""A draft of our own: the acquire modes of KIP-1206, which share groups have, for classic fetches.

It is small, and shows what a draft has to bring.
"""
