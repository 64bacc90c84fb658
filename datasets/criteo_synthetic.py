"""A generator of files in CRITEO's format: same columns, same marginal statistics, no real row."""

import gzip
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.criteo_csv import COLUMNS, FEATURES
from datasets.files import progress_bar

_BLOCK = 1 << 18

# One line a covariate: the value that most rows have, the far end of its range, the share of rows
# at the first, mean and standard deviation over all rows. The first six decimals of the means are
# published; shares and deviations are those of a sample of 200,000 rows.
_MARGINALS = {
    "f0": (12.616364479064941, 26.745250701904297, 0.264915, 19.620297, 5.379870),
    "f1": (10.059654474774549, 16.344186782836914, 0.987485, 10.069977, 0.106419),
    "f2": (8.214383125305176, 9.051959991455078, 0.521920, 8.446582, 0.299797),
    "f3": (4.679881572723389, -5.888490676879883, 0.817215, 4.178923, 1.339850),
    "f4": (10.280525225748212, 19.62734603881836, 0.956585, 10.338837, 0.346188),
    "f5": (4.115453421277861, -8.737491607666016, 0.946195, 4.028513, 0.432089),
    "f6": (0.29444271326065063, -26.8328914642334, 0.264915, -4.155356, 4.579945),
    "f7": (4.833814577796811, 11.998254776000977, 0.946195, 5.101765, 1.213427),
    "f8": (3.971858024597168, 3.6529674530029297, 0.521920, 3.933581, 0.056724),
    "f9": (13.190055847167969, 66.1934814453125, 0.795360, 16.027638, 7.023562),
    "f10": (5.300374864042156, 6.473779678344727, 0.956585, 5.333396, 0.168940),
    "f11": (-0.1686792210005612, -1.000392198562622, 0.985805, -0.170967, 0.022885),
}
# In the real data these pairs leave their most frequent value together.
_TOGETHER = {"f6": "f0", "f8": "f2", "f10": "f4", "f7": "f5"}

_TREATED_SHARE = 0.85
_VISIT = {1: 0.0485434, 0: 0.0382010}  # by treatment
_CONVERSION_GIVEN_VISIT = 0.0029167 / 0.046992
_EXPOSURE_GIVEN_TREATED = 0.0306312 / _TREATED_SHARE
# How much more often rows with f9 off its most frequent value visit, relative to the arm's rate.
_EFFECT_OF_F9 = {1: 0.8, 0: 0.4}


def write(path: Path, rows: int, seed: int = 0) -> Path:
    """Write `rows` rows as csv.gz to `path`; memory does not grow with `rows`."""
    if rows < 1:
        raise ValueError(f"rows is {rows}; it must be at least 1")
    import pyarrow as pa
    from pyarrow import csv

    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with (
            unfinished.open("wb") as raw,
            gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=1, mtime=0) as out,
            progress_bar(f"writing {path.name}", rows) as advance,
        ):
            out.write((",".join(COLUMNS) + "\n").encode())
            for number, start in enumerate(range(0, rows, _BLOCK)):
                count = min(_BLOCK, rows - start)
                # A block has random numbers of its own: a longer file begins like a shorter one.
                table = pa.table(_block(np.random.default_rng([seed, number]), count))
                csv.write_csv(table, out, csv.WriteOptions(include_header=False))
                advance(count)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _block(rng: np.random.Generator, rows: int) -> dict[str, NDArray[np.generic]]:
    rows_drawn = _BLOCK  # always a whole block, so that its first rows do not depend on `rows`
    columns: dict[str, NDArray[np.generic]] = {}
    away: dict[str, NDArray[np.bool_]] = {}
    for name in FEATURES:
        usual, end, share, mean, deviation = _MARGINALS[name]
        pair = _TOGETHER.get(name)
        away[name] = away[pair] if pair else rng.random(rows_drawn) >= share
        a, b = _beta_parameters(usual, end, share, mean, deviation)
        other = usual + (end - usual) * rng.beta(a, b, rows_drawn)
        columns[name] = np.where(away[name], other, usual)
    treatment = rng.random(rows_drawn) < _TREATED_SHARE
    share_away = 1 - _MARGINALS["f9"][2]
    centred = (away["f9"] - share_away) / share_away  # mean 0: the arms keep their rates
    rate = np.where(
        treatment,
        _VISIT[1] * (1 + _EFFECT_OF_F9[1] * centred),
        _VISIT[0] * (1 + _EFFECT_OF_F9[0] * centred),
    )
    visit = rng.random(rows_drawn) < rate
    conversion = visit & (rng.random(rows_drawn) < _CONVERSION_GIVEN_VISIT)
    exposure = treatment & (rng.random(rows_drawn) < _EXPOSURE_GIVEN_TREATED)
    labels = {
        "treatment": treatment,
        "conversion": conversion,
        "visit": visit,
        "exposure": exposure,
    }
    columns |= {name: values.astype(np.int8) for name, values in labels.items()}
    return {name: columns[name][:rows] for name in COLUMNS}


def _beta_parameters(
    usual: float, end: float, share: float, mean: float, deviation: float
) -> tuple[float, float]:
    """The Beta law between `usual` and `end` that gives a column its mean and deviation."""
    width = end - usual
    first = (mean - usual) / width / (1 - share)
    second = (deviation**2 + (mean - usual) ** 2) / width**2 / (1 - share)
    total = (first - second) / (second - first**2)
    return first * total, (1 - first) * total
