"""What makes a record stale, and what does not."""

import ast
from pathlib import Path

import pytest

from suite.plan.digest import ROOT, Code, canonical
from suite.plan.plan import CELL

FILES = {
    "twin/__init__.py": "_HOME = {'Lazy': 'twin.lazy', 'Other': 'twin.other'}\n",
    "twin/lazy.py": "from twin import deep\nX = 1\n",
    "twin/deep.py": "Y = 1\n",
    "twin/other.py": "Z = 1\n",
    "twin/near.py": "N = 1\n",
    "baselines/__init__.py": "from baselines.contract import Method\n",
    "baselines/contract.py": "class Method: pass\n",
    "baselines/a.py": '"""A."""\nfrom baselines.contract import Method\nfrom twin import Lazy\n',
    "baselines/b.py": "from .contract import Method\ndef f():\n    import twin.near\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def names(root: Path, file: str) -> set[str]:
    return {str(path.relative_to(root)) for path in Code(root).closure(file)}


def test_the_closure_follows_lazy_relative_and_inner_imports(project: Path) -> None:
    a = {"baselines/a.py", "baselines/contract.py", "twin/lazy.py", "twin/deep.py"}
    assert names(project, "baselines/a.py") == a
    b = {"baselines/b.py", "baselines/contract.py", "twin/near.py"}
    assert names(project, "baselines/b.py") == b


@pytest.mark.parametrize("edited", ["baselines/a.py", "baselines/contract.py", "twin/deep.py"])
def test_an_edit_of_what_is_used_changes_the_digest(project: Path, edited: str) -> None:
    before = Code(project).digest("baselines/a.py")
    with (project / edited).open("a") as file:
        file.write("ADDED = 1\n")
    assert Code(project).digest("baselines/a.py") != before


@pytest.mark.parametrize("edited", ["twin/other.py", "twin/near.py", "baselines/b.py"])
def test_an_edit_elsewhere_does_not(project: Path, edited: str) -> None:
    before = Code(project).digest("baselines/a.py")
    with (project / edited).open("a") as file:
        file.write("ADDED = 1\n")
    assert Code(project).digest("baselines/a.py") == before


def test_comments_and_docstrings_do_not(project: Path) -> None:
    path = project / "baselines/a.py"
    before = Code(project).digest(path)
    path.write_text(path.read_text().replace('"""A."""', '"""Another text."""\n# why\n'))
    assert Code(project).digest(path) == before


def test_a_user_s_file_counts_by_its_content(tmp_path: Path) -> None:
    text = "from baselines import Method\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
    first, second = (Code().digest(tmp_path / f / "mine.py") for f in ("one", "two"))
    assert first == second
    (tmp_path / "two" / "mine.py").write_text(text + "X = 1\n")
    assert Code().digest(tmp_path / "two" / "mine.py") != first


def test_no_project_file_is_missed() -> None:
    """Every method's closure contains its own file, the contract and the checks it runs."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in Code().closure(ROOT / "baselines" / "r_lasso.py")
    }
    expected = {"baselines/r_lasso.py", "baselines/contract.py", "twin/checks.py", "twin/rows.py"}
    assert expected <= found


def test_texts_of_errors_do_not_count_and_their_conditions_do(project: Path) -> None:
    path = project / "twin/deep.py"
    path.write_text("def f(x):\n    if x > 1:\n        raise ValueError('too large')\n")
    before = Code(project).digest("baselines/a.py")
    path.write_text("def f(x):\n    if x > 1:\n        raise TypeError(f'{x} is above 1')\n")
    assert Code(project).digest("baselines/a.py") == before
    path.write_text("def f(x):\n    if x > 2:\n        raise ValueError('too large')\n")
    assert Code(project).digest("baselines/a.py") != before


def test_the_canonical_form_leaves_out_what_versions_of_python_add() -> None:
    (function,) = ast.parse("def f(x): return x").body
    function.type_params = []  # from 3.12 on
    bare = ast.parse("def f(x): return x").body[0]
    assert repr(canonical(function)) == repr(canonical(bare))


def test_what_keeps_and_shows_numbers_is_in_no_closure() -> None:
    shown = ("suite/store", "suite/publish", "suite/compare", "suite/show", "suite/cli")
    for path in ("baselines/twin_refit.py", "datasets/criteo.py", CELL):
        closure = {str(file.relative_to(ROOT)) for file in Code().closure(path)}
        assert not [file for file in closure if file.startswith(shown)]
    assert "baselines/contract.py" in {str(f.relative_to(ROOT)) for f in Code().closure(CELL)}


def test_the_files_beside_a_user_s_file_count(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import helper_mod\n")
    (tmp_path / "helper_mod.py").write_text("SIGN = 1\n")
    before = Code().digest(tmp_path / "mine.py")
    (tmp_path / "helper_mod.py").write_text("SIGN = -1\n")
    assert Code().digest(tmp_path / "mine.py") != before
