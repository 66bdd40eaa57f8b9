"""Balances of accounts."""


def balance(entries, account):
    """What an account holds after all entries."""
    total = 0
    for entry in entries:
        if entry.target == account:
            total += entry.amount
        elif entry.source == account:
            total -= entry.amount
    return total


def overdrawn(entries, accounts):
    """Accounts that hold less than nothing."""
    return [account for account in accounts if balance(entries, account) <= 0]
