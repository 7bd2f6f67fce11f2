"""Python tools whose calls run in processes of their own: `isolation: process`."""
