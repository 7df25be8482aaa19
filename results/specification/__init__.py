"""The catalogue published: as JSON for programs and as pages for people, from one form."""
