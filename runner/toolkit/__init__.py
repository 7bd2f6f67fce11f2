"""The tools shipped with the product; `toolkit.yaml` declares them to agents."""
