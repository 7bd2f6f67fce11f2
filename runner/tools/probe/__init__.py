"""Opens Python tools in a process of their own, to see whether they can be opened."""
