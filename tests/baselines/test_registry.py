"""Finding methods, loading a user's own file, writing a new one, and libraries that are absent."""

import importlib.util
import pickle
import subprocess
import sys

import numpy as np
import pytest

import baselines
from baselines.__main__ import main

GOOD = """
from baselines import Method

class Mine(Method):
    name = "mine"
    def _fit(self, train, valid, seed): ...
    def _predict(self, X): return X[:, 0]
"""


def test_an_unknown_method_gets_its_neighbours():
    with pytest.raises(ValueError, match="did you mean r-lasso"):
        baselines.method("r-laso")


def test_what_methods_share_is_no_method():
    """Modules and parents without a name of their own are not taken for methods."""
    parents = {"Forest", "TwinMethod", "TwinNN", "Refit", "Method"}
    found = baselines.methods()
    assert parents.isdisjoint(cls.__name__ for cls in found.values())
    assert {"baselines.boost", "baselines.forest", "baselines.contract"}.isdisjoint(
        cls.__module__ for cls in found.values()
    )
    assert found["twin-64"].__mro__[1] is found["twin-512"].__mro__[1]
    assert {name: found[name].nodes for name in ("twin-64", "twin-512")} == {
        "twin-64": 64,
        "twin-512": 512,
    }


def test_a_file_is_a_method(tmp_path, train, valid):
    path = tmp_path / "mine.py"
    path.write_text(GOOD)
    (cls,) = baselines.load_file(path)
    method = cls().fit(train, valid, 0)
    np.testing.assert_array_equal(method.predict(train.X), train.X[:, 0])
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(method)).predict(train.X), train.X[:, 0]
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("def _predict(self, X): return X[:, 0]", ""), "Mine does not define _predict"),
        (('name = "mine"', ""), "no subclass of baselines.Method with a `name`"),
        (('"mine"', "3"), "Mine.name is 3"),
        (('"mine"', '"mine"\n    grid = {"depth": 3}'), "give a sequence of values"),
        (('"mine"', '"mine"\n    grid = [1, 2]'), "give a dictionary"),
        (('"mine"', '"mine"\n    quick_grid = {"depth": (1,)}'), "which grid does not have"),
        (("class Mine", "class Mine("), "SyntaxError"),
        (("from baselines import Method", "import no_such_library"), "no_such_library"),
    ],
)
def test_a_wrong_file_gets_an_error_that_shows_the_contract(tmp_path, change, says):
    path = tmp_path / "mine.py"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(ValueError, match="cannot be used as a method file") as error:
        baselines.load_file(path)
    assert says in str(error.value)
    assert "class MyMethod(Method):" in str(error.value)
    assert "def _predict(self, X):" in str(error.value)


def test_no_file_no_method(tmp_path):
    with pytest.raises(ValueError, match="no method file at"):
        baselines.load_file(tmp_path / "absent.py")
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(ValueError, match=r"must end in \.py"):
        baselines.load_file(tmp_path / "notes.txt")


def test_a_file_may_declare_its_encoding(tmp_path):
    path = tmp_path / "latin.py"
    text = (
        "# -*- coding: latin-1 -*-\nfrom baselines import Method\n\n\n"
        "class Own(Method):\n    'M\u00e9thode.'\n    name = 'own'\n"
        "    def _fit(self, train, valid, seed): pass\n    def _predict(self, X): return X[:, 0]\n"
    )
    path.write_bytes(text.encode("latin-1"))
    (cls,) = baselines.load_file(path)
    assert cls.__doc__ == "M\u00e9thode."


def test_the_scaffold_writes_a_method_that_runs(tmp_path, capsys, train, valid, test_rows):
    path = tmp_path / "my_method.py"
    assert main(["new", str(path)]) == 0
    assert "--method" in capsys.readouterr().out
    (cls,) = baselines.load_file(path)
    assert cls.name == "my-method"
    method = cls().fit(train, valid, 0)
    assert method.n_candidates_ == 3
    assert np.corrcoef(method.predict(test_rows.X), test_rows.true_uplift)[0, 1] > 0.5
    ruff = subprocess.run(
        [sys.executable, "-m", "ruff", "check", str(path)], capture_output=True, text=True
    )
    assert ruff.returncode == 0, ruff.stdout


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("my-method.py", "cannot be a module"),
        ("oracle.py", "a method called 'oracle' exists"),
        ("here/there.py", "there is no folder"),
    ],
)
def test_the_scaffold_refuses_what_would_not_work(tmp_path, capsys, name, says):
    assert main(["new", str(tmp_path / name)]) == 2
    assert says in capsys.readouterr().err


def test_the_scaffold_overwrites_nothing(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("precious")
    assert main(["new", str(path)]) == 2
    assert "exists" in capsys.readouterr().err
    assert path.read_text() == "precious"


def test_the_listing_shows_every_method(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(baselines.methods()) + 1
    assert any(
        "causal-forest-honest" in line and "Causal Forest (Honest)" in line for line in lines
    )


def test_an_absent_library_is_a_state_and_a_clear_error(monkeypatch, capsys, train, valid):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "econml" else real(name)
    )
    main([])
    listing = capsys.readouterr().out
    assert listing.count("not installed: pip install econml") == 2
    with pytest.raises(ImportError, match="causal-forest is not installed: pip install econml"):
        baselines.method("causal-forest")().fit(train, valid, 0)


def test_listing_methods_imports_no_optional_library():
    code = (
        "import sys, baselines; baselines.methods(); "
        "print([m for m in ('econml', 'causalml', 'xgboost') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
