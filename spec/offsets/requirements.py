"""The published requirement sets about offsets."""

FROZEN = {
    "offsets-4.0@1": "6518402c622257d0f090e96630f9868128a493461059270ae0073256f0d57727",
    "offsets-4.1@1": "006619d0863fd6884ce8b2183faf418f4b287e851fffd0b12f6acb52f9892b83",
    "offsets-4.2@1": "54cc0cd250aef4c43e544ea8a4d43874a02f8ef70eabf30768b9b18991d92e03",
    "offsets-4.3@1": "5fd571a1198423d5c48f283e3264d3b8f7fb652fb84f7b086763b2200c525e4f",
    "offsets-4.4@1": "1dde18c129a1445872dec0da6cbc7eab9fa88feb887942e73e752aa3b12c8675",
    "offsets-4.0@2": "7e2f71444f4ece9ce65d576e5487f6f8fe174a7ccfb621647ec4714ce932b85f",
    "offsets-4.1@2": "c5486a57c89f02d211171dd44ae1bdaa844aff57115928b9bd8f60a3efc4c0ab",
    "offsets-4.2@2": "2c6ff1e64b1ec56b1f6c23a82290b2c7b4eb32cf1b78bc6ff3461daf95f1dba9",
    "offsets-4.3@2": "2b1028b5b52a3722f83e965f5d60fde5c045ba9f3d48053d061cd03443fbfe29",
    "offsets-4.4@2": "5c76621060312ca0afee87743901cc622a9801b5da6751547a120ec71a81221c",
    "offsets-4.0@3": "635274c0903edbeb21bdd1a36f02729cc843345b6a83fbe5a9a8769369992032",
    "offsets-4.1@3": "9c7998fee10cff420d6d73fc3680339eab323100592869ce9f0ae65c488c3b64",
    "offsets-4.2@3": "d16782f5d149bb721a1f1708fc4cadc1511a566af5616b6e52d3a8029076f038",
    "offsets-4.3@3": "1d1cf0ec3fa68a50f63ab202a712f4b71c50d2c2d8594bca5991037378300926",
    "offsets-4.4@3": "20bdd26fb1227aac7cf0714201f0c3814f4abb81f3dcecdd3e3f73f23d83146d",
    "offsets-4.0@4": "1d4c0718e478d90184a3c55482e2e3656ecc3abe69874c1a4424a4523a49c068",
    "offsets-4.1@4": "61183987fb06bbe193df46b35200b4a07ef415d2ffa7f03f551c858897ed5b4e",
    "offsets-4.2@4": "599b7b27991f74aa72e0ca634ce321c5b9aff52d68e0633ba4b1928a15c0bc41",
    "offsets-4.3@4": "c2c7e36aaca1e0aa678c90f89fbd64a6c4f93e23d20839bdeed6b1d569306aac",
    "offsets-4.4@4": "f78e926a7a2607545e06626b1e10ba291b9f376c151476f9560679eaf23d0e89",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
