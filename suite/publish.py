"""Published."""

from suite.digest import ROOT

PUBLISHED = ROOT / "results" / "records"
