"""What the README tells people to type."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_its_python_runs_from_top_to_bottom(tmp_path):
    # Real data must be downloaded first; tests/datasets has them.
    here = re.sub(r"^## Real data\n.*?(?=^## )", "", README, flags=re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"```python\n(.*?)```", here, flags=re.DOTALL)
    assert blocks
    script = tmp_path / "readme.py"
    script.write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_ci_can_find_the_test_command():
    assert re.search(r"^pip install .*&& pytest$", README, flags=re.MULTILINE)
