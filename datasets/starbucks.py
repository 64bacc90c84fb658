"""Starbucks' promotion: who buys because of it? Anonymised covariates, a rare outcome."""

from typing import TYPE_CHECKING, Any

from datasets.files import DataFile
from datasets.real import TabularSource

if TYPE_CHECKING:
    import pandas as pd

_REPOSITORY = "muellermax/Starbucks-promotion-experiment"
_COMMIT = "a9640d775c1ef37e8ef34e9137817e967ed4156d"


def _file(name: str, sha256: str) -> DataFile:
    return DataFile(
        f"starbucks_{name}",
        "starbucks",
        sha256=(sha256,),
        urls=(
            f"https://raw.githubusercontent.com/{_REPOSITORY}/{_COMMIT}/Starbucks/{name}",
            f"https://cdn.jsdelivr.net/gh/{_REPOSITORY}@{_COMMIT}/Starbucks/{name}",
        ),
    )


class Starbucks(TabularSource):
    """Customers who were sent the promotion or not; outcome: a purchase of the product.

    The two files (the exercise's training and test rows) are joined and split anew for each
    replicate. V1 to V7 are taken as the numbers they come as; what they mean is not published.
    """

    name = "starbucks"
    summary = "Starbucks promotion exercise, 126,184 x 7, purchase (1.2 %), 50 % treated"
    licence = "none stated; use it, name the source, do not redistribute it"
    citation = (
        "Starbucks promotion experiment, a take-home exercise for data scientists; files from "
        f"https://github.com/{_REPOSITORY}"
    )
    note = ""

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (
            _file(
                "training.csv", "2ac9d5c601b134b9b69e742b97d016529c8082f6a611d5b243ab0c5b2ceaf83e"
            ),
            _file("Test.csv", "88233c6b0b6b9fd3df8a2f1f10032dd3eebb0c3bc02753d9001375a1cca38439"),
        )

    def read(self, **options: Any) -> "tuple[pd.DataFrame, pd.Series, pd.Series]":
        import pandas as pd

        frame = pd.concat(map(pd.read_csv, self.paths()), ignore_index=True)
        treatment = (frame["Promotion"] == "Yes").astype("int64")
        return frame[[f"V{j}" for j in range(1, 8)]], frame["purchase"], treatment


SOURCES = (Starbucks(),)
