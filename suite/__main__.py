"""`python -m suite <verb>`: one program; a verb's module is imported when it is asked for."""

import sys
from collections.abc import Sequence
from importlib import import_module

VERBS = {
    "campaign": ("suite.cli.campaign", "from the file of a campaign to a decision and a page"),
    "score": ("suite.cli.score", "uplift and decision for new customers, with a campaign's model"),
    "run": ("suite.cli.run", "compute an experiment and show its table beside the paper's"),
    "verify": ("suite.cli.verify", "compute published numbers again and compare them"),
    "publish": ("suite.cli.publish", "merge finished cells of a run into results/records"),
    "attest": ("suite.cli.attest", "rerun one stale cell of each method; note what is unchanged"),
    "tables": ("suite.cli.tables", "render results/ from the records, or check it"),
    "site": ("suite.cli.site", "render records and docs as a static site"),
    "rounding": ("suite.cli.rounding", "pair the same cells of two stores, rounded otherwise"),
    "ports": ("suite.ports.__main__", "render how near the ports come to the programs of R"),
    "perf": ("suite.perf.__main__", "benchmarks, their history, and the peers"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Hand the rest of the command line to the verb."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments and arguments[0] in VERBS:
        module, _ = VERBS[arguments[0]]
        return import_module(module).main(arguments[1:])
    asked = not arguments or arguments[0] in ("-h", "--help")
    lines = [] if asked else [f"error: unknown verb {arguments[0]!r}"]
    lines += ["usage: python -m suite <verb> [--help] ..."]
    lines += [f"  {verb:<10} {what}" for verb, (_, what) in VERBS.items()]
    print("\n".join(lines), file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


if __name__ == "__main__":
    sys.exit(main())
