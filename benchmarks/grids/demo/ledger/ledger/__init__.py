"""Accounts, entries and statements."""
