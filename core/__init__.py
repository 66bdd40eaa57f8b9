"""Facts, index, search, walk and rendering. Imports nothing else of the project."""
