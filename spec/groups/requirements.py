"""The published requirement sets about the sizes of groups."""

FROZEN = {
    "groups-4.0@1": "617981416306ee17b5a398fbd6b80708efa62aed06a3fde9e50233f24feab45e",
    "groups-4.1@1": "e9703b7cbd5ccd2689687f1c1e62afe82e64cfa56bd8b05f5f214e8db39da8c0",
    "groups-4.2@1": "384cb14057fb9cff8dc11d207562c49b857a763a0f6cae4972c21b95d892da5a",
    "groups-4.3@1": "729cab86fee85607d798a2a737da5a277bb79cf3aab038864c6bc23108046d01",
    "groups-4.4@1": "f5b4c650a14518577ebd0a6d9832a4299be9893f3750ec528f4104a627295635",
    "groups-4.0@2": "b3c4169cacf1e5a30a40c28ddebecfe55288c181ca26316dc91a9c92ed162c89",
    "groups-4.1@2": "a7f8f7c11a66fa4e33f37b305f51bef80a0a5b3aefdbbf70e060551677005cff",
    "groups-4.2@2": "64dfb5e6b9cd0b1adb4bb83ba25adaeeea66648163ae04d20be0591d53ac7679",
    "groups-4.3@2": "c6643a06d29d7a6a4cf75c6d28f9e2a93f6927666c5da341cd6347a90c2ddaa0",
    "groups-4.4@2": "723b1574c87fecd24f4058a4194b634704e1787278f41d1fea99999743d566fc",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
