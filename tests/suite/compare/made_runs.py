"""Runs and frames made up for tests."""

from collections.abc import Mapping, Sequence

from suite.compare.runs import Frame, Run, Score


def made_run(method: str, replicate: int, q_adj: float, **changes: object) -> Run:
    """A run with one number in all places."""
    score = Score(q_adj, 1.0, q_adj)
    fields: dict[str, object] = {
        "train": score,
        "valid": score,
        "test": score,
        "true_q": q_adj,
        "oracle_q": 5.0,
        "spearman": 0.5,
        "pehe": 0.1,
        "m_hat": None,
        "m": None,
        "candidates": 3,
        "settings": {},
        "seconds": 1.0,
        "cpu_seconds": 1.0,
        "memory_mb": 100.0,
        "updates": None,
        "rows": 100,
        "train_rows": 40,
        "p": 3,
        "note": "",
        "commit": None,
        "phi": [0.0, 1.0],
        "gain": [0.0, 0.1],
        "bins": None,
        "by_convention": {},
    }
    return Run(method, replicate, **fields | changes)


def made_frame(values: Mapping[str, Sequence[float]], planned: int = 8) -> Frame:
    """A frame from q_adj by method, replicate 0 and up."""
    runs = [made_run(m, r, v) for m, own in values.items() for r, v in enumerate(own)]
    return Frame(planned, tuple(runs))
