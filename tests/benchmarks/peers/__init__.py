"""Peers: other agent frameworks that do the workloads of `contenders`, each in an environment of its own.

A peer is a script `with_NAME.py`. It says at its top which packages it needs, in the form of inline script metadata
(PEP 723), so `environments.py` knows without importing it; and it uses its framework as the framework's documentation
tells its users to, in the fastest way found there. To add one, write the script and put its name into
`environments.NAMES`.
"""
