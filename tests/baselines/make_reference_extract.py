"""Writes the extract of the R packages' predictions that the tests use.

    python tests/baselines/make_reference_extract.py FOLDER_OF_THE_REFERENCE

One draw of scenario 4: all training rows, every tenth validation row and every fifth test row,
with what R predicts for the latter. Continuous covariates are rounded to quarters so that the file
stays small; the ports fit the rounded values and are compared with R's fits to the exact ones.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

NAME = "scenario4_seed900"
STEP = 4


def main(folder: Path) -> None:
    data = pd.read_parquet(folder / f"{NAME}.parquet")
    predictions = pd.read_parquet(folder / f"{NAME}_predictions.parquet")
    covariates = [column for column in data if column.startswith("x")]
    arrays = {"predictors": np.array([c for c in predictions if c != "part"])}
    for part, every in (("train", 1), ("valid", 10), ("test", 5)):
        rows = data[data.part == part][::every]
        arrays[f"{part}_X"] = np.rint(STEP * rows[covariates].to_numpy()).astype(np.int8).T
        arrays[f"{part}_y"] = rows.y.to_numpy(np.int8)
        arrays[f"{part}_treatment"] = rows.treatment.to_numpy(np.int8)
    of_test = predictions[predictions.part == "test"][::5]
    # Ranks are all that the comparison needs.
    arrays["ranks"] = of_test[arrays["predictors"]].rank().to_numpy(np.float32).astype(np.uint16).T
    target = Path(__file__).with_name("reference_extract.npz")
    np.savez_compressed(target, **arrays)
    print(f"wrote {target.name}: {target.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
