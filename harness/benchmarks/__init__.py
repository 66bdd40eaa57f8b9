"""One file = one task benchmark."""
