"""The site is built once; a browser is Debian's chromium, where it is installed."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx", reason="pip install -e '.[site]' brings sphinx")
pytest.importorskip("vl_convert", reason="pip install -e '.[site]' brings vl-convert-python")

from suite.site.build import build
from suite.site.ground import Ground

AXE = "AXE_CORE"  # the path of axe.min.js, from npm's axe-core


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "site"
    build(out)
    return out


@pytest.fixture(scope="session")
def ground() -> Ground:
    return Ground()


@pytest.fixture(scope="session")
def axe() -> str:
    found = os.environ.get(AXE)
    if not found:
        pytest.skip(f"{AXE} does not name axe.min.js; npm pack axe-core brings it")
    return Path(found).read_text()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        pytest.skip("chromium is missing; apt-get install chromium chromium-driver brings it")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    # Nothing but files can be reached: a page that asks for more shows it as an error.
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(programs[1])
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(120)
    yield driver
    driver.quit()
