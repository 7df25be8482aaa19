"""The published requirement sets about several brokers."""

FROZEN = {
    "replication-4.0@1": "42edce973fe3b3a50b65e229dca9fd51db54a3c6fe99dee8e96ae2f4b197aaa2",
    "replication-4.1@1": "feef0959a7f72c0de76a8f56487a4d64dd5754aea0fbe1a17c59f6e5d9d82b87",
    "replication-4.2@1": "7c7f2164e17b233b68674998682fb58dbcf40f7fb2bb8bc35ee574c0f6453692",
    "replication-4.3@1": "079aa4c8765c0ebbeca09601fbb6e50e4ea1f4a8220507c87b7b4299f3a04a69",
    "replication-4.4@1": "765933fd54269f229bdf4e357232250b5b2cf54bcb7c2f3bf7902bf47028207e",
    "replication-4.0@2": "b408048fd39a01c48c0b34f61f0093cbdea721339bd5451fdbe471dc38bb5eb2",
    "replication-4.1@2": "429510562eb917463b9ac9aa832525b4f4b5e47332bd4493a1adc94b9a2d6808",
    "replication-4.2@2": "72b3e28f076df733deb83cc4cb8a079c1a661d0506f29353a3e4a8422246b3d5",
    "replication-4.3@2": "0553d7bea5a6a4dae0c561551d6e112cf0ffa789c0a3995b9d0772896a3511b1",
    "replication-4.4@2": "74638b4a385d7da14b4dbd3a0ec7e14f51d5bc261ff9b20e4921708b01f043e0",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
