"""The published requirement sets about segments."""

FROZEN = {
    "segments-4.0@1": "6a03627bd9b15ca35be6b99ce97368674f726690a44bb21991eb1b943df12da2",
    "segments-4.1@1": "be8d772f6703d810512ebaa4a79d565d8724d8d9fe6c4453914a33717c5716b7",
    "segments-4.2@1": "197d26f4e05ef318cac5941ea6be992a07a43e082013a91e35b6316b1c09567d",
    "segments-4.3@1": "0dcde5be409bce705fc70e40bcbcb8341c6cea01b7a0baf4f6227859e221dd9a",
    "segments-4.4@1": "28f3db97ea408be5d91e6dd05234216b7b7753d822cf129a783852a8eecc2185",
    "segments-4.0@2": "92c26c11b50ed9482a6925466216b7d230289f6c03a9ad6f287475812e2f90fa",
    "segments-4.1@2": "c164807c40802b33b203d5b17fda63dbda96eda97656bf436b32010976c39480",
    "segments-4.2@2": "f4ea25975e2ee0655801511a5b0e52ca56e2a506ee8115947d273d7229c121c4",
    "segments-4.3@2": "68095cc13791bd1f096b95027b7117383d5285fb8c9c78a8f569c345425329ad",
    "segments-4.4@2": "a297c12829db47597328b8f1ff2553db8aebb265e7db6861ca08c1a044549eeb",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
