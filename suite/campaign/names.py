"""What column names and cell values tell: word lists, and the words of a name."""

import difflib
import re
from collections.abc import Iterable

from suite.campaign.errors import UserError

OUTCOMES = frozenset(
    ("outcome", "target", "y", "bought", "buy", "purchase", "purchased", "converted",
     "conversion", "response", "responded", "visit", "visited", "churn", "churned")
)  # fmt: skip
LOWER_IS_BETTER = ("churn", "cancel", "default")
ARMS = frozenset(
    ("arm", "arms", "group", "segment", "variant", "variation", "cell", "test", "treatment")
)
CONTROLS = frozenset(
    ("no", "none", "not", "control", "ctrl", "holdout", "untreated", "baseline", "false")
)
POSITIVES = frozenset(("1", "yes", "true", "y", "t", "ja", "oui", "si", "sí"))
NEGATIVES = frozenset(("0", "no", "false", "n", "f", "nein", "non", "none", "never"))
CODES = frozenset(("zip", "plz", "postcode", "postal", "code", "store", "branch"))
IDS = frozenset(("id", "uuid", "guid"))
SENSITIVE = ("gender", "sex", "religion", "ethnic", "nationality", "birth")
AFTERWARDS = ("open", "click", "redeem", "revenue", "spend", "unsubscrib", "conver", "purchas")


def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: "customerID" and "customer_id" are customer, id."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.lower() for word in re.findall(r"[^\W_]+", spaced))


def is_control(value: str) -> bool:
    """The value of an arm that says: nothing was sent."""
    try:
        return float(value) == 0
    except ValueError:
        return bool(CONTROLS.intersection(words(value)))


def is_positive(value: str) -> bool:
    """The value of an outcome that says: it happened."""
    try:
        return float(value) == 1
    except ValueError:
        return value.lower() in POSITIVES


def is_negative(value: str) -> bool:
    """The value of a two-valued column that says: no."""
    try:
        return float(value) == 0
    except ValueError:
        return value.lower() in NEGATIVES


def is_id(name: str) -> bool:
    """A name such as customer_id, not store_id: its values name something, even as numbers."""
    return bool(IDS.intersection(words(name)[-1:])) and not CODES.intersection(words(name))


def is_sensitive(name: str) -> bool:
    """A name that calls for a look at fairness and law."""
    return any(word.startswith(start) for word in words(name) for start in SENSITIVE)


def is_afterwards(name: str) -> bool:
    """A name of something that happens after the treatment."""
    return any(word.startswith(start) for word in words(name) for start in AFTERWARDS)


def known(name: str, names: Iterable[str]) -> str:
    """`name` if it is one of `names`, else an error with the nearest."""
    names = list(names)
    if name in names:
        return name
    lower = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    hint = f"; did you mean {lower[near[0]]}?" if near else f"; there are: {', '.join(names[:20])}"
    raise UserError(f"no column {name}{hint}")
