"""Wrong names get an error with the near matches and the valid names."""

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """A mistake of the person at the keyboard: shown without a traceback, exit code 2."""


def unknown(what: str, name: str, valid: Iterable[str]) -> UserError:
    """The error for a `name` that is no `what`."""
    valid = list(valid)
    near = difflib.get_close_matches(name, valid, n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return UserError(f"unknown {what} {name!r}{hint}\n  there are: {', '.join(valid)}")
