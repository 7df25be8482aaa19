"""Histories of clients under test."""
