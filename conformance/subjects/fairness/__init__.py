"""Histories of clients, played by real ones that read from a stage."""
