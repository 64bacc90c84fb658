"""Qini curves as numbers for charts."""

from collections.abc import Iterable
from typing import Any

from suite.compare.frame import frame_of
from suite.publish.columns import Column
from suite.show.curves import mean_curve
from suite.site.ground import label


def oracle_curves(columns: Iterable[Column]) -> list[dict[str, Any]]:
    """The oracle's mean curve of each column that has one; all planned replicates."""
    lines = []
    for column in columns:
        runs = list(frame_of(column).runs.get("oracle", {}).values())
        lines += [{"data": label(column), **line} for line in _points(runs, "true uplift")]
    return lines


def method_curves(columns: Iterable[Column], method: str) -> list[dict[str, Any]]:
    """A method's mean curve with its band, the oracle's, and that of a random order."""
    lines = []
    for column in columns:
        source = frame_of(column)
        runs = source.shown(method)
        if not runs:
            continue
        own = _points(runs, method)
        end = own[-1]["gain"]
        line = {"curve": "random order", "n": len(runs)}
        chance = [{"phi": p, "gain": p * end / 100, **line} for p in (0.0, 100.0)]
        oracle = [] if method == "oracle" else _points(source.shown("oracle"), "true uplift")
        for point in oracle:
            del point["low"], point["high"]  # only the method has a band
        lines += [{"data": label(column), **point} for point in (*own, *oracle, *chance)]
    return lines


def _points(runs: list[Any], name: str) -> list[dict[str, Any]]:
    curve = mean_curve(runs)
    if curve is None:
        return []
    points = zip(curve["phi"], curve["gain"], curve["spread"], strict=True)
    return [
        {
            "curve": name,
            "phi": 100 * phi,
            "gain": 100 * gain,
            "low": 100 * (gain - spread),
            "high": 100 * (gain + spread),
            "n": len(runs),
        }
        for phi, gain, spread in points
    ]
