"""Clients under test: real consumers as child processes that speak one line-based protocol, and
the stage that decides what each is sent.
"""
