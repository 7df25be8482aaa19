"""The published requirement sets about the draft MaxRecords."""

FROZEN = {
    "max_records-4.0@1": "1027d16fcdecfba5e81d2bda8a4b70f262f2654db6d6c1884fbbd453ddb0bc7e",
    "max_records-4.1@1": "72c93763836591f2be31c4d0390739e2ee200add63d812c47be67b3b6d5fb89d",
    "max_records-4.2@1": "80c0efb8f56099efdb5506a4623bc1f78458d775fe058c4ba2c10ef635a85af8",
    "max_records-4.3@1": "8f2ad1d1b0bd2a08fdc44f36a853c724606c5112c7bacc6066fed6384a6c1788",
    "max_records-4.4@1": "8d96c7a8101100ef024fac778b1b0914e585ce7b1e543d1eb73afac6fe383c1b",
    "max_records-4.0@2": "cbde3cc66bcd40fa1e4dc07bac8bd856ed1357da14e8df7481f73a8555d7d6f2",
    "max_records-4.1@2": "fa7fed22cabcb2c705ccd3675a203e5d3cdafe93cdb584a3fc5a5f2f1cf7d322",
    "max_records-4.2@2": "8f506803b52559b9ee11d746cc499f29189a446b15b146e9e0de8fd1c274a195",
    "max_records-4.3@2": "f8d52e283ca528a903247fa0e0f64b802594ea0c8f7745ab964c0b296521f29c",
    "max_records-4.4@2": "1d2c4b094731d601dce0e7b26eb2b4378c83bc9ef341af6d73f143cd36a2a1bc",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
