"""Karlan and List's fund-raising letters: a public stand-in for the private insurance data."""

from typing import TYPE_CHECKING, Any

from datasets.files import DataFile
from datasets.real import TabularSource, read_rda

if TYPE_CHECKING:
    import pandas as pd

_COMMIT = "f71a9d072aabadf4da95e71baa757842a2d295c9"
_PATH = "data/charitable.rda"
_MISSING = -999  # the file's code for a missing covariate


class Charity(TabularSource):
    """Donors written to with (treated) or without (control) the offer of a matching grant.

    What describes the letter (treat_*), the response (out_*) or the response of the donor's state
    (stateresponse*, computed from the outcome) is no covariate.
    """

    name = "charity"
    summary = "Karlan-List charitable giving, 50,083 x 45, 67 % treated"
    licence = "CC0 1.0"
    citation = (
        "Karlan, D. and List, J. A. (2007). Does price matter in charitable giving? Evidence from "
        "a large-scale natural field experiment. American Economic Review 97(5), 1774-1793."
    )
    note = "public stand-in for the private insurance data (closest in shape)"

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (
            DataFile(
                "charitable.rda",
                "charity",
                sha256=("9ba804f241dbdb099e8f84c05a7ac96d5d76f54e3a8414d7282361a7860e42f4",),
                urls=(
                    f"https://raw.githubusercontent.com/itamarcaspi/experimentdatar/{_COMMIT}/{_PATH}",
                    f"https://cdn.jsdelivr.net/gh/itamarcaspi/experimentdatar@{_COMMIT}/{_PATH}",
                ),
            ),
        )

    def read(self, **options: Any) -> "tuple[pd.DataFrame, pd.Series, pd.Series]":
        (path,) = self.paths()
        frame = read_rda(path)
        no_covariate = ("treat", "out_", "stateresponse")
        X = frame[[name for name in frame if not name.startswith(no_covariate)]].astype("float32")
        return X.mask(X == _MISSING), frame["out_gavedum"], frame["treatment"]


SOURCES = (Charity(),)
