"""The published requirement sets about fair consumption."""

FROZEN: dict[str, str] = {
    "fairness-4.0@1": "55ae9aa223f85b6b591e54d445a56718cad81bc513d8347cb3e2244d4c7a1717",
    "fairness-4.1@1": "65e193b47901f04cea4945eb7cac3bef83cf3512e85e29cc77dcb135063a4eaf",
    "fairness-4.2@1": "dc280fc440dcc6b219d6b5f1132eee2b0d30a8e5060dd9403e44706f1d33f22f",
    "fairness-4.3@1": "7338a10dd29f9fd2613f71254c949f302c71a0142781d859751d2f05d90d7e71",
    "fairness-4.4@1": "1aaa5507aae6c857ea33d5cc3fdf2a269b88e8b6ffba8b094ba26691e4dd0ad1",
    "fairness-4.0@2": "b87ed62a304e2c9ec939a0b53a5f9b9c9ca7926ae48c981808d0b5d451daaf16",
    "fairness-4.1@2": "58dbe951072275a6a502d0781f97c58faef1c5eb6af081afff6627ae5afa080b",
    "fairness-4.2@2": "22ed7404d0ee0609777eff71fb5e49255ac6e33e58423709aef5d8b05c8bc719",
    "fairness-4.3@2": "0417b2c44be035a0ba6a04c9cd370b4201fe7517674a6fbbfa8ca7bccf91c4a2",
    "fairness-4.4@2": "893c2be4a898fa5effe76347ea697e4c1a286ad90efd3355f9d069562acdf50c",
    "fairness-4.0@3": "3c2e2f1197886602793d8b5198f6d806633eada20fd22419db9060adc502ef07",
    "fairness-4.1@3": "635e8460cc94fb8c239d2175a580bbae32e7f21e2b02fd91a60a6479aee1a50b",
    "fairness-4.2@3": "63139c443749776f3634f5c5d2156c39f1d08255ae00efd51b2275c7ded18e2b",
    "fairness-4.3@3": "21cc51e8415539a8590ff10b16dc4eb9af469d9747ddb60e2531cb315dc600a1",
    "fairness-4.4@3": "9d4ef7f1fdea7ff8d7681eb75d1b96fee81d560789f937533bc3bf39fd601502",
    "fairness-4.0@4": "b7c0e8a9a6eb7afa0efa6dc74a76eb5ad87d77af3a9b1b4e2f8d87f7fec92944",
    "fairness-4.1@4": "982cd667619cc4a35215c5aa758666bf15158bc8c298384d831ddc4d80c9fd97",
    "fairness-4.2@4": "a4191badd15c61a4577cfa326c2d333cecdaa65648fcf37fba50433f44716fd1",
    "fairness-4.3@4": "246b54da4020aeff05d3389086a3e34785a49c896517bddcc1c5c6cdf76a7454",
    "fairness-4.4@4": "f7132e7270e5d387ee63ead20b61e3e94d26c66b0096e286e4874084bf8be13c",
}
"""The digest of each set by its name."""
