"""`python -m runner`, the same as the command `runner`."""

from runner.cli import main

if __name__ == "__main__":
    main()
