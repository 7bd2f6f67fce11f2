"""What that process runs: `python -m runner.tools.probe`."""

from runner.tools.probe.worker import main

main()
