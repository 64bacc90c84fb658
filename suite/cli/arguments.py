"""Words of a command line as values."""

import argparse
import math


def replicates(text: str) -> range:
    """5 (the first five) or 3-7."""
    first, dash, last = text.partition("-")
    try:
        chosen = range(int(first), int(last) + 1) if dash else range(int(first))
    except ValueError:
        chosen = range(0)
    if not chosen:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 5 (the first five) or 3-7")
    return chosen


def positive_int(text: str) -> int:
    """A whole number from 1 up."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def share(text: str) -> float:
    """3% as 0.03."""
    found = _with_unit(text, {"%": 0.01}, "%", "3%")
    if found > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is more than everything")
    return found


def seconds(text: str) -> float:
    """90s, 20m or 4h."""
    return _with_unit(text, {"s": 1.0, "m": 60.0, "h": 3600.0}, "s", "90s, 20m or 4h")


def megabytes(text: str) -> float:
    """800M or 6G."""
    return _with_unit(text, {"M": 1.0, "G": 1024.0}, "M", "800M or 6G")


def _with_unit(text: str, units: dict[str, float], default: str, examples: str) -> float:
    unit = text[-1:] if text[-1:] in units else default
    try:
        value = float(text.removesuffix(unit)) * units[unit]
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:  # nan is neither
        raise argparse.ArgumentTypeError(f"{text!r} is not like {examples}")
    return value
