"""The pictures of the page, from the summary."""

from collections.abc import Sequence
from typing import Any

from suite.campaign.svg import Plot, rows_plot, ticks

Summary = dict[str, Any]
NEAR_EVERYBODY = 0.85
EMPTY = 0.04  # of the height, above and below what is drawn


def _padded(values: Sequence[float], zero: bool = True) -> tuple[float, float]:
    values = [*values, 0.0] if zero else list(values)
    low, high = min(values), max(values)
    gap = (high - low) * EMPTY or 1e-6
    return low - gap, high + gap


def _ticks_said(low: float, high: float, unit: str = "") -> tuple[list[float], list[str]]:
    at = ticks(low, high)
    step = at[1] - at[0] if len(at) > 1 else 1.0
    digits = next(d for d in range(7) if abs(round(step, d) - step) < 1e-9 or d == 6)
    return at, [f"{x:,.{digits}f}{unit}" for x in at]


def profit(summary: Summary) -> str:
    """Net gain against the share treated, with its band, and where the rule stands."""
    unit = 1.0 if summary["priced"] else 100.0
    points = [{"share": 0.0, "mean": 0.0, "low": 0.0, "high": 0.0}, *summary["curve"]]
    shares = [p["share"] for p in points]
    mean, low, high = ([unit * p[k] for p in points] for k in ("mean", "low", "high"))
    rule = summary["rule"]
    at = unit * rule["against"]["nobody"]["mean"]
    what = "Earned per customer" if summary["priced"] else "Effect in points"
    if not summary["priced"] and summary["outcome"]["lower_is_better"]:
        what = f"Points fewer {summary['outcome']['column']}"
    plot = Plot(f"{what} by share of customers treated", (0, 1), _padded([*low, *high, at]))
    plot.axis_y(*_ticks_said(*plot.y))
    tens = [i / 10 for i in range(0, 11, 2)]
    plot.axis_x(tens, [f"{100 * t:.0f} %" for t in tens], "customers treated, the best first")
    plot.band(shares, low, high)
    plot.line([0, 1], [0, 0], "zero")
    plot.line([0, 1], [0, mean[-1]], "chance")
    plot.line(shares, mean, "curve")
    below = 18 if mean[-1] < 0 else -10  # off the curve and the line of chance
    marks = [(0.0, 0.0, "nobody", "start", 8, 18), (1.0, mean[-1], "everybody", "end", 0, below)]
    for x, y, name, anchor, right, down in marks:
        plot.dot(x, y, "mark")
        plot.text(plot.px(x) + right, plot.py(y) + down, name, "name", anchor)
    if 0 < rule["share"] < 1 and summary["decision"]["rule"] != "ranking":
        plot.dot(rule["share"], at, "rule", 6)
        near = rule["share"] > NEAR_EVERYBODY  # whose name stands there already
        anchor, up = ("end", 28) if near else ("middle", 12)
        plot.text(plot.px(rule["share"]), plot.py(at) - up, "the rule", "strong", anchor)
    return plot.svg()


def rates(summary: Summary) -> str:
    """Outcome rate of every arm with its interval."""
    rows = summary["effects"]
    spans = [
        (100 * (r["rate"] - 1.96 * r["rate_se"]), 100 * (r["rate"] + 1.96 * r["rate_se"]))
        for r in rows
    ]
    ends = [end for span in spans for end in span]
    title = f"Share of customers with {summary['outcome']['column']} by arm"
    plot = rows_plot(title, [r["arm"] for r in rows], _padded(ends, zero=False))
    plot.axis_x(
        *_ticks_said(*plot.x, " %"),
        f"{summary['outcome']['column']} = {summary['outcome']['value']}, per cent of customers",
    )
    for i, (row, span) in enumerate(zip(rows, spans, strict=True)):
        y = len(rows) - i
        plot.line(span, (y, y), "whisker")
        plot.dot(100 * row["rate"], y, "mark" if i == 0 else "rule")
    return plot.svg()


