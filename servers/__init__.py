"""MCP servers and the command line over the shared index."""
