"""The published requirement sets about several brokers."""

FROZEN = {
    "replication-4.0@1": "42edce973fe3b3a50b65e229dca9fd51db54a3c6fe99dee8e96ae2f4b197aaa2",
    "replication-4.1@1": "feef0959a7f72c0de76a8f56487a4d64dd5754aea0fbe1a17c59f6e5d9d82b87",
    "replication-4.2@1": "7c7f2164e17b233b68674998682fb58dbcf40f7fb2bb8bc35ee574c0f6453692",
    "replication-4.3@1": "079aa4c8765c0ebbeca09601fbb6e50e4ea1f4a8220507c87b7b4299f3a04a69",
    "replication-4.4@1": "765933fd54269f229bdf4e357232250b5b2cf54bcb7c2f3bf7902bf47028207e",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
