"""The part of the summary about the model: does it tell customers apart, and whom."""

from dataclasses import asdict
from typing import Any

import numpy as np

from suite.campaign import told_apart
from suite.campaign.calibration import rows_needed, smallest_difference
from suite.campaign.findings import Findings
from twin.qini import adjusted_qini_score, qini_score, uplift_rank_correlation


def groups(found: Findings) -> list[dict[str, Any]]:
    """Ten groups, the best first; effects are on the outcome itself, as in rows.csv."""
    return [
        {
            "predicted": found.sign * group.predicted,
            "observed": asdict(group.observed.times(found.sign)),
            "share": group.share,
        }
        for group in told_apart.ten_groups(found.evidence, found.treatment)
    ]


def segments(found: Findings) -> list[dict[str, Any]]:
    """Segments with effects on the outcome itself."""
    return [
        {"rule": s.rule, "share": s.share, "effect": asdict(s.gain.times(found.sign))}
        for s in found.segments
    ]


def tells_apart(found: Findings) -> dict[str, Any]:
    """Whether customers can be told apart, and what the file could have shown."""
    final, arm = found.outcome.final, found.treatment
    slope = told_apart.outer_slope(found.evidence, arm)
    psi = found.outcome.psi[:, arm - 1]
    arms = zip(found.campaign.arms[1:], final.slopes, final.calibrations, strict=True)
    return {
        "yes": final.tells,
        "treatments": [
            {"arm": name, **asdict(s), "slope_of_score": c.slope} for name, s, c in arms
        ],
        "outer_slope": None if slope is None else asdict(slope),
        "rows_needed": rows_needed(psi, float(psi.mean())),
        "smallest_difference": smallest_difference(psi),
        "average_gain": float(psi.mean()),
    }


def appendix(found: Findings) -> dict[str, Any]:
    """The suite's own measures, for the treatment with the best average."""
    campaign, arm = found.campaign, found.treatment
    rows = (campaign.arm == 0) | (campaign.arm == arm)
    y = campaign.outcome[rows] if found.sign > 0 else 1 - campaign.outcome[rows]
    treated = (campaign.arm[rows] == arm).astype(np.int8)
    gain = found.evidence.gain[rows, arm - 1]
    measures = {"q": qini_score, "rho": uplift_rank_correlation, "q_adj": adjusted_qini_score}
    return {name: float(measure(y, gain, treated)) for name, measure in measures.items()}
