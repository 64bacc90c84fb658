"""Hillstrom's e-mail challenge: who visits the shop because of an e-mail?"""

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from datasets.files import DataFile
from datasets.real import TabularSource

if TYPE_CHECKING:
    import pandas as pd

_NAME = "Kevin_Hillstrom_MineThatData_E-MailAnalytics_DataMiningChallenge_2008.03.20.csv"
_TREATED = {
    "any": ("Mens E-Mail", "Womens E-Mail"),
    "mens": ("Mens E-Mail",),
    "womens": ("Womens E-Mail",),
}
_CONTROL = "No E-Mail"


class Hillstrom(TabularSource):
    """Customers sent an e-mail about men's wear, about women's wear, or none; outcome: a visit.

    `mail` says which e-mails count as treatment; rows sent another one are left out. Of the eight
    covariates the two unordered categories (zip_code, channel) become indicators.
    """

    name = "hillstrom"
    summary = "Hillstrom e-mail challenge, 64,000 x 8, visit; mail = any, mens or womens"
    options = MappingProxyType({"mail": "any", "balance": False})
    licence = "none stated; published as an open challenge"
    citation = (
        "Hillstrom, K. (2008). The MineThatData e-mail analytics and data mining challenge. "
        "https://blog.minethatdata.com/2008/03/minethatdata-e-mail-analytics-and-data.html"
    )
    note = ""

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return (
            DataFile(
                _NAME,
                "hillstrom",
                sha256=(
                    # as published, with CRLF line ends; and with LF
                    "0e5893329d8b93cefecc571777672028290ab69865718020c78c7284f291aece",
                    "27bab8c5d3669f26ec08ebb50a0a78317542f29501156f2e2af6781fab4cd7e2",
                ),
                urls=(
                    f"http://www.minethatdata.com/{_NAME}",
                    f"https://web.archive.org/web/2020id_/http://www.minethatdata.com/{_NAME}",
                ),
            ),
        )

    def read(self, *, mail: str, **options: Any) -> "tuple[pd.DataFrame, pd.Series, pd.Series]":
        import pandas as pd

        if mail not in _TREATED:
            raise ValueError(f"mail is {mail!r}; it must be one of {', '.join(_TREATED)}")
        (path,) = self.paths()
        frame = pd.read_csv(path)
        frame = frame[frame["segment"].isin((*_TREATED[mail], _CONTROL))]
        X = frame[["recency", "history_segment", "history", "mens", "womens", "newbie"]].copy()
        # "3) $200 - $350": the number is the order of the seven classes.
        X["history_segment"] = X["history_segment"].str[0].astype("int64")
        # The first category of each is the reference, so that the columns are not collinear.
        kinds = pd.get_dummies(frame[["zip_code", "channel"]], drop_first=True, dtype="int64")
        treatment = (frame["segment"] != _CONTROL).astype("int64")
        return pd.concat([X, kinds], axis=1), frame["visit"], treatment


SOURCES = (Hillstrom(),)
