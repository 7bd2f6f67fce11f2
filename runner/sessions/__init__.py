"""Conversations that outlive a run: noted down entry by entry, read afterwards, and gone on with."""
