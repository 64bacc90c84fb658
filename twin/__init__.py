"""The twin models for uplift (Belbahri, Murua, Gandouet and Partovi Nia, 2021) and their measure.

Names are imported on first use, so that `import twin.qini` stays light: no torch, no numba.
"""

from importlib import import_module

__version__ = "0.1.0"  # the only place: the distribution takes its version from here

_HOME = {
    "TwinBoost": "twin.boost.estimator",
    "TwinUplift": "twin.estimator",
    "TwinPath": "twin.exact",
    "TwinSearch": "twin.search",
    "Rows": "twin.rows",
    "adjusted_qini_score": "twin.qini",
    "calibrate": "twin.calibration",
    "qini_curve": "twin.qini",
    "qini_score": "twin.qini",
    "uplift_rank_correlation": "twin.qini",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(
            f"module 'twin' has no attribute {name!r}; it has {', '.join(__all__)}"
        )
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
