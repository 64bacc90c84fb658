"""Published results as one table."""

import shutil
from pathlib import Path

import pytest

from suite import results
from suite.names import UserError
from suite.publish.columns import PUBLISHED, Published


def test_names_mean_what_they_say() -> None:
    assert set(results.load("minute")["method"]) >= {"oracle", "r-lasso"}
    assert set(results.load("choosing")["experiment"]) == {f"choosing-scenario{i}" for i in "1234"}
    for wrong in (("scenariO4",), ("scenario4", "foo"), ("minute", "printed"), (None, "foo")):
        with pytest.raises(UserError):
            results.load(*wrong)


def test_what_is_published_later_is_read_and_a_torn_line_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(PUBLISHED / "minute", tmp_path / "minute")
    monkeypatch.setattr(results, "PUBLISHED", tmp_path)
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "Published", lambda: Published(tmp_path))
    file = tmp_path / "minute" / "r-lasso.jsonl"
    whole = file.read_text()
    file.write_text(whole.splitlines(keepends=True)[0])
    first = results.load("minute")
    file.write_text(whole + '{"key": "torn')
    later = results.load("minute")
    assert len(later) == len(first) + 1
    assert list(later[later["method"] == "r-lasso"]["line"]) == [1, 2]
