"""The engine: one tool loop over ports, told as events."""
