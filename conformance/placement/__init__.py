"""Laying layouts on a broker: pooled partitions, offset windows, forced segment rolls,
transactions.
"""
