"""Produce: which batches a broker accepts, what it answers, and what it stores of them."""
