"""The published requirement sets about the draft of acquire modes in Fetch."""

FROZEN = {
    "fetch_modes-4.0@1": "816dc151cc0b9f5b8c73329a153eb27bfd5865e9219403049c52cfd84fe4539d",
    "fetch_modes-4.1@1": "dc771babae6d14e2d77341e10456719e66260017102eb6953a7a6fcb9dd29f83",
    "fetch_modes-4.2@1": "55e62faf318e304ac7846831a79d457a26670ee47443b408c0a1d34293d5dc0c",
    "fetch_modes-4.3@1": "64090328b6278e53c5d3994210ae38005c447f0dea1c72f696fb837ec120de08",
    "fetch_modes-4.4@1": "93f7559bb147c46b385f92941927ff1a473ebf91e65de05196d92d5ea4d29306",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
