"""Charts as Vega-Lite specifications. Colours have contrast 3 : 1 or more on light and on dark."""

from collections.abc import Sequence
from typing import Any

BLUE, ORANGE, GREY = "#3a7fc4", "#c9622b", "#808080"
Spec = dict[str, Any]

CONFIG: Spec = {
    "background": None,
    "view": {"stroke": None},
    "axis": {
        **dict.fromkeys(("labelColor", "titleColor", "tickColor"), "currentColor"),
        "domainColor": "currentColor",
        "gridColor": GREY,
        "gridOpacity": 0.3,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 170,
    },
    "legend": {"labelColor": "currentColor", "titleColor": "currentColor", "labelFontSize": 12},
    "title": {"color": "currentColor", "fontSize": 13, "anchor": "start"},
    "header": {"labelColor": "currentColor", "titleColor": "currentColor"},
    "text": {"color": "currentColor"},
    "aria": False,  # the figure has an alt text, and a table with the same numbers
}


def chart(data: Sequence[Spec], **body: Any) -> Spec:
    """A specification with its numbers."""
    return {
        "width": "container",
        "autosize": {"type": "fit", "contains": "padding"},
        "data": {"values": [_rounded(line) for line in data]},
        "config": CONFIG,
        **body,
    }


def field(name: str, title: str | None = None, kind: str = "quantitative", **more: Any) -> Spec:
    return {"field": name, "type": kind, "title": title, **more}


def tooltip(**titles: str) -> list[Spec]:
    """What hovering says."""
    return [{"field": name, "title": title} for name, title in titles.items()]


def curves(data: Sequence[Spec], order: Sequence[str]) -> Spec:
    """Qini curves with bands of one standard deviation; a parameter chooses the data."""
    x = field("phi", "targeted, per cent")
    y = field("gain", "incremental positives, per cent")
    colour = {
        "field": "curve",
        "type": "nominal",
        "title": None,
        "scale": {"domain": order, "range": [BLUE, ORANGE, GREY]},
        "legend": {"orient": "bottom", "columns": 3, "symbolOpacity": 1, "symbolType": "stroke"},
    }
    dash = {**colour, "scale": {"domain": order, "range": [[1, 0], [4, 2], [2, 3]]}}
    band = {"x": x, "y": field("low", y["title"]), "y2": {"field": "high"}, "color": colour}
    line = {"x": x, "y": y, "color": colour, "strokeDash": dash}
    line["tooltip"] = tooltip(curve="curve", phi="targeted", gain="gain", n="replicates")
    return chart(
        data,
        height=300,
        params=[{"name": "data", "value": data[0]["data"]}],
        transform=[{"filter": "datum.data == data"}],
        layer=[
            {
                "mark": {"type": "area", "opacity": 0.2},
                "transform": [{"filter": "isValid(datum.low)"}],
                "encoding": band,
            },
            {"mark": {"type": "line", "point": {"size": 30}}, "encoding": line},
        ],
    )


def intervals(data: Sequence[Spec], heading: str, title: str) -> Spec:
    """Dots with intervals by row, in the order of the data; a rule marks the reference."""
    y = field("method", None, "nominal", sort=None)
    colour = {"condition": {"test": "datum.reference", "value": ORANGE}, "value": BLUE}
    said = tooltip(method="method", mean=title, low="low", high="high", n="replicates")
    return chart(
        data,
        height=20 * len(data) + 70,
        title=heading,
        layer=[
            {
                "mark": {"type": "rule", "strokeDash": [4, 3], "color": ORANGE},
                "transform": [{"filter": "datum.reference"}],
                "encoding": {"x": field("mean", title)},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 2},
                "encoding": {
                    "x": field("low", title),
                    "x2": {"field": "high"},
                    "y": y,
                    "color": colour,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {
                    "x": field("mean", title),
                    "y": y,
                    "color": colour,
                    "tooltip": said,
                },
            },
        ],
    )


def scatter(data: Sequence[Spec], x_title: str, y_title: str) -> Spec:
    """Quality against time; a parameter chooses the data, the front carries names."""
    axis = {"tickCount": 5, "format": "~g"}
    x = field("x", x_title, scale={"type": "log", "nice": False, "padding": 30}, axis=axis)
    y = field("y", y_title, scale={"zero": False, "padding": 12})
    said = tooltip(method="method", y=y_title, x=x_title, n="replicates")
    front = {"condition": {"test": "datum.front", "value": ORANGE}, "value": BLUE}
    names = [
        {
            "mark": {"type": "text", "align": "left", "dx": 6, "dy": dy, "fontSize": 12},
            "transform": [{"filter": f"datum.front == '{side}'"}],
            "encoding": {"x": x, "y": y, "text": {"field": "method"}},
        }
        for side, dy in (("above", -9), ("below", 10))
    ]
    return chart(
        data,
        height=420,
        params=[{"name": "data", "value": data[0]["data"]}],
        transform=[{"filter": "datum.data == data"}],
        layer=[
            {
                "mark": {"type": "point", "filled": True, "size": 70},
                "encoding": {"x": x, "y": y, "color": front, "tooltip": said},
            },
            *names,
        ],
    )


def lines(data: Sequence[Spec], x: Spec, y: Spec, by: str, **more: Any) -> Spec:
    """One line for each value of `by`."""
    shades = [BLUE, ORANGE, GREY, "#8d6fd1", "#3f9a5f", "#b3508f"]
    colour = {"field": by, "type": "nominal", "title": None, "scale": {"range": shades}}
    colour["legend"] = {"orient": "bottom", "columns": 2, "labelLimit": 300}
    said = [{"field": part["field"], "title": part["title"]} for part in (x, y)]
    encoding = {"x": x, "y": y, "color": colour, "tooltip": [{"field": by}, *said]}
    mark = {"type": "line", "point": {"size": 40}}
    return chart(data, height=300, mark=mark, encoding=encoding, **more)


def dashed(spec: Spec, names: Sequence[str]) -> None:
    """The first of the lines is solid, the others are dashed: told apart without colour."""
    encoding = spec["encoding"]
    encoding["color"]["scale"]["domain"] = names
    encoding["color"]["legend"] |= {"symbolType": "stroke", "columns": 3}
    dashes = [[1, 0], [5, 3], [2, 3]][: len(names)]
    encoding["strokeDash"] = {**encoding["color"], "scale": {"domain": names, "range": dashes}}
    encoding["color"]["scale"]["range"] = [BLUE, ORANGE, GREY][: len(names)]


def _rounded(line: Spec) -> Spec:
    """Five significant digits: what a picture can show, in half of the bytes."""
    return {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in line.items()}
