"""`python -m suite.run scenario4`: the short form of `python -m suite run scenario4`."""

import sys

from suite.cli.run import main

if __name__ == "__main__":
    sys.exit(main())
