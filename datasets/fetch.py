"""`python -m datasets fetch NAME` and `python -m datasets synthetic`: get data, or make some."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import datasets
from datasets import criteo_synthetic
from datasets.criteo import SYNTHETIC
from datasets.files import cache_directory, given_directory
from datasets.real import RealSource


def fetch_command(arguments: Sequence[str]) -> None:
    """Download and verify the files of data sets; a file that is here already is only verified."""
    known = {
        name: source
        for name, source in datasets.sources().items()
        if isinstance(source, RealSource) and any(file.urls for file in source.files())
    }
    parser = argparse.ArgumentParser(
        prog="python -m datasets fetch",
        description="Download, resume and verify the files of real data sets.",
    )
    parser.add_argument("names", nargs="+", metavar="NAME", choices=known, help=", ".join(known))
    parser.add_argument(
        "--size",
        choices=("full", "union", "sample"),
        default="full",
        help="criteo: the complete file (full, 311 MB), 678,360 of its rows from four public "
        "samples (union, 13 MB), or 200,000 of them (sample, 3 MB)",
    )
    parser.add_argument("--data-dir", metavar="DIR", help="keep the files there (UPLIFT_DATA)")
    given = parser.parse_args(arguments)
    _make_given_directory()
    for name in given.names:
        source = known[name]
        _show_licence_once(source)
        for path in source.fetch(size=given.size):
            print(f"{path}: verified")


def synthetic_command(arguments: Sequence[str]) -> None:
    """Write a file of random rows in CRITEO's format for the data set criteo-synthetic."""
    parser = argparse.ArgumentParser(
        prog="python -m datasets synthetic",
        description="Write random rows with CRITEO's columns and marginal statistics, "
        "for tests and measurements of scale. Load them as criteo-synthetic.",
    )
    parser.add_argument("--rows", type=int, required=True, help="CRITEO has 13979592")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data-dir", metavar="DIR", help="write the file there (UPLIFT_DATA)")
    given = parser.parse_args(arguments)
    _make_given_directory()
    path = cache_directory() / SYNTHETIC.folder / SYNTHETIC.name
    criteo_synthetic.write(path, given.rows, given.seed)
    print(f"{path}: {given.rows:,} synthetic rows")


def _show_licence_once(source: RealSource) -> None:
    """Licence and citation, shown before the first download and kept beside the files."""
    kept = cache_directory() / source.files()[0].folder / "LICENCE.txt"
    if not kept.exists():
        text = f"{source.name}: {source.licence}\nPlease cite: {source.citation}\n"
        print(text)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(text)


def _make_given_directory() -> None:
    directory: Path | None = given_directory()
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
