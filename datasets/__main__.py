"""`python -m datasets` lists the data sets; `python -m datasets NAME --out FILE` exports one."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import datasets
from datasets.contract import Dataset, Source


def main(arguments: Sequence[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments:
        print(listing())
    elif arguments[0].startswith("-"):
        _general_parser().parse_args(arguments)
    else:
        _export_command(arguments[0], arguments[1:])


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
        lines += ["", "* not on this machine; exporting it says how to get it"]
    lines += ["", "Options and their defaults"]
    names: dict[str, list[str]] = {}
    for name, source in found.items():
        names.setdefault(" ".join(map(_default, source.options.items())), []).append(name)
    lines += [f"  {', '.join(group)}: {options}" for options, group in names.items()]
    lines += [
        "",
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


def _export_command(name: str, arguments: Sequence[str]) -> None:
    try:
        source = datasets.source(name)
    except ValueError as error:
        _general_parser().error(str(error))
    parser = _export_parser(source)
    given = vars(parser.parse_args(arguments))
    path, replicate = given.pop("out"), given.pop("replicate")
    if not path.parent.is_dir():
        parser.error(f"--out is {path}, but {path.parent} is no folder; create it first")
    try:
        dataset = datasets.load(name, replicate=replicate, **given)
    except (ValueError, RuntimeError) as error:
        sys.exit(f"error: {error}")
    export(dataset, path)
    sizes = {part: len(getattr(dataset, part)) for part in ("train", "valid", "test")}
    listed = ", ".join(f"{rows:,} {part}" for part, rows in sizes.items())
    print(f"{path}: {sum(sizes.values()):,} rows ({listed}), {len(dataset.names)} covariates")


def _general_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m datasets",
        usage="%(prog)s [NAME --out FILE.parquet [--replicate R] [--OPTION VALUE ...]]",
        description="List the data sets (without arguments), or export one as parquet.",
        epilog="python -m datasets NAME --help shows the options of a data set.",
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
