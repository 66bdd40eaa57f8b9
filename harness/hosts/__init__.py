"""One file = one agent host."""
