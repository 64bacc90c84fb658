"""`python -m suite score MODEL FILE`: uplift and decision for new customers, of any number."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from suite.campaign.application import ScoreOptions
from suite.campaign.model import Model
from suite.campaign.prices import budget
from suite.campaign.score import Scored, score_file
from suite.campaign.sniff import DECIMALS
from suite.cli.errors import DONE, Parser, guarded

SAME_SHARE = 0.01  # relative difference up to which two shares of customers are the same


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit codes are those of docs/campaign.md."""
    return guarded(_score, _parser(), arguments)


def _score(options: argparse.Namespace) -> int:
    from suite.campaign import bundle  # after the arguments: it imports every method
    from suite.campaign.check import check_file

    model = bundle.load(Path(options.model))
    out = options.out or str(Path(options.file).with_suffix("").with_suffix(".scores.csv"))
    about = ScoreOptions(
        out=out,
        budget=options.budget,
        value=options.value,
        cost=options.cost,
        all_columns=options.all_columns,
        forgive=options.bad_cells == "missing",
        as_of=options.as_of,
        decimal=options.decimal,
    )
    checked = check_file(model, options.file, about) if options.evaluate else None
    scored = score_file(model, options.file, about)
    changed = any(v is not None for v in (options.budget, options.value, options.cost))
    words = said(model, scored, changed)
    if checked is not None:
        words += f"\n{checked}"
    elif scored.can_evaluate:
        words += f"\n{model.arm_name} and {model.outcome_name} are there: --evaluate compares"
    # Scores that go to stdout must stay a table.
    print(words, file=sys.stderr if out == "-" else sys.stdout)
    return DONE


def said(model: Model, scored: Scored, changed: bool) -> str:
    """One line: rows, whom to treat, what it earns, what is new in the file."""
    parts = [f"{scored.rows:,} rows"]
    if scored.treated is not None and len(scored.treated) == 1:
        parts[0] += f", {sum(scored.treated.values()):,} to treat"
    elif scored.treated is not None:
        each = ", ".join(f"{arm} {n:,}" for arm, n in scored.treated.items())
        parts[0] += f", {sum(scored.treated.values()):,} to treat ({each})"
    profit = model.headline.get("profit")
    if scored.profit is not None and (changed or not _measured(model, scored)):
        parts[0] += f", predicted profit {scored.profit:,.0f}"
    elif scored.profit is not None and profit and profit.get("mean") is not None:
        # The campaign's estimate, not the sum of predictions: that would promise too much.
        mean, low, high = (scored.rows * profit[name] for name in ("mean", "low", "high"))
        parts[0] += f", expected profit {mean:,.0f} ({low:,.0f} to {high:,.0f})"
        parts[0] += " if these customers are like the campaign's"
    if scored.as_of is not None:
        parts.append(f"dates counted back from {scored.as_of}")
    drift = scored.drift.said()
    return "; ".join([*parts, drift] if drift else parts)


def _measured(model: Model, scored: Scored) -> bool:
    """Whether the campaign measured what this decision earns.

    A rule that goes by the customer treats as many as are worth it, and a share is a share. All,
    none, or a budget that is a number or money must be the share of the customers there as here.
    """
    own = model.decision
    absolute = own.budget is not None and budget(own.budget, priced=True).share is None
    if own.rule == "net" or (own.rule == "top" and not absolute):
        return True
    expected = model.headline.get("share", np.nan) * scored.rows
    return bool(abs(sum(scored.treated.values()) - expected) <= max(1.0, SAME_SHARE * expected))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m suite score", description=__doc__, allow_abbrev=False)
    parser.add_argument("model", metavar="MODEL", help="model.uplift of a campaign")
    parser.add_argument("file", metavar="FILE", help="csv, tsv, csv.gz, zip, parquet or a folder")
    add = parser.add_argument
    add("--out", metavar="FILE", help="csv, csv.gz, parquet, a folder of parquet, or - for stdout")
    add("--budget", metavar="N|P%|MONEY", help="treat the best within it")
    add("--value", metavar="V|COL", help="money of one positive outcome, instead of the campaign's")
    add("--cost", metavar="C|ARM=C,...|COL", help="money of one treatment")
    add("--all-columns", action="store_true", help="write the columns of FILE too")
    add("--bad-cells", choices=("error", "missing"), default="error", help="cells of a wrong type")
    add("--decimal", choices=tuple(DECIMALS), help="sign of decimals, if it was guessed wrong")
    add("--as-of", metavar="DATE", help="what dates are counted back from; default: the latest")
    add("--evaluate", action="store_true", help="compare with the arms and outcomes in FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main())
