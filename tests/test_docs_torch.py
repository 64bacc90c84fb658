"""The Python of docs/torch.md runs from top to bottom."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="docs/torch.md is about torch")
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "torch.md"


def run(blocks: list[str], folder: Path) -> str:
    script = folder / "page.py"
    script.write_text("\n".join(blocks))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def blocks() -> list[str]:
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(found) == 4
    return found


def test_its_python_runs(blocks, tmp_path):
    check = "assert abs(outcomes.detach().numpy() - fitted.predict_outcomes(X)).max() < 1e-6"
    run([*blocks[:3], check], tmp_path)


SUBSET = """
from dataclasses import replace
whole = datasets.load("hillstrom", mail="womens", replicate=100)
parts = {name: getattr(whole, name).take(slice(0, 3000)) for name in ("train", "valid", "test")}
datasets.load = lambda *arguments, **options: replace(whole, **parts)
"""


@pytest.mark.parametrize(
    "before",
    [pytest.param(SUBSET, id="subset"), pytest.param("", id="all rows", marks=pytest.mark.slow)],
)
def test_the_example_with_embeddings_gives_two_scores(before, blocks, tmp_path):
    folder = os.environ.get("UPLIFT_DATA")
    if not folder or not (Path(folder) / "hillstrom").is_dir():
        pytest.skip("no Hillstrom data; set UPLIFT_DATA to the folder that holds them")
    printed = run([*blocks, before, "print(*compare(100))"], tmp_path)
    embedded, one_hot = map(float, printed.split())
    if before:
        assert -5 < embedded < 5
        assert -5 < one_hot < 5
    else:  # the numbers of the page
        row = "| {} | {:.2f} |"
        assert row.format("embeddings, `TwinTorch`", embedded) in PAGE.read_text()
        assert row.format("one-hot columns, Twin_NN (4 settings)", one_hot) in PAGE.read_text()
