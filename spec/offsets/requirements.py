"""The published requirement sets about offsets."""

FROZEN = {
    "offsets-4.0@1": "6518402c622257d0f090e96630f9868128a493461059270ae0073256f0d57727",
    "offsets-4.1@1": "006619d0863fd6884ce8b2183faf418f4b287e851fffd0b12f6acb52f9892b83",
    "offsets-4.2@1": "54cc0cd250aef4c43e544ea8a4d43874a02f8ef70eabf30768b9b18991d92e03",
    "offsets-4.3@1": "5fd571a1198423d5c48f283e3264d3b8f7fb652fb84f7b086763b2200c525e4f",
    "offsets-4.4@1": "1dde18c129a1445872dec0da6cbc7eab9fa88feb887942e73e752aa3b12c8675",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
