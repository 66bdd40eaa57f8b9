"""codeviews: maps of a repository for coding agents."""

__version__ = "0.1.0"
