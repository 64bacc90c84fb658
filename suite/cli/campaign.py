"""`python -m suite campaign FILE`: from the file of a campaign to a decision and a page."""

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from suite.campaign import say
from suite.campaign.errors import UserError
from suite.campaign.load import Options, load_campaign
from suite.campaign.sniff import DECIMALS
from suite.cli.errors import A_METHOD_FAILED, DONE, Parser, guarded

FOLDER = "campaign.uplift"
WIDTH = 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit codes are those of docs/campaign.md."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda options: _campaign(options, given), _parser(), given)


def _campaign(options: argparse.Namespace, given: Sequence[str]) -> int:
    begun = time.monotonic()
    _check(options)
    about = Options(**{name: getattr(options, name) for name in Options.__dataclass_fields__})
    campaign = load_campaign(options.file, about)
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        print(line, flush=True)

    for line in say.lines(campaign.guesses, WIDTH):
        tell(line)
    options.out = options.out or str(Path(options.file).parent / FOLDER)  # errors name it
    out = Path(options.out)
    if options.dry_run:
        tell(f"nothing was trained (--dry-run); a run takes up to {options.time} (--time)")
        return DONE
    from suite.campaign import api  # training needs more than reading does
    from suite.campaign.analyse import Settings
    from suite.compute.outcome import cores

    settings = Settings(
        methods=tuple(options.methods),
        time=options.time,
        folds=options.folds,
        jobs=options.jobs or cores(),
        dask=options.dask or "",
        seed=options.seed,
        quick=options.quick,
    )
    command = "python -m suite campaign " + shlex.join(given)
    about_run = {"fresh": options.fresh, "command": command, "said": tell, "begun": begun}
    result = api.run(campaign, about, settings, out, **about_run)
    answer = result.summary["answer"]
    words = f"{answer['first']} {answer['second']} {out / 'report.html'}"
    for line in say.lines([say.Guess("ANSWER", words)], WIDTH):
        tell(line)
    (out / "log.txt").write_text("\n".join(told) + "\n", encoding="utf-8")
    return A_METHOD_FAILED if result.summary["failed"] else DONE


def _check(options: argparse.Namespace) -> None:
    """Mistakes that need no look at the file."""
    if options.value is not None and options.cost is None:
        raise UserError("--value needs --cost (0 if treating is free)")
    if options.cost is not None and options.value is None and options.money is None:
        raise UserError("--cost needs --value (the money of one positive outcome)")
    if options.jobs is not None and options.jobs < 1:
        raise UserError(f"--jobs {options.jobs}: it must be at least 1")
    if options.seed < 0:
        raise UserError(f"--seed {options.seed}: it must be 0 or more")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m suite campaign", description=__doc__, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help="csv, tsv, csv.gz, zip of a csv, or parquet")
    add = parser.add_argument_group("the file").add_argument
    add("--outcome", metavar="COL[=VALUE]", help="yes/no column, and the value that counts")
    add("--lower-is-better", action=argparse.BooleanOptionalAction, help="as for churn")
    add("--arm", metavar="COL", help="which treatment each customer got")
    add("--control", metavar="VALUE", help="the value of --arm that means: not treated")
    add(
        "--id",
        metavar="COL",
        help="names the customer; never a covariate",
    )
    add("--ignore", metavar="COL", nargs="+", default=(), help="leave out")
    add("--keep", metavar="COL", nargs="+", default=(), help="use although suspected")
    add(
        "--types",
        metavar="COL=TYPE",
        nargs="+",
        default=(),
        help="number, category, date, date:%%d/%%m/%%Y or text",
    )
    add("--decimal", choices=tuple(DECIMALS), help="sign of decimals, if it was guessed wrong")
    add("--as-of", metavar="DATE", help="what dates are counted back from, 2025-01-31")
    add("--propensity", default="design", metavar="P", help="design, P, ARM=P,..., COL, estimate")
    add("--strata", metavar="COL", nargs="+", default=(), help="treated shares differ by these")
    add("--drop-missing", action="store_true", help="drop rows without outcome or arm")
    add = parser.add_argument_group("money").add_argument
    add("--value", metavar="V|COL", help="money of one positive outcome")
    add("--cost", metavar="C|ARM=C,...|COL", help="money of one treatment")
    add("--money", metavar="COL", help="observed money, to measure profit by")
    add("--budget", metavar="N|P%|MONEY", help="5000 customers, 20%% of them, or '12000 EUR'")
    add = parser.add_argument_group("the run").add_argument
    add("--methods", metavar="NAME", nargs="+", default=(), help="compare these")
    add("--time", default="10m", metavar="T", help="wall clock, 90s, 10m, 2h")
    add("--folds", type=int, default=5, metavar="K")
    add("--jobs", type=int, metavar="N", help="processes (default: all cores)")
    add("--dask", metavar="ADDRESS", help="compute on a dask cluster, tcp://host:8786")
    add("--seed", type=int, default=0, metavar="S")
    add("--quick", action="store_true", help="a look, in less than a minute")
    add("--out", metavar="DIR", help=f"{FOLDER} beside the file")
    add("--fresh", action="store_true", help="replace another run in --out")
    add("--dry-run", action="store_true", help="read and check, train nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
