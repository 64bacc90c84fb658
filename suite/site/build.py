"""Write the pages and let Sphinx render them into a folder that opens without a server."""

import io
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from suite.names import UserError
from suite.site.claims import claims_page
from suite.site.data import data_pages
from suite.site.docs import doc_pages
from suite.site.ground import Ground, commit
from suite.site.home import home
from suite.site.leaderboard import leaderboard
from suite.site.measures import measures_page
from suite.site.methods import method_pages
from suite.site.page import Page
from suite.site.paper import paper_page
from suite.site.speed import speed_page

SPHINX = Path(__file__).with_name("sphinx")
TOP = (
    *("The paper <paper>", "Claims <claims>", "leaderboard", "methods/index", "data/index"),
    *("measures", "speed", "Docs <docs/index>"),
)
MARK = ".twin-uplift-site"  # written into the folder: what has it may be replaced


class SiteProblem(Exception):
    """The pages do not hold together: a link without target, a page that nothing leads to."""


def pages(ground: Ground) -> Iterator[Page]:
    """All pages, the front page first."""
    front = home(ground)
    front.md("```{toctree}\n:hidden:\n\n" + "\n".join(TOP) + "\n```")
    yield front
    yield paper_page(ground)
    yield claims_page(ground)
    yield leaderboard(ground)
    yield from method_pages(ground)
    yield from data_pages(ground)
    yield measures_page(ground)
    yield speed_page(ground)
    yield from doc_pages()


def build(out: Path, ground: Ground) -> int:
    """Render the site into `out`; says how many pages it has."""
    _require()
    if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
        raise UserError(f"{out} holds other files; give an empty folder or one of an earlier site")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        count = _write(folder, ground)
        _render(folder)
        for path in (folder / "out").rglob("*.map"):
            path.unlink()  # only debuggers of the theme read them
        for name in (".buildinfo", "objects.inv"):
            (folder / "out" / name).unlink(missing_ok=True)
        for name in (MARK, ".nojekyll"):
            (folder / "out" / name).touch()
        if out.exists():
            shutil.rmtree(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(folder / "out", out)
    return count


def _write(folder: Path, ground: Ground) -> int:
    import vl_convert

    count = 0
    for page in pages(ground):
        count += 1
        _put(folder / "source" / f"{page.path}.md", page.source())
        for name, text in page.files.items():
            _put(folder / "extra" / name, text)
    _put(folder / "static" / "vega.js", f"(() => {{{vl_convert.javascript_bundle()}}})();\n")
    return count


def _render(folder: Path) -> None:
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    said = io.StringIO()
    with patch_docutils(str(SPHINX)), docutils_namespace():
        app = Sphinx(
            srcdir=folder / "source",
            confdir=SPHINX,
            outdir=folder / "out",
            doctreedir=folder / "doctrees",
            buildername="html",
            confoverrides={
                "html_static_path": [str(SPHINX / "_static"), str(folder / "static")],
                "html_extra_path": [str(folder / "extra")],
                "html_context": {"built_from": commit(), "default_mode": "auto"},
                "myst_update_mathjax": False,
            },
            status=None,
            warning=said,
            freshenv=True,
        )
        app.build(force_all=True)
    lines = [line for line in said.getvalue().splitlines() if line.strip()]
    if lines or app.statuscode:
        raise SiteProblem("\n".join(line.replace(str(folder), "") for line in lines))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _require() -> None:
    try:
        import myst_parser  # noqa: F401
        import pydata_sphinx_theme  # noqa: F401
        import sphinx  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise UserError(f"{error.name} is missing; run pip install -e '.[site]'") from None
