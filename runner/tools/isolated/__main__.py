"""What a tool's process runs: `python -m runner.tools.isolated`."""

from runner.tools.isolated.worker import main

main()
