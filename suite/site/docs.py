"""The project's own docs and the reference of `twin`, as pages of the site."""

import re
from collections.abc import Iterator
from importlib import import_module

import twin
from suite.plan.digest import ROOT
from suite.site.page import Page

# Where the site shows what docs/*.md link to in results/.
SHOWN = {
    "results/findings/scale.md": "speed.md#growth",
    "results/perf/peers.md": "speed.md#peers",
    "results/findings/audit.md": "claims.md#audit",
    "results/findings/claims.md": "claims.md",
    "results/README.md": "paper.md",
}

MEMBERS = """
   :members:
   :inherited-members: BaseEstimator
   :exclude-members: set_fit_request, set_predict_request, set_score_request, get_metadata_routing
"""


def doc_pages() -> Iterator[Page]:
    """docs/*.md with links that stay inside the site, and the API."""
    found = sorted((ROOT / "docs").glob("*.md"))
    listing = Page("docs/index", "Docs and API")
    listing.md("```{toctree}\n" + "\n".join(path.stem for path in found) + "\napi\n```")
    yield listing
    for path in found:
        first, _, rest = path.read_text().partition("\n")
        page = Page(f"docs/{path.stem}", first.lstrip("# "))
        page.md(inside(rest))
        yield page
    yield _api()


def inside(text: str) -> str:
    """Links to files that the site does not have become their names; others stay."""

    def replaced(match: re.Match[str]) -> str:
        words, target = match.groups()
        name = target.partition("#")[0]
        if re.match(r"[a-z]+:", target) or not name:
            return match[0]
        if name.startswith("../"):
            shown = SHOWN.get(name.removeprefix("../"))
            return f"[{words}](../{shown})" if shown else f"{words} (`{name[3:]}`)"
        known = (ROOT / "docs" / name).is_file()
        return match[0] if known else f"{words} (`docs/{name}`)"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replaced, text)


def _api() -> Page:
    """The public names of `twin`, from their docstrings."""
    page = Page("docs/api", "Reference of twin")
    page.md("What `from twin import ...` gives, and the functions of its modules.")
    homes: dict[str, list[str]] = {}
    for name in twin.__all__:
        homes.setdefault(getattr(twin, name).__module__, []).append(name)
    for module, names in sorted(homes.items()):
        page.section(module, module.replace(".", "-"))
        lines = []
        for name in names:
            item = getattr(import_module(module), name)
            kind = "class" if isinstance(item, type) else "function"
            lines.append(f".. auto{kind}:: {module}.{name}{MEMBERS if kind == 'class' else ''}\n")
        page.md("```{eval-rst}\n" + "\n".join(lines) + "```")
    return page
