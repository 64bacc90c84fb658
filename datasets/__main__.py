"""`python -m datasets` lists the data sets; `python -m datasets NAME --out FILE` exports one.

`python -m datasets fetch NAME` downloads real data, `python -m datasets synthetic` writes a file in
CRITEO's format, `python -m datasets new my_data.py` writes a data set of your own; NAME may be such
a file. With `--data-dir DIR` any of them uses the files there.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import datasets
from datasets.contract import Dataset, Source
from datasets.fetch import fetch_command, synthetic_command
from datasets.files import VARIABLE, DataFileError
from datasets.own import scaffold


def main(arguments: Sequence[str] | None = None) -> None:
    arguments = _use_data_dir(sys.argv[1:] if arguments is None else arguments)
    try:
        if not arguments:
            print(listing())
        elif arguments[0].startswith("-"):
            _general_parser().parse_args(arguments)
        elif arguments[0] == "fetch":
            fetch_command(arguments[1:])
        elif arguments[0] == "synthetic":
            synthetic_command(arguments[1:])
        elif arguments[0] == "new":
            _new_command(arguments[1:])
        else:
            _export_command(arguments[0], arguments[1:])
    except (ValueError, DataFileError) as error:
        sys.exit(f"error: {error}")


def listing() -> str:
    """A line on every data set, then their options with the defaults."""
    found = datasets.sources()
    width = max(map(len, found))
    missing = {name for name, source in found.items() if source.available()}
    lines = [
        f"{'*' if name in missing else ' '} {name:{width}}  {source.summary}"
        for name, source in found.items()
    ]
    if missing:
        lines += ["", "* not on this machine: python -m datasets fetch NAME, or see docs/data.md"]
    lines += ["", "Options and their defaults"]
    names: dict[str, list[str]] = {}
    for name, source in found.items():
        names.setdefault(" ".join(map(_default, source.options.items())), []).append(name)
    lines += [f"  {', '.join(group)}: {options}" for options, group in names.items()]
    lines += [
        "",
        "Your own   python -m datasets new my_data.py",
        "As a file  python -m datasets NAME --out FILE.parquet --replicate 0 --OPTION VALUE",
        "In Python  datasets.load(NAME, replicate=0, OPTION=VALUE)",
    ]
    return "\n".join(lines)


def export(dataset: Dataset, path: Path) -> None:
    """Write all rows as parquet: y, treatment, true_uplift where known, part, the covariates."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    unfinished = path.with_name(path.name + ".part")
    writer = None
    try:
        for part in ("train", "valid", "test"):
            rows = getattr(dataset, part)
            columns = {"y": rows.y, "treatment": rows.treatment}
            if rows.true_uplift is not None:
                columns["true_uplift"] = rows.true_uplift
            columns["part"] = pa.repeat(part, len(rows))
            columns |= dict(zip(rows.names, map(np.ascontiguousarray, rows.X.T), strict=True))
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(unfinished, table.schema)
            writer.write_table(table)
        writer.close()
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _use_data_dir(arguments: Sequence[str]) -> list[str]:
    """Take `--data-dir DIR` out of the arguments: it stands for the environment variable."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data-dir")
    given, rest = parser.parse_known_args(arguments)
    if given.data_dir:
        os.environ[VARIABLE] = given.data_dir
    return rest


def _new_command(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m datasets new", description="Write a data set of your own that runs."
    )
    parser.add_argument("path", type=Path, help="such as my_data.py")
    scaffold(parser.parse_args(arguments).path, taken=datasets.sources())


def _export_command(name: str, arguments: Sequence[str]) -> None:
    if name.endswith(".py"):
        source = datasets.load_file(name)[0]
    else:
        try:
            source = datasets.source(name)
        except ValueError as error:
            _general_parser().error(str(error))
    parser = _export_parser(source)
    given = vars(parser.parse_args(arguments))
    path, replicate = given.pop("out"), given.pop("replicate")
    if not path.parent.is_dir():
        parser.error(f"--out is {path}, but {path.parent} is no folder; create it first")
    dataset = datasets.load_from(source, replicate=replicate, **given)
    export(dataset, path)
    sizes = {part: len(getattr(dataset, part)) for part in ("train", "valid", "test")}
    listed = ", ".join(f"{rows:,} {part}" for part, rows in sizes.items())
    print(f"{path}: {sum(sizes.values()):,} rows ({listed}), {len(dataset.names)} covariates")


def _general_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m datasets",
        usage="%(prog)s [NAME --out FILE.parquet [--replicate R] [--OPTION VALUE ...]]\n"
        "       %(prog)s fetch NAME | synthetic --rows N | new my_data.py\n"
        "       each with [--data-dir DIR]",
        description="List the data sets (without arguments), export one as parquet, download a "
        "real one, or write a synthetic file in CRITEO's format.",
        epilog="python -m datasets NAME --help (or fetch --help) shows the options.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a data set of the list")
    return parser


def _export_parser(source: Source) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m datasets {source.name}", description=f"{source.name}: {source.summary}"
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the parquet file to write"
    )
    parser.add_argument("--replicate", type=int, default=0, metavar="R", help="from 0 up (0)")
    for option, default in source.options.items():
        parser.add_argument(
            f"--{option}",
            type=_reader(default),
            default=default,
            metavar="VALUE",
            help="the data set's own" if default is None else f"({default})",
        )
    return parser


def _reader(default: Any) -> Any:
    """How to read an option's value from text, told by its default; None stands for a number."""
    if isinstance(default, bool):
        return _yes_or_no
    return str if isinstance(default, str) else int


def _yes_or_no(text: str) -> bool:
    if text.lower() not in {"yes", "no", "true", "false"}:
        raise argparse.ArgumentTypeError(f"{text!r} is neither yes nor no")
    return text.lower() in {"yes", "true"}


def _default(option: tuple[str, Any]) -> str:
    name, value = option
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return f"--{name}" if value is None else f"--{name} {value}"


if __name__ == "__main__":
    main()
