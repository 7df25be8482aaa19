"""The published requirement sets about segments."""

FROZEN = {
    "segments-4.0@1": "6a03627bd9b15ca35be6b99ce97368674f726690a44bb21991eb1b943df12da2",
    "segments-4.1@1": "be8d772f6703d810512ebaa4a79d565d8724d8d9fe6c4453914a33717c5716b7",
    "segments-4.2@1": "197d26f4e05ef318cac5941ea6be992a07a43e082013a91e35b6316b1c09567d",
    "segments-4.3@1": "0dcde5be409bce705fc70e40bcbcb8341c6cea01b7a0baf4f6227859e221dd9a",
    "segments-4.4@1": "28f3db97ea408be5d91e6dd05234216b7b7753d822cf129a783852a8eecc2185",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
