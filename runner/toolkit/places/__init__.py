"""The inside of the clock tool: names of places to time zones."""
