"""The table "What must hold" of docs/suite.md: every row once, every test that it names exists."""

import ast
import re

from suite.plan.digest import ROOT


def test_every_row_names_tests_that_exist() -> None:
    page = (ROOT / "docs" / "suite.md").read_text().partition("## What must hold")[2]
    rows = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", page, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 53))
    defined = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        defined |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    for number, tests in rows:
        named = re.findall(r"`(test_\w+)`", tests)
        assert named, f"row {number} names no test"
        assert set(named) <= defined, f"row {number}: {set(named) - defined}"


def test_row_04_no_method_of_the_project_imports_the_data_sets() -> None:
    for path in sorted((ROOT / "baselines").glob("*.py")):
        if path.name.startswith("__"):
            continue  # the command line shows a new method on data
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not any(name.split(".")[0] == "datasets" for name in names), path