def love(summary: Summary) -> str:
    """Standardised differences between the arms, with lines at 0.05."""
    rows = summary["fair"]["differences"]
    many = len(summary["treatments"]) > 1
    names = [f"{r['name']}\n{r['arm']}" if many else r["name"] for r in rows]
    reach = max([0.06, *(abs(r["value"]) * 1.1 for r in rows)])
    plot = rows_plot(
        "Differences between the arms before treatment", names, (-reach, reach), 36 if many else 24
    )
    plot.axis_x(*_ticks_said(-reach, reach), "difference in standard deviations")
    for limit in (-0.05, 0.05):
        plot.line((limit, limit), plot.y, "limit")
    plot.line((0, 0), plot.y, "zero")
    for i, row in enumerate(rows):
        plot.dot(row["value"], len(rows) - i, "rule" if abs(row["value"]) <= 0.05 else "bad")
    return plot.svg()


def groups(summary: Summary) -> str:
    """Predicted against measured uplift of ten groups; right on the diagonal."""
    rows = summary["groups"]
    predicted = [100 * r["predicted"] for r in rows]
    ends = [100 * r["observed"][k] for r in rows for k in ("low", "high")]
    x = _padded(predicted, zero=False)
    if x[1] - x[0] < 1e-3:
        x = x[0] - 1, x[1] + 1
    y = _padded([*ends, *x])
    plot = Plot("Predicted and measured effect of ten groups of customers", x, y)
    plot.axis_y(*_ticks_said(*y))
    plot.axis_x(*_ticks_said(*x), "predicted effect, in points (upwards: measured)")
    plot.line(x, (0, 0), "zero")
    plot.line(x, x, "limit")
    for row, at in zip(rows, predicted, strict=True):
        seen = row["observed"]
        plot.line((at, at), (100 * seen["low"], 100 * seen["high"]), "whisker")
        plot.dot(at, 100 * seen["mean"], "rule")
    return plot.svg()


def segments(summary: Summary) -> str:
    """The effect in each segment with its interval."""
    rows = summary["segments"]
    ends = [100 * r["effect"][k] for r in rows for k in ("low", "high")]
    names = [f"{chr(65 + i)}  {100 * r['share']:.0f} %" for i, r in enumerate(rows)]
    plot = rows_plot("Measured effect by segment", names, _padded(ends))
    plot.axis_x(*_ticks_said(*plot.x), "measured effect, in points")
    plot.line((0, 0), plot.y, "zero")
    for i, row in enumerate(rows):
        y = len(rows) - i
        plot.line((100 * row["effect"]["low"], 100 * row["effect"]["high"]), (y, y), "whisker")
        plot.dot(100 * row["effect"]["mean"], y, "rule")
    return plot.svg()


def drivers(summary: Summary) -> str:
    """Loss when a column is shuffled; the small line is what chance gives."""
    rows = summary["drivers"]
    ends = [v for r in rows for v in (r["loss"]["mean"], r["noise"])]
    plot = rows_plot(
        "What is lost when a column is shuffled", [r["column"] for r in rows], _padded(ends), 26
    )
    plot.axis_x(*_ticks_said(*plot.x), "extra good outcomes lost, per 1,000 customers")
    for i, row in enumerate(rows):
        y, loss = len(rows) - i, row["loss"]["mean"]
        plot.bar((0, loss), (y - 0.28, y + 0.28), "fill" if loss > row["noise"] else "faint")
        plot.line((row["noise"], row["noise"]), (y - 0.42, y + 0.42), "noise")
    plot.line((0, 0), plot.y, "zero")
    return plot.svg()


def methods(summary: Summary) -> str:
    """Every method's distance to the best, with intervals that hold together."""
    rows = summary["methods"]
    if len(rows) < 2:
        return ""
    ends = [r["behind"][k] for r in rows for k in ("low", "high")]
    plot = rows_plot(
        "Methods: difference to the best", [r["name"] for r in rows], _padded(ends), 26
    )
    plot.axis_x(*_ticks_said(*plot.x), "difference to the best, per 1,000 customers")
    plot.line((0, 0), plot.y, "zero")
    for i, row in enumerate(rows):
        y, behind = len(rows) - i, row["behind"]
        plot.line((behind["low"], behind["high"]), (y, y), "whisker")
        plot.dot(behind["mean"], y, "rule" if row["chosen"] else "mark")
    return plot.svg()
