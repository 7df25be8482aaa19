"""The clauses about several brokers, by what is asked."""
