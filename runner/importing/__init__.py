"""Agents of other tools -> agents of this language."""
