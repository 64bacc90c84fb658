"""Sphinx configuration of the site; `suite.site.build` calls it and adds what it knows."""

import re
from typing import Any

project = "Twin Uplift Suite"
author = "The Twin Uplift Suite authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("charts.js", {"defer": "defer"})]
html_theme = "pydata_sphinx_theme"
html_title = project
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch pages, which no browser allows from a file
html_last_updated_fmt = None
_WIDE = ("index", "paper", "claims", "leaderboard", "measures", "speed", "search", "genindex")
html_sidebars = {name: [] for name in _WIDE}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "footer_start": ["made-from.html"],
    "footer_center": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "header_links_before_dropdown": 9,
    "navigation_with_keys": False,
}
pygments_style = "a11y-high-contrast-light"
# Docstrings of the code are plain text, not always reStructuredText.
suppress_warnings = ["docutils", "myst.header"]


def _as_plain_text(
    app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]
) -> None:
    """Docstrings are plain text: `coef_` or 2 * x outside of backticks is no markup."""
    parts = re.split(r"(`+[^`]+`+)", "\n".join(lines))
    parts[::2] = [re.sub(r"([*|]|(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    lines[:] = _with_lists("".join(parts).split("\n"))


def _with_lists(lines: list[str]) -> list[str]:
    """Sections with a line of dashes under their name become a heading and a list."""
    out, inside = [], False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch("-{3,}", following):
            inside = True
            out += [f".. rubric:: {line}", ""]
        elif re.fullmatch("-{3,}", line):
            continue
        elif inside and line[:1].strip():
            word, colon, text = line.partition(" : ")
            out.append(f"- **{word}**: {text}" if colon else f"- {line}")
        else:
            out.append(f"  {line.strip()}" if inside and line.strip() else line)
    return out


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _as_plain_text)
