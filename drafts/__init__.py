"""Drafts: proposals that no Kafka release has, each in a folder of its own, which nothing outside
names.

`spec.draft_registry` finds them. A folder has a module `draft` with the object `DRAFT`, for the
specification; a module `plug` with `PLUG`, for what goes over the wire; and a module `inquiry` with
`INQUIRY`, where `fencepost identify` can find how a broker reads the draft. With its folder gone a
draft is gone, and nothing else changes.
"""
