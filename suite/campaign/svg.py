"""Small pictures as inline SVG: colours come from the page's style sheet, so dark mode works."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

LETTER = 7.2  # width of a letter of the labels, about; on a phone they are larger


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from `low` to `high`."""
    span = max(high - low, 1e-12)
    step = 10 ** floor(log10(span / max(most - 1, 1)))
    step *= next(m for m in (1, 2, 5, 10, 20) if span / (step * m) <= most)
    first = ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, floor(high / step + 1e-9) + 1)]


@dataclass
class Plot:
    """Axes in the units of the data; parts are added in the order in which they are painted."""

    title: str
    x: tuple[float, float]
    y: tuple[float, float]
    width: int = 480  # narrow enough for a phone to show it whole with letters one can read
    height: int = 280
    left: int = 56
    bottom: int = 44
    top: int = 14
    right: int = 24
    parts: list[str] = field(default_factory=list)

    def px(self, x: float) -> float:
        low, high = self.x
        inner = self.width - self.left - self.right
        return round(self.left + (x - low) / (high - low) * inner, 1)

    def py(self, y: float) -> float:
        low, high = self.y
        inner = self.height - self.top - self.bottom
        return round(self.top + (high - y) / (high - low) * inner, 1)

    def axis_x(self, at: Sequence[float], say: Sequence[str], label: str) -> None:
        base = self.height - self.bottom
        for x, text in zip(at, say, strict=True):
            self.parts.append(
                f'<line class="grid" x1="{self.px(x)}" x2="{self.px(x)}" '
                f'y1="{self.top}" y2="{base}"/>'
            )
            self.text(self.px(x), base + 17, text, "tick", "middle")
        middle = (self.left + self.width - self.right) / 2
        self.text(middle, self.height - 6, label, "label", "middle")

    def axis_y(self, at: Sequence[float], say: Sequence[str]) -> None:
        for y, text in zip(at, say, strict=True):
            self.parts.append(
                f'<line class="grid" x1="{self.left}" x2="{self.width - self.right}" '
                f'y1="{self.py(y)}" y2="{self.py(y)}"/>'
            )
            self.text(self.left - 7, self.py(y) + 4, text, "tick", "end")

    def text(self, x: float, y: float, text: str, style: str, anchor: str = "start") -> None:
        """Text at pixels; what comes from the file is escaped."""
        self.parts.append(
            f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
            f"{escape(text)}</text>"
        )

    def line(self, xs: Sequence[float], ys: Sequence[float], style: str) -> None:
        points = " ".join(f"{self.px(x)},{self.py(y)}" for x, y in zip(xs, ys, strict=True))
        self.parts.append(f'<polyline class="{style}" points="{points}"/>')

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float]) -> None:
        there = [f"{self.px(x)},{self.py(y)}" for x, y in zip(xs, high, strict=True)]
        back = [f"{self.px(x)},{self.py(y)}" for x, y in zip(xs, low, strict=True)]
        self.parts.append(f'<polygon class="band" points="{" ".join(there + back[::-1])}"/>')

    def dot(self, x: float, y: float, style: str, radius: float = 4.5) -> None:
        self.parts.append(
            f'<circle class="{style}" cx="{self.px(x)}" cy="{self.py(y)}" r="{radius}"/>'
        )

    def bar(self, x: tuple[float, float], y: tuple[float, float], style: str) -> None:
        """A box between two corners in the units of the data."""
        left, right = sorted((self.px(x[0]), self.px(x[1])))
        upper, lower = sorted((self.py(y[0]), self.py(y[1])))
        self.parts.append(
            f'<rect class="{style}" x="{left}" y="{upper}" width="{right - left:.1f}" '
            f'height="{max(lower - upper, 0.5):.1f}"/>'
        )

    def svg(self) -> str:
        """The picture; its title is its text for those who cannot see it."""
        title = escape(self.title)
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{title}">'
            f"<title>{title}</title>{''.join(self.parts)}</svg>"
        )


def rows_plot(
    title: str, names: Sequence[str], x: tuple[float, float], row: int = 28, most_letters: int = 24
) -> Plot:
    """A plot with one line for each name, the first on top; y runs from 0.5 to n + 0.5."""
    shown = [shorten(name, most_letters) for name in names]
    left = int(min(max((len(s) for s in shown), default=1) * LETTER + 14, 190))
    n = len(names)
    plot = Plot(title, x, (0.5, n + 0.5), height=n * row + 62, left=left)
    for i, name in enumerate(shown):
        plot.text(left - 9, plot.py(n - i) + 4, name, "name", "end")
    return plot


def shorten(name: str, most: int) -> str:
    """A name that fits; the table under the picture has the whole of it."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
