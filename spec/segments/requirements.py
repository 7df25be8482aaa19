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
    "segments-4.0@3": "fca64faa4825dcd85ec99a7389fc96c88f07a02a2dbe56b7f1c38a856b6937fa",
    "segments-4.1@3": "7640576fe715b8cc984209744374608d268afb5cf660a0cdda5d9ce466baaa21",
    "segments-4.2@3": "00985eb2212ed23d50af4db432f754ad7388fb131cd8c84aabf4255bdab9476e",
    "segments-4.3@3": "5c24d71cde228aa9c7c5887a18309e92b133b3a0c469698661dca3d7f77dabfd",
    "segments-4.4@3": "5033b03f7c978095ddb45292cd1da06952383b36c2a5d2c43ea8cdf8b32328aa",
    "segments-4.0@4": "02ce8fe2b2b227b8a5d26772ea2286fbcc2146e453c7f5a59421a7ce460d26d4",
    "segments-4.1@4": "680288a6502b2193df7dd168a129853136ad703ac213313eeeecb633f25de0a9",
    "segments-4.2@4": "27eb6dca9dc878f8ff2a21f7fef5aa595d52ae43660d8dbc92385c232976c959",
    "segments-4.3@4": "637055b66ce18700d44963460676a91f5076b6a05e280adff252f30501fec320",
    "segments-4.4@4": "456c2836689e03551782f307e04ee7c3850b78f24c6b359576504faf946a0b23",
    "segments-4.0@5": "33ea4ff8302a21d6efaa3382567a29dc2166a0b05fc1ba8f087546091e9790d5",
    "segments-4.1@5": "caa93a2011716a146cc5003bfc87ddcfe3811faa8a2695d2ec91ef41ae738ce9",
    "segments-4.2@5": "a3dd44f710bf918c1631f51a0ececefc9b3da7645e0281ab62187b6f83d2b55d",
    "segments-4.3@5": "16119501436ded2bb968744fea9e7d47e5bc9d3f75d9ab7bc243346b0759be2c",
    "segments-4.4@5": "a6506b0f7244a7b2f22ff97eeda1302adcf6759f2885dedb3ffec2181e2b1fd6",
    "segments-4.0@6": "603029bf4511921a07165ecd97187be5c0bd1bcf2c856ef7e71fa99a9f0ca81b",
    "segments-4.1@6": "784d34db67c106d6f13a15cfb6c74b3831a6f63a4fb767744c833291a373c0e8",
    "segments-4.2@6": "100b77bce19fb281f8221daba104441fb58eedd5a8f3d026e9973ee9970b2ef4",
    "segments-4.3@6": "77bcf3eaabde61bd4398926104483116edc67f550cfcd15569938f54c1ea525d",
    "segments-4.4@6": "27d9c076b7a5a4798be0b9f7714946bb0653b80630ea92ab7396617ed050da64",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
