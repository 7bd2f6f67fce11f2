"""The inside of the calculator tool: text to tokens to one exact, bounded number."""
