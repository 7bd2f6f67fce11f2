"""Repairs of documents: what a diagnostic says to write instead is written, and nothing else is touched."""
