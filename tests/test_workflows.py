"""GitHub's workflows: they can be read, and what they name is there."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML reads the workflows")
ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_every_step_can_be_read_and_finds_its_script(path):
    jobs = yaml.safe_load(path.read_text())["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert all(isinstance(step.get("run", step.get("uses")), str) for step in steps)
    scripts = re.findall(
        r"^\.ci/\w+", "\n".join(step.get("run", "") for step in steps), re.MULTILINE
    )
    assert all((ROOT / script).is_file() for script in scripts)


def test_every_python_that_the_package_promises_is_tested():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    prefix = "Programming Language :: Python :: 3."
    promised = [line[len(prefix) - 2 :] for line in project["classifiers"] if prefix in line]
    assert jobs["package"]["strategy"]["matrix"]["python"] == promised
    assert promised == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == ">=3.11,<3.14"
