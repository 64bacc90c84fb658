"""From a checked campaign to everything that is said about it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from suite.campaign import drivers, evaluate, plan, procedure, segments, verdict
from suite.campaign.allocation import Terms, hashed
from suite.campaign.calibration import NO_MODEL
from suite.campaign.errors import DataError, UserError
from suite.campaign.evaluate import Evidence
from suite.campaign.folds import outer_folds
from suite.campaign.inference import Estimate
from suite.campaign.model import Model
from suite.campaign.store import Store
from suite.campaign.types import Campaign
from suite.campaign.units import Limits, Unit, Workers, run_units
from suite.campaign.work import Setup, fit_final

SMALLEST_SHARE_OF_TIME = 0.25  # of the time, for what is not a comparison of methods


@dataclass(frozen=True)
class Settings:
    """How much to compute."""

    methods: Sequence[str] = ()
    time: str | float = "10m"
    folds: int = plan.FOLDS
    jobs: int = 1
    seed: int = 0
    quick: bool = False
    limits: Limits = field(default_factory=Limits)


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
    settings: Settings
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
    seconds: float

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


def without_outside(campaign: Campaign) -> Campaign:
    """The campaign less the rows that were almost always or almost never treated."""
    outside = campaign.fairness.outside
    if outside is None or not outside.any():
        return campaign
    keep = np.flatnonzero(~outside)
    parts = {
        name: None if (value := getattr(campaign, name)) is None else value[keep]
        for name in ("outcome", "arm", "groups", "strata", "money", "value", "cost")
    }
    fairness = replace(campaign.fairness, design=campaign.fairness.design[keep])
    ids = None if campaign.ids is None else campaign.ids.iloc[keep].reset_index(drop=True)
    frame = campaign.frame.iloc[keep].reset_index(drop=True)
    return replace(campaign, **parts, fairness=fairness, ids=ids, frame=frame)


def setup_of(campaign: Campaign, settings: Settings) -> Setup:
    """What the units share."""
    folds = plan.QUICK_FOLDS if settings.quick else settings.folds
    if folds < plan.QUICK_FOLDS:
        raise UserError(f"--folds is {folds}; nesting needs at least {plan.QUICK_FOLDS}")
    if not campaign.used:
        raise DataError("no covariate is left; see --keep")
    numbers = outer_folds(campaign.arm, campaign.outcome, campaign.groups, folds, settings.seed)
    return Setup(
        columns=campaign.columns,
        frame=campaign.frame[list(campaign.used)],
        outcome=campaign.outcome,
        arm=campaign.arm,
        arms=len(campaign.arms),
        groups=campaign.groups,
        folds=numbers,
        money=campaign.money,
        seed=settings.seed,
        shares=tuple(np.bincount(campaign.arm, minlength=len(campaign.arms)) / campaign.n),
        segment_folds=(0, 1),
        quick=settings.quick,
    )


def analyse(
    campaign: Campaign,
    settings: Settings,
    folder: Path,
    said: Callable[[str], None] = lambda line: None,
) -> tuple[Findings, Model | None]:
    """The findings and the model; units are kept in `folder`."""
    begun = time.monotonic()
    deadline = begun + plan.seconds_of(settings.time) * (1 - SMALLEST_SHARE_OF_TIME / 5)
    methods = plan.names(settings.methods, settings.quick)
    campaign = without_outside(campaign)
    setup = setup_of(campaign, settings)
    k = int(setup.folds.max()) + 1
    store = Store(folder)
    with Workers(settings.jobs, setup, settings.limits) as workers:
        units = {out: Unit("means", {"left_out": out}) for out in plan.left_outs(k)}
        results = run_units(units.values(), workers, store)
        means = {out: results[unit.key] for out, unit in units.items()}
        broken = [result.error for result in means.values() if result.error]
        if broken:
            raise RuntimeError(f"the outcome means cannot be fitted: {broken[0]}")
        fits, whole, progress = plan.run_methods(
            methods, k, campaign.n, workers, store, deadline, said
        )
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
        tie=hashed(campaign.ids, campaign.n, settings.seed),
        terms=Terms.of(campaign, value),
        seed=settings.seed,
    )
    comparison = evaluate.compare(evidence)
    costs = evidence.terms.cost
    sensitivity = {
        factor: evaluate.compare(evidence, replace(evidence.terms, cost=factor * costs))
        for factor in (0.5, 2.0)
        if costs.any()
    }
    method = outcome.final.method
    share = comparison.share if 0 < comparison.share < 1 else 0.3
    findings = Findings(
        campaign=campaign,
        settings=settings,
        evidence=evidence,
        outcome=outcome,
        comparison=comparison,
        sensitivity=sensitivity,
        curve=evaluate.curve(evidence),
        methods=evaluate.methods_table(evidence, outcome.by_method, share),
        drivers=_drivers(fits, method, evidence, comparison.everybody_arm, campaign, sign),
        segments=_segments(fits, method, evidence, comparison.everybody_arm, campaign),
        progress=progress,
        value=value,
        seconds=time.monotonic() - begun,
    )
    return findings, _model(findings, setup, whole, methods)


def _drivers(fits, method, evidence, treatment, campaign, sign) -> list[drivers.Driver]:
    if method == NO_MODEL:
        return []
    used = list(campaign.used)
    return drivers.find(fits[method], evidence, treatment, campaign.frame, used, sign)


def _segments(fits, method, evidence, treatment, campaign) -> list[Segment]:
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


def _model(
    findings: Findings, setup: Setup, whole: dict[str, bool], methods: Sequence[str]
) -> Model | None:
    """The procedure's choice fitted on all rows; None where no method was fitted at all."""
    campaign, final = findings.campaign, findings.outcome.final
    # Without a choice any model will do: its calibration is flat.
    name = final.method if final.method != NO_MODEL else next(iter(whole), None)
    if name is None:
        return None
    encoder, fitted = fit_final(setup, name, whole[name])
    comparison = findings.comparison
    return Model(
        encoder=encoder,
        methods=tuple(fitted),
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
