"""`python -m palyra` is the `palyra` command."""

from palyra.cli.main import main

main()
