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
    "groups-4.0@3": "40951105f47f43d4eda37cf893d9e749ec55f6f4a8508a3dbc9327b1969e8796",
    "groups-4.1@3": "18a66abdf0648e5bb6d12f0adcaa3dda8f28fe26da9c7abf5f3198f46e2cf4d0",
    "groups-4.2@3": "0c5d7b31b1a2e2ac4e537902dc2ee0e765900661a3041adf296febd3373d2ff2",
    "groups-4.3@3": "440c2c9889aff158a445e6505c1befea022c225797ba7b9f555c86b04d7d8dfc",
    "groups-4.4@3": "c1bb51d08606d27c9bca194f9a7d6de421a76c8e759efea2579ff3a45aa6344a",
    "groups-4.0@4": "670de5b50c44530dc0033206d139816cc92d48e148afcf99198e7b8f777e7fda",
    "groups-4.1@4": "4e74ec834b602496e3edd7c797a9aa8700f93d2966a3f26dfffec3ecd634710f",
    "groups-4.2@4": "49c4fec99f95bd0f43fd06d03ff4e4a378894ff1e0726f2d49c9af03a0798dff",
    "groups-4.3@4": "d96c28207d5560b73e93fb7232e0f0fc2d906f1d7c5201841f23d28ff67d9bd9",
    "groups-4.4@4": "d0e3da236b376e7b2f353d7f966afac67a11e30a977e060c8294b637b32e8269",
    "groups-4.0@5": "04966ecd67ee9c3d07c6e2cf9e9e693e9457885fc1d3c829b5264c14e7063c8e",
    "groups-4.1@5": "b2ee8697e0c044c178a229ddf2fbc7bd150dbf78c0a653dee234476dc2f8f529",
    "groups-4.2@5": "708f149f2bc57a9d237b183ba67246e60662446c5c570ce8643444e6abd0111c",
    "groups-4.3@5": "5d79c288f834ad2f0044bbfc3f742cebd766ff1008f8e1d7f489aaf7689f0923",
    "groups-4.4@5": "7e8ac9a909056b9157c0039b35150cd6e8fa2aa385b2e1ecc22f3a9aed5c5a01",
    "groups-4.0@6": "5f85c611dab16fc246ac98a6d9efb81f23acb42ad988c42c146035ed4fb014f2",
    "groups-4.1@6": "02c0e6bc423cb1e8926e3d11619d11ccd7b1dd3ddbd0a63ceb09778cf69d364f",
    "groups-4.2@6": "7992a744b338bd8424dccf338b1f7f6f696ae55c3af07cf83458d472d4e7fd7f",
    "groups-4.3@6": "c7e4685af1addbaef52f051c4cf06a1cc6942e615768095b4891c6b591c974a4",
    "groups-4.4@6": "65d9c2b94d916b5a22c530cb30d12ceef49167db01224a21e256be69636d7757",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
