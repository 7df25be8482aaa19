"""The published requirement sets about Fetch."""

FROZEN = {
    "fetch-4.0@1": "62db79be3f32810a5c0b1e086cfea9e487b8f867a279ee4dda230a1c32322c3b",
    "fetch-4.1@1": "e4a546296021649a29e208af5750cd9e73e1986aa744910d94087725c0a4048c",
    "fetch-4.2@1": "14a8630b34ba7264c8979a3212e51b01cb47cbd0993980f1ac9822c200f328f2",
    "fetch-4.3@1": "49934964f3a29b374ee06d3e9e9ae17d4e88d4142e8d877d566b0cb02c0de362",
    "fetch-4.4@1": "a0b891d3f5d0dcc8361bfca3fb78e3d258085a7cc8c9e2280c8fbe89d899c9af",
    "fetch-4.0@2": "969ff5d06d76c036a143d0819c98fe412d04bcc3d6afa846b11e7fcf988ba1a8",
    "fetch-4.1@2": "bb01f71087b8d21558a82797cce12da4ba059828b938161b50175c4e2612d998",
    "fetch-4.2@2": "dc7289075497e1106150beb9d066c0a2d06ae1baf0068ae0783ea3f32444fe4b",
    "fetch-4.3@2": "c424a5ee6d969da2926d097e5bda9a7d364fb1c9b81a21cfaf4ad2e011c82f5a",
    "fetch-4.4@2": "9e9a038f1358224a75005420899f49612f07698e65355e3ebea900ab7ca03f98",
    "fetch-4.0@3": "2744b8270df7aa74b47f2a33a5a6dcee5ad0cd5f16b351e0b2c1748fe68d9b69",
    "fetch-4.1@3": "1fb78c91ee6b1d253bd8d0eaa66de44001ff8c410903e62263a54633210165d3",
    "fetch-4.2@3": "424f5ea6944202a3dc636f4f71527afd54dd6c3f0936655d2577b9ffa09fdc48",
    "fetch-4.3@3": "8714a418fe451ecbc7714da953f3cf7840e8ea1bc190aea8a0583d4731a45fb2",
    "fetch-4.4@3": "a6835cccc013127179eed995df17c8cd059d0e28bb4122b02c7f2588c23a6745",
    "fetch-4.0@4": "cb04e55532d0d093dc5f3c3622b81493f0e5db1bf5c9e13198670aab53bca6d7",
    "fetch-4.1@4": "84a32168550d34695d0dee424cbe18888c42f1e6e2aabe73d3b3705fe9957735",
    "fetch-4.2@4": "2a91dc7f5fc692af6435a60e3a11dd32928d7ca7d9160eb63cac590dfff85204",
    "fetch-4.3@4": "24fdd0abac9ed8135f2294173414ac90822f4f7feb45b4d28db49263cbfeec83",
    "fetch-4.4@4": "f4996ec6902b610a9411852469849ec525454ce2b5f83b75f38ca70810aa7b4b",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
