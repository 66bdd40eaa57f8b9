"""Entries move money between two accounts."""

from ledger import money


class Entry:
    """One booking: an amount from one account to another."""

    def __init__(self, day, source, target, amount):
        self.day = day
        self.source = source
        self.target = target
        self.amount = money.parse(amount)

    def touches(self, account):
        """Whether the entry concerns an account."""
        return account in (self.source, self.target)


def between(entries, first, last):
    """Entries of a period."""
    return [entry for entry in entries if first <= entry.day < last]
