"""The published requirement sets about limits of administration."""

FROZEN = {
    "limits-4.0@1": "3ccc11f6679bb8457f597a8d981351b4369871de3167d59f8c902ba57f161e88",
    "limits-4.1@1": "bfc38c382f90a2629bbf1d5a2a86cff18fd4ae979bb9ae7bf9baa24f57d314c9",
    "limits-4.2@1": "2d7d6d91600fe34246dd494288d3d8472abb11176bc00a940093056b76105a20",
    "limits-4.3@1": "9e55c539fef05948c63683f2c9792cf6dbedf02ea3b967ea07c0bdcf22548728",
    "limits-4.4@1": "a25824466cff32072dcb083b7f93af59b4fcf5eb9400dd77c09b23ddaff8054d",
    "limits-4.0@2": "869a1c056c68bb6897884274ba361ad5422deeeaa720ded050f38eff94d942ba",
    "limits-4.1@2": "31c2cc193350313fa65142aff523cfe505d21e3aed46eb47e0bd61d5e3432511",
    "limits-4.2@2": "19272db70176e31827a05a66aaca00190948fdfac584a36e71dfdc48bdf4564a",
    "limits-4.3@2": "65f0c77ab16acd9531fb384a4b5900474fe4a3390def717c9a346c4b924e7ad1",
    "limits-4.4@2": "6bf2a309561f4f59d509a90cb1b85ae8141c276550b4cbabe07322e276ff3143",
    "limits-4.0@3": "56fd5a13ce7b533b742d5a7dcb26f5d9bef4e4fa765c22d752a96c6eddaa5a60",
    "limits-4.1@3": "decbe46b81a4ccdb122c05deff7bc06c5b795b9b2cab6e5f20503d10c96be751",
    "limits-4.2@3": "3d64343bb8ecda1d74cfc751f7e18067c363716548272fdcd1d214a05c8d6372",
    "limits-4.3@3": "f8d6684b509c3e86d8809342307ea5e53053041821ae3d32033f145ab936dcdc",
    "limits-4.4@3": "ef6a3ae57e9512ecbca3c596fb5a64584e464ed518ecffa4bd42812195e1d0a5",
    "limits-4.0@4": "3efe81d85c5d2976e84e991c6f8222f3fc934d24ffe7bc6c14b97f274b06e075",
    "limits-4.1@4": "0fef7f642c0964f2ce17149c956304f85a605eecf83d012c38f2f36e65b5237a",
    "limits-4.2@4": "7d2fdbb3b3e0e5a2fe2c393aa072762afaa8584fa9d01d50e2681a2d54ed6971",
    "limits-4.3@4": "73cdcbf1075171045ef9b1db0a7667494f4649b6295013338c215ee86eced01a",
    "limits-4.4@4": "44f73340b85479ffbad79e691c8ea277fa1b35cca19894f5aab105ee25f4fb36",
    "limits-4.0@5": "37ef2d492e55b7ce0de5aa6f1486d58b7b8d8294e1b9663ea903d50dee1fdbf1",
    "limits-4.1@5": "75b157131199db89aee65d34f097a9a1299e11888a34160657c28d5454a19e6d",
    "limits-4.2@5": "bba62ce2c317acdf6ce07d2807ccb9807b38a4f9be8894867a36ddcc7147f904",
    "limits-4.3@5": "0fe4a37d1977a692162d7516019061ba18ca555789e04c1ae9160560dd61a84d",
    "limits-4.4@5": "094b5eeb893b185fda846b9d9e6a5e92cf22d57a47a9d5d4850361b2b6172c75",
    "limits-4.0@6": "0186c8cd0bc1dee298f7cdadaa16cdda084d0d46034159d1737d8447a2f5867e",
    "limits-4.1@6": "0893414bbaa8838567372ec0bd769d300a5e13afaa84e5b7e3abb7528c80a7f2",
    "limits-4.2@6": "5a7370dfb24a9bdae057bcb4cfd26a44941c4966dd11e36d04d065495954c6f8",
    "limits-4.3@6": "2fd6b1547772f1db4c72b1a66df59627537a9791acf9e82be84c358640302f70",
    "limits-4.4@6": "51f1387e95945f42a831716fc30823409a7f9482e52fb5a7770761935161d7ee",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
