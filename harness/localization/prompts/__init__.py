"""Instructions of the re-implemented methods, in our own words."""
