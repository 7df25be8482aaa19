"""Finding out which readings a broker follows: of an open draft, and of the clauses that released
brokers are judged by.
"""
