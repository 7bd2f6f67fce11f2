"""The parts of the page on which a session can be looked at."""
