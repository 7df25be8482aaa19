"""Classic Fetch (API key 1): byte limits, positions, waiting, sessions, isolation and versions."""
