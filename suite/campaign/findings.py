"""What was found, measured on rows that were not learnt from; and the model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import baselines
from suite.campaign import drivers, evaluate, methods, plan, procedure, segments, verdict
from suite.campaign.allocation import Terms, hashed
from suite.campaign.encode import Encoder
from suite.campaign.evaluate import Evidence
from suite.campaign.inference import Estimate
from suite.campaign.model import Assignment, Model
from suite.campaign.procedure import Fits
from suite.campaign.setup import Setup
from suite.campaign.store import Result, unpacked
from suite.campaign.types import Campaign

USUAL_SHARE = 0.3  # at which methods are compared where the rule treats all or none
SMALLEST_MEASURED = 100  # rows of a segment where it is measured


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
    methods: list[methods.MethodRow]
    drivers: list[drivers.Driver]
    segments: list[Segment]
    progress: plan.Progress
    value: float | None  # of an outcome, where it was taken from observed money

    @property
    def priced(self) -> bool:
        """Whether gains are money."""
        return self.campaign.prices is not None or self.campaign.money is not None

    @property
    def decides(self) -> bool:
        """Whether there is a rule: prices or a budget; else customers are only ranked."""
        return self.priced or self.campaign.budget is not None

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
    value = worth = None
    earned = outcome.psi * Terms.of(campaign).value[:, None]
    if campaign.money is not None:
        own = procedure.scores_of(means, "money", campaign.money, campaign.arm, e, setup.folds, 1)
        earned = own.outer
        if campaign.value is None:
            value = float(campaign.money.sum() / max(campaign.good.sum(), 1))
            worth = _worth(campaign, setup.folds)
    evidence = Evidence(
        psi=outcome.psi,
        earned=earned,
        gain=outcome.gain,
        folds=setup.folds,
        groups=campaign.groups,
        tie=hashed(campaign.ids, campaign.n, setup.seed),
        terms=Terms.of(campaign, worth),
        seed=setup.seed,
    )
    costs, tells = evidence.terms.cost, outcome.final.tells
    comparison = evaluate.compare(evidence, tells=tells)
    frame = campaign.frame[list(campaign.used)]
    arm, chosen = comparison.everybody_arm, [choice.method for choice in outcome.choices]
    share = comparison.share if 0 < comparison.share < 1 else USUAL_SHARE
    return Findings(
        campaign=campaign,
        evidence=evidence,
        outcome=outcome,
        comparison=comparison,
        sensitivity={
            factor: evaluate.compare(
                evidence, replace(evidence.terms, cost=factor * costs), tells=tells
            )
            for factor in (0.5, 2.0)
            if costs.any()
        },
        curve=evaluate.curve(evidence),
        methods=methods.methods_table(evidence, outcome.by_method, share),
        drivers=drivers.find(fits, chosen, evidence, arm, frame, sign) if tells else [],
        segments=_segments(fits, setup, evidence, arm, frame) if tells else [],
        progress=progress,
        value=value,
    )


def _segments(
    fits: Mapping[str, Fits], setup: Setup, evidence: Evidence, treatment: int, frame: pd.DataFrame
) -> list[Segment]:
    """The leaves of a tree grown without some folds, measured on those, the best first.

    The tree imitates the mean of all methods, each in units of its own spread: a method that was
    chosen would have been chosen with the rows that measure.
    """
    parts = [found[setup.segment_folds].arrays for found in fits.values()]
    scores = [part["learnt_score"][:, treatment - 1] for part in parts]
    spreads = [np.ptp(score) and score.std() for score in scores]
    score = sum(s / spread for s, spread in zip(scores, spreads, strict=True) if spread)
    if not any(spreads):
        return []
    rules = segments.grow(frame.iloc[parts[0]["learnt_rows"]], score)
    rows = np.flatnonzero(np.isin(evidence.folds, setup.segment_folds))
    frame, psi = frame.iloc[rows], evidence.psi[rows, treatment - 1]
    groups = None if evidence.groups is None else evidence.groups[rows]
    found = []
    for rule in rules:
        inside: NDArray[np.bool_] = segments.members(rule, frame)
        if inside.sum() < SMALLEST_MEASURED:
            continue
        own = None if groups is None else groups[inside]
        gain = Estimate.of(psi[inside], own)
        found.append(Segment(segments.words(rule), float(inside.mean()), gain))
    return sorted(found, key=lambda segment: -segment.gain.mean)


def _worth(campaign: Campaign, folds: NDArray[np.integer]) -> NDArray[np.float64]:
    """What a good outcome is worth by observed money, for the rows of each fold from the others."""
    worth = np.empty(campaign.n)
    for fold in np.unique(folds):
        others = folds != fold
        worth[~others] = campaign.money[others].sum() / max(campaign.good[others].sum(), 1)
    return worth


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
        assignment=Assignment(campaign.fairness.propensity, campaign.chances_from),
        headline={
            "share": comparison.share,
            "profit": {
                "mean": comparison.nobody.mean,
                "low": comparison.nobody.low,
                "high": comparison.nobody.high,
            },
        },
    )
