"""The draft MaxRecords on the wire: its message definitions, a consumer that asks with it, and how a broker's profile is found."""
