"""Parsing modes: how tools are offered to a model and how its replies are read; `modes` lists them."""
