"""A data set of your own: one Python file.

    import pandas as pd
    from datasets import OwnData

    class MyData(OwnData):
        name = "my-data"            # what one types, and what the random numbers depend on
        summary = "my campaign"     # one line for listings
        note = ""                   # shown under tables

        def table(self):
            frame = pd.read_csv("/full/path/of/rows.csv")
            X = frame[["age", "visits"]]            # a DataFrame of numbers; NaN where missing
            return X, frame["bought"], frame["got_mail"]        # outcome and treatment, both 0/1

    SOURCES = (MyData(),)

A fourth item of `table` may give a group for each row (a customer, a household): rows of a group
then stay in one part. Each replicate splits the rows anew into 40 % training, 30 % validation and
30 % test rows; a missing covariate becomes the median of the training rows; the propensity is the
treated share. `options` with defaults, if there are any, become keywords of `table`.
"""

import importlib.util
import inspect
import sys
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from datasets.contract import Source
from datasets.files import DataFile
from datasets.real import TabularSource
from twin import checks

if TYPE_CHECKING:
    import pandas as pd

TEMPLATE = '''\
"""{title}: say here where the rows come from, and how it was decided who was treated."""

import numpy as np
import pandas as pd

from datasets import OwnData


class {cls}(OwnData):
    """One row for each customer."""

    name = "{name}"
    summary = "invented rows, to be replaced by yours"
    note = "invented rows"  # shown under tables

    def table(self):
        frame = invented()  # yours: pd.read_csv("/full/path/of/rows.csv")
        X = frame[["age", "visits", "member"]]  # numbers; NaN where a value is missing
        return X, frame["bought"], frame["got_mail"]  # outcome and treatment, both 0/1


def invented():
    rng = np.random.default_rng(0)
    n = 4000
    frame = pd.DataFrame(
        {{
            "age": rng.integers(18, 80, n),
            "visits": rng.poisson(3, n),
            "member": rng.integers(0, 2, n),
            "got_mail": rng.integers(0, 2, n),
        }}
    )
    moved = 0.2 * frame["member"] * frame["got_mail"]
    frame["bought"] = (rng.random(n) < 0.1 + 0.02 * frame["visits"] + moved).astype(int)
    return frame


SOURCES = ({cls}(),)
'''


class OwnData(TabularSource):
    """The parent of a user's own data set; subclasses define `name`, `summary` and `table`."""

    options: Mapping[str, Any] = MappingProxyType({})
    licence = citation = note = ""

    @abstractmethod
    def table(self, **options: Any) -> tuple[Any, ...]:
        """Covariates, outcome, treatment and, if there are any, groups, of all rows."""

    def files(self, **options: Any) -> tuple[DataFile, ...]:
        return ()

    def read(self, **options: Any) -> "tuple[pd.DataFrame, pd.Series, *tuple[pd.Series, ...]]":
        """What `table` gives, checked; its rows are counted from 0."""
        try:
            return _checked(self.table(**options))
        except Exception as error:
            raise ValueError(
                f"the rows of {self.name} cannot be used: {type(error).__name__}: {error}"
            ) from error


def _checked(given: Any) -> "tuple[pd.DataFrame, pd.Series, *tuple[pd.Series, ...]]":
    import pandas as pd

    if not isinstance(given, tuple) or len(given) not in (3, 4):
        what = f"{len(given)} items" if isinstance(given, tuple) else type(given).__name__
        raise TypeError(f"table() gave {what}; return X, y, treatment (and groups, if any)")
    X, *columns = given
    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"X is a {type(X).__name__}; give a pandas DataFrame of covariates")
    repeated = X.columns[X.columns.duplicated()]
    if X.shape[1] == 0 or len(repeated):
        what = f"two columns called {repeated[0]!r}" if len(repeated) else "no columns"
        raise ValueError(f"X has {what}; give one column for each covariate")
    for name in X:
        if not pd.api.types.is_numeric_dtype(X[name]):
            raise ValueError(
                f"column {name!r} of X holds {X[name].dtype}, not numbers; make it numbers, "
                "such as indicators by pandas.get_dummies"
            )
        if X[name].isna().all():
            raise ValueError(f"column {name!r} of X has no value at all; leave it out")
    labels = zip(("y", "treatment"), columns, strict=False)
    y, treatment = (pd.Series(checks.binary_labels(values, name)) for name, values in labels)
    checks.same_length(X=X, y=y, treatment=treatment)
    checks.both_arms(treatment.to_numpy())
    groups = tuple(pd.Series(np.asarray(values)) for values in columns[2:])
    for group in groups:
        checks.same_length(X=X, groups=group)
        if group.isna().any():
            raise ValueError(f"groups[{int(group.isna().argmax())}] is missing; give one to all")
    X = X.rename(columns=str).astype("float32").reset_index(drop=True)
    return X, y, treatment, *groups


def load_file(path: str | Path, taken: Mapping[str, Source]) -> list[Source]:
    """The data sets of a user's own file; their names must not be among those `taken`."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"no data-set file at {path}; give the path of a Python file")
    name = f"user_data_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that its objects can be pickled
    try:
        spec.loader.exec_module(module)
        return _sources_in(module, taken)
    except Exception as error:
        del sys.modules[name]
        contract = inspect.getdoc(sys.modules[__name__])
        raise ValueError(
            f"{path} cannot be used as a data-set file: {type(error).__name__}: {error}\n\n"
            f"{contract}"
        ) from error


def _sources_in(module: ModuleType, taken: Mapping[str, Source]) -> list[Source]:
    """What `module` lists in `SOURCES`, complete or an error."""
    found = getattr(module, "SOURCES", None)
    if not isinstance(found, tuple | list) or not found:
        raise TypeError("it holds no SOURCES; add SOURCES = (MyData(),)")
    for item in found:
        if isinstance(item, type) and issubclass(item, Source):
            raise TypeError(f"SOURCES holds the class {item.__name__}; write {item.__name__}()")
        if not isinstance(item, Source):
            raise TypeError(f"SOURCES holds {item!r}, which is no datasets.OwnData")
        for field in ("name", "summary"):
            value = getattr(item, field, None)
            if not (isinstance(value, str) and value):
                raise TypeError(f"{type(item).__name__}.{field} is {value!r}; give a text")
        if not isinstance(item.options, Mapping):
            raise TypeError(f"{type(item).__name__}.options is no dictionary of defaults")
        if item.name in taken:
            raise ValueError(f"a data set called {item.name!r} exists; choose another name")
    names = [item.name for item in found]
    if len(set(names)) < len(names):
        raise ValueError(f"two data sets of SOURCES have one name: {', '.join(names)}")
    return list(found)


def scaffold(path: Path, taken: Mapping[str, Source]) -> None:
    """Write a data-set file at `path`; an existing file stays as it is."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise ValueError(f"{path.name!r} cannot be a module; give a name such as my_data.py")
    if path.exists():
        raise ValueError(f"{path} exists; choose another name or remove it first")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent}; make it first")
    name = path.stem.replace("_", "-").lower()
    if name in taken:
        raise ValueError(f"a data set called {name!r} exists; choose another file name")
    words = [word for word in path.stem.split("_") if word]
    title = " ".join(words).capitalize()
    cls = "".join(word[:1].upper() + word[1:] for word in words)
    path.write_text(TEMPLATE.format(title=title, cls=cls, name=name), encoding="utf-8")
    print(
        f"wrote {path}: a data set called {name!r} that runs as it is, with invented rows\n"
        f"check it:  python -m datasets {path} --out {name}.parquet"
    )
