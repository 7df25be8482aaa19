"""Adapters: each drives one client library by the lines of `conformance.clients.protocol`."""
