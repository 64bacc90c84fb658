"""The same in Python: `suite.campaign.fit(frame, outcome=..., arm=...)`."""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from suite.campaign import output, page
from suite.campaign.allocation import Terms
from suite.campaign.analyse import Settings, analyse
from suite.campaign.errors import UserError
from suite.campaign.evaluate import compare
from suite.campaign.findings import Findings
from suite.campaign.load import Options, load_campaign
from suite.campaign.model import Model
from suite.campaign.score import score_frame
from suite.campaign.summary import plain, summarise
from suite.campaign.types import Campaign
from suite.compute.environment import versions


@dataclass(frozen=True)
class Result:
    """A campaign that was analysed: the answer, the page, the model."""

    findings: Findings
    model: Model
    summary: dict[str, Any]

    def report(self, path: str | Path | None = None) -> str:
        """The page as HTML; written to `path` if one is given."""
        html = page.render(self.summary)
        if path is not None:
            output.write(Path(path), html)
        return html

    def decide(
        self,
        value: float | None = None,
        cost: float | None = None,
        budget: float | None = None,
    ) -> pd.Series:
        """Whom of the campaign's customers to treat (the arm, "" for nobody), out of fold.

        `value`, `cost` and `budget` (a share of customers) replace those of the run; with none of
        them it is the decision of `rows`. The index is the id, or the number of the row.
        """
        if budget is not None and not 0 < budget <= 1:
            raise UserError(f"budget is {budget}; give a share of the customers, such as 0.2")
        if value is cost is budget is None and not self.findings.decides:
            raise UserError("nothing is decided without value and cost, or a budget: say them here")
        evidence, campaign = self.findings.evidence, self.findings.campaign
        terms = evidence.terms
        terms = Terms(
            terms.value if value is None else terms.value * 0 + value,
            terms.cost if cost is None else terms.cost * 0 + cost,
            terms.cap if budget is None else budget,
            terms.cap_money if budget is None else False,
        )
        found = compare(evidence, terms, tells=self.findings.outcome.final.tells)
        chosen = pd.Series(["", *campaign.arms[1:]]).iloc[found.decision].to_numpy()
        return pd.Series(chosen, index=output.names_of(campaign), name="treat")

    def rows(self) -> pd.DataFrame:
        """Id, out-of-fold uplift and decision of every customer of the campaign."""
        return output.rows_of(self.findings)

    def score(self, frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
        """Uplift and decision of new customers; `options` are those of the verb `score`."""
        return score_frame(self.model, frame, **options)

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f'<iframe srcdoc="{escape(self.report())}" sandbox="" '
            'style="width:100%;height:640px;border:1px solid #ccc"></iframe>'
        )


def fit(frame: pd.DataFrame | str | Path, **options: Any) -> Result:
    """Analyse a table: options of the file (`outcome`, `arm`, `value`, `cost`, `budget`, ...) and
    of the computation (`methods`, `time`, `folds`, `jobs`, `seed`, `quick`), as on the command
    line; `out`: a folder for the results, which then survive an interruption.
    """
    begun, out = time.monotonic(), options.pop("out", None)
    own = {f.name for f in fields(Options)}
    settings = {k: v for k, v in options.items() if k not in own}
    unknown = set(settings) - {f.name for f in fields(Settings)}
    if unknown:
        raise TypeError(f"fit has no option {sorted(unknown)[0]!r}")
    said = {k: _text(k, v) for k, v in options.items() if k in own}
    if "seed" in said:
        settings["seed"] = said["seed"]
    loaded = Options(**said)
    campaign = load_campaign(frame, loaded)
    return run(campaign, loaded, Settings(**settings), out, begun=begun)


def _text(name: str, value: Any) -> Any:
    """Numbers of prices may be given as numbers."""
    prices = ("value", "cost", "budget", "propensity")
    return str(value) if name in prices and isinstance(value, int | float) else value


def run(
    campaign: Campaign,
    options: Options,
    settings: Settings,
    out: str | Path | None = None,
    *,
    fresh: bool = False,
    command: str = "suite.campaign.fit",
    said: Callable[[str], None] = lambda line: None,
    begun: float | None = None,
) -> Result:
    """Analyse a checked campaign; with `out` everything is written there.

    `begun`: when the time began to run, on the monotonic clock; None: now.
    """
    begun = time.monotonic() if begun is None else begun
    with ExitStack() as stack:
        if out is None:
            units = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        else:
            units = output.claim(Path(out), campaign, options, settings, fresh)
        found, model = analyse(campaign, settings, units, said, begun)
    summary = summarise(found, model)
    summary["quick"] = settings.quick
    summary["about"] = {
        "seed": settings.seed,
        "folds": int(found.evidence.folds.max()) + 1,
        "versions": versions(),
    }
    # What differs between two runs of the same question stays in one place.
    summary["this_run"] = plain(
        {
            "command": command,
            "seconds": time.monotonic() - begun,
            "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "methods": found.progress.seconds,
            "left_out": found.progress.left_out,
        }
    )
    if out is not None:
        output.write_all(Path(out), found, model, summary)
    return Result(found, model, summary)
