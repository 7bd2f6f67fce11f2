"""The inside of the notes tool: files to passages."""
