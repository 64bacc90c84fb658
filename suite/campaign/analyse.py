"""From a checked campaign to what is found in it: plans the units, runs them, keeps them."""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from suite.campaign import effects, findings, plan
from suite.campaign.calibration import NO_MODEL
from suite.campaign.errors import DataError, UserError
from suite.campaign.findings import Findings
from suite.campaign.folds import outer_folds
from suite.campaign.model import Model
from suite.campaign.setup import Setup
from suite.campaign.slot import Unit
from suite.campaign.store import Store
from suite.campaign.types import Campaign
from suite.campaign.units import pool_of, run_units
from suite.compute.outcome import Limits, cores

COMPARING = 0.8  # share of the time for comparing methods; the rest is the final fit and the page


@dataclass(frozen=True)
class Settings:
    """How much to compute."""

    methods: Sequence[str] = ()
    time: str | float = "10m"
    folds: int = plan.FOLDS
    jobs: int = field(default_factory=cores)
    dask: str = ""  # address of a scheduler, instead of jobs here
    seed: int = 0
    quick: bool = False
    limits: Limits | None = None  # of one fit


def without_outside(campaign: Campaign) -> Campaign:
    """The campaign less the rows that were almost always or almost never treated."""
    outside = campaign.fairness.outside
    if outside is None or not outside.any():
        return campaign
    keep = np.flatnonzero(~outside)
    parts = {
        name: None if (value := getattr(campaign, name)) is None else value[keep]
        for name in ("row", "outcome", "arm", "groups", "strata", "money", "value", "cost")
    }
    fairness = replace(campaign.fairness, design=campaign.fairness.design[keep])
    ids = None if campaign.ids is None else campaign.ids.iloc[keep].reset_index(drop=True)
    frame = campaign.frame.iloc[keep].reset_index(drop=True)
    about = parts["outcome"], parts["arm"], campaign.arms
    parts |= {"effects": effects.raw(*about), "any_effect": effects.raw_of_any(*about)}
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
    begun: float | None = None,
) -> tuple[Findings, Model]:
    """The findings and the model; results of units are kept in `folder`.

    `begun`: when the time began to run, on the monotonic clock; None: now.
    """
    begun = time.monotonic() if begun is None else begun
    seconds = plan.seconds_of(settings.time)
    deadline = begun + COMPARING * seconds
    methods = plan.names(settings.methods, settings.quick)
    campaign = without_outside(campaign)
    setup = setup_of(campaign, settings)
    k = int(setup.folds.max()) + 1
    store = Store(folder)
    with closing(pool_of(setup, settings.jobs, settings.dask, settings.limits)) as workers:
        units = {out: Unit("means", {"left_out": out}) for out in plan.left_outs(k)}
        results = run_units(units.values(), workers, store)
        means = {out: results[unit.key] for out, unit in units.items()}
        broken = [result.error for result in means.values() if result.error]
        if broken:
            raise DataError(f"the outcome means cannot be fitted: {broken[0]}")
        race = plan.Race(k, campaign.n, workers, store, deadline, said, seconds)
        race.run(methods)
        if not race.found:
            failed = "; ".join(f"{name}: {error}" for name, error in race.progress.failed.items())
            raise DataError(f"no method could be fitted ({failed}); try others with --methods")
        with threadpool_limits(1):  # threads would add up sums in another order
            found = findings.find(campaign, setup, means, race.found, race.progress)
        # Without a choice any model will do: its calibration is flat.
        name = found.outcome.final.method
        name = next(iter(race.found)) if name == NO_MODEL else name
        unit = Unit("final", {"method": name})
        fitted = run_units([unit], workers, store)[unit.key]
        if fitted.error:
            raise DataError(f"{name} cannot be fitted on all rows ({fitted.error})")
    return found, findings.model_of(found, setup, name, fitted)
