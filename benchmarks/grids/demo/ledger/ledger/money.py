"""Amounts of money in cents."""


def parse(text):
    """Cents out of ``12.34`` or ``1,234.50``."""
    whole, _, part = text.replace(",", "").partition(".")
    return int(whole) * 100 + int(part or 0)


def show(cents):
    """``12.34`` out of cents."""
    return f"{cents // 100}.{cents % 100:02d}"
