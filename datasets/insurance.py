"""The insurance campaign of the R package Information: a public stand-in for the private data."""

from typing import TYPE_CHECKING, Any

from datasets.files import DataFile
from datasets.real import TabularSource, read_rda

if TYPE_CHECKING:
    import pandas as pd

_COMMIT = "f43a92b9525384b1010487cb673bbe3be75f282f"


def _file(name: str, sha256: str) -> DataFile:
    return DataFile(
        name,
        "insurance",
        sha256=(sha256,),
        urls=(
            f"https://raw.githubusercontent.com/cran/Information/{_COMMIT}/data/{name}",
            f"https://cdn.jsdelivr.net/gh/cran/Information@{_COMMIT}/data/{name}",
        ),
    )


class Insurance(TabularSource):
    """Two files of 10,000 customers, joined and split anew for each replicate."""

    name = "insurance"
    summary = "insurance campaign of the R package Information, 20,000 x 67, 50 % treated"
    licence = "GPL (>= 3)"
    citation = (
        "Larsen, K. (2016). Information: Data Exploration with Information Theory "
        "(Weight-of-Evidence and Information Value). R package version 0.0.9."
    )
    note = "public stand-in for the private insurance data (closest in domain)"

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (
            _file("train.rda", "ed6b6412a9a398429d40ca35f6e17ed126aac87f98ede28c31320f755b0663ad"),
            _file("valid.rda", "4c8452285ac1de4e9e2e3b84fd08eacd9ea63cf74700f54a2971f4cc2053fdbb"),
        )

    def read(self, **options: Any) -> "tuple[pd.DataFrame, pd.Series, pd.Series]":
        import pandas as pd

        frame = pd.concat(map(read_rda, self.paths()), ignore_index=True)
        X = frame.drop(columns=["TREATMENT", "PURCHASE", "UNIQUE_ID"])
        return X, frame["PURCHASE"], frame["TREATMENT"]


SOURCES = (Insurance(),)
