"""Lets `python -m driftcheck` be the command."""

from driftcheck.cli.main import main

main()
