"""Every number of the page under a stable name; the page is rendered from this alone."""

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from suite.campaign import evaluate, summary_model, verdict
from suite.campaign.findings import Findings
from suite.campaign.inference import Estimate
from suite.campaign.model import Model

FORMAT = 1


def summarise(found: Findings, model: Model) -> dict[str, Any]:
    """The summary without timing: the same file and options give the same summary."""
    campaign, comparison, final = found.campaign, found.comparison, found.outcome.final
    answer = verdict.answer(campaign, final, comparison, found.priced)
    summary = {
        "format": FORMAT,
        "file": asdict(campaign.source),
        "outcome": {
            "column": campaign.outcome_name,
            "value": campaign.outcome_value,
            "rate": float(campaign.outcome.mean()),
            "lower_is_better": campaign.lower_is_better,
        },
        "arm": campaign.arm_name,
        "control": campaign.arms[0],
        "treatments": list(campaign.arms[1:]),
        "id": campaign.id_name,
        "rows": campaign.n,
        "as_of": None if campaign.as_of is None else str(campaign.as_of),
        "dates": [c.name for c in campaign.columns if c.kind == "date"],
        "suspected": sorted(s.name for s in campaign.suspects),
        "unused": [c.name for c in campaign.columns if _unused(c)],
        "columns": [_column(c) for c in campaign.columns],
        "suspects": [asdict(s) for s in campaign.suspects],
        "guesses": [asdict(g) for g in campaign.guesses],
        "priced": found.priced,
        "answer": asdict(answer),
        "decision": asdict(model.decision),
        "rule": _comparison(found, comparison),
        "sensitivity": [
            {"cost_times": factor, **_comparison(found, c)}
            for factor, c in found.sensitivity.items()
        ],
        "curve": [
            {"share": share, **asdict(point)}
            for share, point in zip(evaluate.SHARES, found.curve, strict=True)
        ],
        "break_even": _break_even(found),
        "effects": _effects(found),
        "any_effect": asdict(campaign.any_effect),
        "fair": _fair(found),
        "tells_apart": summary_model.tells_apart(found),
        "groups": summary_model.groups(found),
        "segments": summary_model.segments(found),
        "drivers": [{**asdict(driver), "noise": driver.noise} for driver in found.drivers],
        "methods": [{**asdict(row), "chosen": row.name == final.method} for row in found.methods],
        "chosen_method": final.method,
        "chosen_in_folds": [choice.method for choice in found.outcome.choices],
        "failed": found.progress.failed,
        "risks": verdict.risks(campaign, found.evidence, comparison),
        "appendix": summary_model.appendix(found),
    }
    return plain(summary)


def plain(value: Any) -> Any:
    """JSON values; what is no finite number becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _unused(column: Any) -> bool:
    return not column.used and not column.suspected and column.kind not in ("outcome", "arm")


def _column(column: Any) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": column.kind,
        "used": column.used,
        "why": column.why,
        "missing": column.missing,
        "levels": column.n_levels,
    }


def _comparison(found: Findings, comparison: evaluate.Comparison) -> dict[str, Any]:
    """Per customer, and for the whole file."""
    n = found.campaign.n
    against = {
        "nobody": comparison.nobody,
        "everybody": comparison.everybody,
        "random": comparison.random,
        "better": comparison.over_rival,
    }
    return {
        "share": comparison.share,
        "customers": round(comparison.share * n),
        "shares": dict(zip(found.campaign.arms[1:], comparison.shares, strict=True)),
        "better_of_all_and_none": comparison.better,
        "rival": comparison.rival,
        "everybody_affordable": comparison.affordable,
        "everybody_treatment": found.campaign.arms[comparison.everybody_arm],
        "everybody_against_nobody": asdict(comparison.all_treated),
        "against": {name: asdict(estimate) for name, estimate in against.items()},
        "file": {name: asdict(estimate.times(n)) for name, estimate in against.items()},
    }


def _break_even(found: Findings) -> list[dict[str, float]]:
    """The ratio cost/value up to which treating the best 10 %, 20 %, ... pays at the margin."""
    best = np.sort(found.evidence.gain.max(axis=1))[::-1]
    n = len(best)
    return [
        {"share": share, "ratio": float(max(best[min(round(share * n), n) - 1], 0.0))}
        for share in evaluate.SHARES[1::2]
    ]


def _effects(found: Findings) -> list[dict[str, Any]]:
    """Outcome rate of each arm, raw; the effect of each treatment, raw and adjusted."""
    rows = []
    for number, effect in enumerate(found.campaign.effects):
        adjusted = None
        if number:
            psi = found.sign * found.outcome.psi[:, number - 1]
            adjusted = asdict(Estimate.of(psi, found.evidence.groups))
        se = math.sqrt(effect.rate * (1 - effect.rate) / max(effect.rows, 1))
        rows.append({**asdict(effect), "rate_se": se, "adjusted": adjusted})
    return rows


def _fair(found: Findings) -> dict[str, Any]:
    fair = found.campaign.fairness
    return {
        "verdict": fair.verdict,
        "auc": fair.auc,
        "se": fair.se,
        "columns": fair.n_columns,
        "shares": list(fair.shares),
        "propensity": fair.propensity,
        "differences": [asdict(difference) for difference in fair.differences[:10]],
        "months": [list(month) for month in fair.months],
        "duplicated_rows": fair.duplicated_rows,
        "rows_left_out": 0 if fair.outside is None else int(fair.outside.sum()),
    }
