"""What makes a record stale, and what does not."""

from pathlib import Path

import pytest

from suite.plan import digest

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
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(digest, "ROOT", tmp_path)
    return tmp_path


def names(root: Path, file: str) -> set[str]:
    return {str(path.relative_to(root)) for path in digest.closure(root / file)}


def test_the_closure_follows_lazy_relative_and_inner_imports(project: Path) -> None:
    a = {"baselines/a.py", "baselines/contract.py", "twin/lazy.py", "twin/deep.py"}
    assert names(project, "baselines/a.py") == a
    b = {"baselines/b.py", "baselines/contract.py", "twin/near.py"}
    assert names(project, "baselines/b.py") == b


@pytest.mark.parametrize("edited", ["baselines/a.py", "baselines/contract.py", "twin/deep.py"])
def test_an_edit_of_what_is_used_changes_the_digest(project: Path, edited: str) -> None:
    before = digest.code_digest(project / "baselines/a.py")
    with (project / edited).open("a") as file:
        file.write("ADDED = 1\n")
    assert digest.code_digest(project / "baselines/a.py") != before


@pytest.mark.parametrize("edited", ["twin/other.py", "twin/near.py", "baselines/b.py"])
def test_an_edit_elsewhere_does_not(project: Path, edited: str) -> None:
    before = digest.code_digest(project / "baselines/a.py")
    with (project / edited).open("a") as file:
        file.write("ADDED = 1\n")
    assert digest.code_digest(project / "baselines/a.py") == before


def test_comments_and_docstrings_do_not(project: Path) -> None:
    path = project / "baselines/a.py"
    before = digest.code_digest(path)
    path.write_text(path.read_text().replace('"""A."""', '"""Another text."""\n# why\n'))
    assert digest.code_digest(path) == before


def test_a_user_s_file_counts_by_its_content(tmp_path: Path) -> None:
    text = "from baselines import Method\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
    first, second = (digest.code_digest(tmp_path / f / "mine.py") for f in ("one", "two"))
    assert first == second
    (tmp_path / "two" / "mine.py").write_text(text + "X = 1\n")
    assert digest.code_digest(tmp_path / "two" / "mine.py") != first


def test_no_project_file_is_missed() -> None:
    """Every method's closure contains its own file, the contract and the checks it runs."""
    found = {
        path.relative_to(digest.ROOT).as_posix()
        for path in digest.closure(digest.ROOT / "baselines" / "r_lasso.py")
    }
    expected = {"baselines/r_lasso.py", "baselines/contract.py", "twin/checks.py", "twin/rows.py"}
    assert expected <= found
