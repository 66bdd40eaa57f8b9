"""Statements for people."""

from ledger import accounts, entries, money


def lines(book, account, first, last):
    """One line per entry of an account in a period."""
    found = entries.between(book, first, last)
    return [line(entry, account) for entry in found if entry.touches(account)]


def line(entry, account):
    """One entry as text, with its sign."""
    sign = "+" if entry.source == account else "-"
    return f"{entry.day} {sign}{money.show(entry.amount)}"


def summary(book, account):
    """The closing line of a statement."""
    return f"balance {money.show(accounts.balance(book, account))}"
