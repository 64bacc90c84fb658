"""What was found, measured on rows that were not learnt from; and the model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import baselines
from suite.campaign import drivers, evaluate, plan, procedure, segments, verdict
from suite.campaign.allocation import Terms, hashed
from suite.campaign.calibration import NO_MODEL
from suite.campaign.encode import Encoder
from suite.campaign.evaluate import Evidence
from suite.campaign.inference import Estimate
from suite.campaign.model import Model
from suite.campaign.procedure import Fits
from suite.campaign.setup import Setup
from suite.campaign.store import Result, unpacked
from suite.campaign.types import Campaign

USUAL_SHARE = 0.3  # at which methods are compared where the rule treats all or none


@dataclass(frozen=True)
class Segment:
    """A group of customers in words, measured on rows that it was not made from."""

    rule: str
    share: float
    gain: Estimate


@dataclass(frozen=True)
class Findings:
    """Everything that the summary and the page say."""

    campaign: Campaign
    evidence: Evidence
    outcome: procedure.Outcome
    comparison: evaluate.Comparison
    sensitivity: dict[float, evaluate.Comparison]  # by factor of the cost
    curve: list[Estimate]
    methods: list[evaluate.MethodRow]
    drivers: list[drivers.Driver]
    segments: list[Segment]
    progress: plan.Progress
    value: float | None  # of an outcome, where it was taken from observed money

    @property
    def priced(self) -> bool:
        """Whether gains are money."""
        return self.campaign.prices is not None or self.campaign.money is not None

    @property
    def sign(self) -> int:
        """-1 where the outcome is to be avoided."""
        return -1 if self.campaign.lower_is_better else 1

    @property
    def treatment(self) -> int:
        """The treatment with the best average, of which pictures of one treatment speak."""
        return self.comparison.everybody_arm


def find(
    campaign: Campaign, setup: Setup, means: Fits, fits: Mapping[str, Fits], progress: plan.Progress
) -> Findings:
    """All findings from the results of the units."""
    sign = -1 if campaign.lower_is_better else 1
    y, e = campaign.outcome.astype(np.float64), campaign.fairness.design
    psi = procedure.scores_of(means, "mu", y, campaign.arm, e, setup.folds, sign)
    outcome = procedure.run(fits, psi, setup.folds, campaign.groups, sign)
    value = None
    earned = outcome.psi * Terms.of(campaign).value[:, None]
    if campaign.money is not None:
        own = procedure.scores_of(means, "money", campaign.money, campaign.arm, e, setup.folds, 1)
        earned = own.outer
        if campaign.prices is None:
            value = float(campaign.money.sum() / max(campaign.outcome.sum(), 1))
    evidence = Evidence(
        psi=outcome.psi,
        earned=earned,
        gain=outcome.gain,
        folds=setup.folds,
        groups=campaign.groups,
        tie=hashed(campaign.ids, campaign.n, setup.seed),
        terms=Terms.of(campaign, value),
        seed=setup.seed,
    )
    comparison = evaluate.compare(evidence)
    costs = evidence.terms.cost
    method, arm = outcome.final.method, comparison.everybody_arm
    share = comparison.share if 0 < comparison.share < 1 else USUAL_SHARE
    return Findings(
        campaign=campaign,
        evidence=evidence,
        outcome=outcome,
        comparison=comparison,
        sensitivity={
            factor: evaluate.compare(evidence, replace(evidence.terms, cost=factor * costs))
            for factor in (0.5, 2.0)
            if costs.any()
        },
        curve=evaluate.curve(evidence),
        methods=evaluate.methods_table(evidence, outcome.by_method, share),
        drivers=_drivers(fits, method, evidence, arm, campaign, sign),
        segments=_segments(fits, method, evidence, arm, campaign),
        progress=progress,
        value=value,
    )


def _drivers(
    fits: Mapping[str, Fits],
    method: str,
    evidence: Evidence,
    treatment: int,
    campaign: Campaign,
    sign: int,
) -> list[drivers.Driver]:
    if method == NO_MODEL:
        return []
    used = list(campaign.used)
    return drivers.find(fits[method], evidence, treatment, campaign.frame, used, sign)


def _segments(
    fits: Mapping[str, Fits], method: str, evidence: Evidence, treatment: int, campaign: Campaign
) -> list[Segment]:
    """The leaves of the tree grown without two folds, measured on those, the best first."""
    if method == NO_MODEL:
        return []
    rules = fits[method][(0, 1)].values["segments"][treatment - 1]
    rows = np.flatnonzero(evidence.folds <= 1)
    frame, psi = campaign.frame.iloc[rows], evidence.psi[rows, treatment - 1]
    groups = None if evidence.groups is None else evidence.groups[rows]
    found = []
    for rule in rules:
        inside: NDArray[np.bool_] = segments.members(rule, frame)
        if inside.sum() < 100:
            continue
        own = None if groups is None else groups[inside]
        gain = Estimate.of(psi[inside], own)
        found.append(Segment(segments.words(rule), float(inside.mean()), gain))
    return sorted(found, key=lambda segment: -segment.gain.mean)


def model_of(findings: Findings, setup: Setup, name: str, fitted: Result) -> Model:
    """The procedure's choice, as it was fitted on all rows."""
    campaign, final = findings.campaign, findings.outcome.final
    comparison = findings.comparison
    states = unpacked(fitted.values["methods"], fitted.arrays)
    return Model(
        encoder=Encoder.from_state(fitted.values["encoder"]),
        methods=tuple(baselines.method(name).from_state(state) for state in states),
        calibrations=tuple(procedure.of_outcome(c, findings.sign) for c in final.calibrations),
        decision=verdict.decision(campaign, final, comparison, findings.value),
        arms=campaign.arms,
        outcome_name=campaign.outcome_name,
        outcome_value=campaign.outcome_value,
        arm_name=campaign.arm_name,
        id_name=campaign.id_name,
        lower_is_better=campaign.lower_is_better,
        source={
            "name": campaign.source.name,
            "sha256": campaign.source.sha256,
            "rows": campaign.source.rows,
        },
        propensity=setup.shares,
        headline={
            "share": comparison.share,
            "profit": {
                "mean": comparison.nobody.mean,
                "low": comparison.nobody.low,
                "high": comparison.nobody.high,
            },
        },
    )
