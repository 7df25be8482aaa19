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
    "replication-4.0@3": "25106f5efd5a070510df9379951f58a000cb527767b3c5d470c6d964ac4b8fc0",
    "replication-4.1@3": "cae1743ec6e375fe6d18d6496c806e29bba9237e62c13bb653be811721e85ed1",
    "replication-4.2@3": "417d58b80f3c6407e803714e98d9e86426b3d98217b2af69bcac924e078a39fd",
    "replication-4.3@3": "149a90da0b6585cc5313fb1ef4af195cb3637e9e9efe1c276554f7bc20269580",
    "replication-4.4@3": "724d6d3bbe712a390f259deb0305f3a6fbd83b66830c5b5ff3e47699b11cb1a5",
    "replication-4.0@4": "2168bbb54bec6c748dba9fd9a59a093cbb4c94aad05c17d98b511bffeacec70f",
    "replication-4.1@4": "885b29c6f50271eb0e91a9dbaa242b353dfb54eeaec3636e1367b7b3444e3211",
    "replication-4.2@4": "d3171aeb3b51a83336391de7b72d43419014bda0f1daaa3390c6dbb5a33fdeca",
    "replication-4.3@4": "565363b85b186ff1cec8f6d5a02e71de7abc3b687ce9896f30cafccc930b9bb3",
    "replication-4.4@4": "37d63949180469717449ae865ed51949eaff4e5f9d2bac8139ab3d1df62eeb0b",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
