"""YAML agent runner: write an agent as one YAML file, check it, and run it against any model."""

__version__ = "0.1.0"
