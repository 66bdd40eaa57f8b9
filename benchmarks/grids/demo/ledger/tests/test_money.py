from ledger import money


def test_cents_are_read_and_shown():
    assert money.show(money.parse("1,234.50")) == "1234.50"
