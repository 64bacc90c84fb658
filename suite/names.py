"""Names and globs; wrong ones get an error with the near matches and the valid names."""

import difflib
import fnmatch
import re
from collections.abc import Iterable

# Of a method or a column: it names files, whose names a disk may want short and without accents.
FILE_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*", re.ASCII)
_LONGEST = 100


class UserError(Exception):
    """A mistake of the person at the keyboard: shown without a traceback, exit code 2."""


def check_new(name: str, whose: str) -> None:
    """Demand that `name` can name files; `whose` begins the error."""
    if not FILE_NAME.fullmatch(name):
        raise UserError(
            f"{whose} {name!r}; use plain letters, digits, '.', '_', '+' or '-', "
            "and begin with a letter or a digit"
        )
    if len(name) > _LONGEST:
        raise UserError(
            f"{whose} {name[:20]}... of {len(name)} letters; a name may have {_LONGEST}"
        )


def unknown(what: str, name: str, valid: Iterable[str]) -> UserError:
    """The error for a `name` that is no `what`."""
    valid = list(valid)
    near = difflib.get_close_matches(name, valid, n=3, cutoff=0.5)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return UserError(f"unknown {what} {name!r}{hint}\n  there are: {', '.join(valid)}")


def matching(what: str, patterns: Iterable[str], valid: Iterable[str]) -> list[str]:
    """The valid names that the names and globs `patterns` mean, each once."""
    valid = list(valid)
    found: dict[str, None] = {}
    for pattern in patterns:
        matches = fnmatch.filter(valid, pattern)
        if not matches:
            raise unknown(what, pattern, valid)
        found |= dict.fromkeys(matches)
    return list(found)
