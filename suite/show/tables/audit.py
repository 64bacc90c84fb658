"""The audit: which variant of the data generator can have produced the printed numbers."""

from dataclasses import dataclass

import numpy as np

from suite.compare import audit
from suite.compare.audit import LEAST_AUDIT, Fit, Judged
from suite.compare.frame import frame_of
from suite.compare.means import Mean
from suite.compare.runs import Frame, Run
from suite.compare.verdicts import NOT_YET_RUN, TOO_FEW
from suite.compute.measures import CONVENTIONS
from suite.compute.measures import MAIN as MAIN_KEY
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts
from suite.show.tables.simulated import model_name

# Deterministic, held to the R package that the paper ran, and nothing to select.
ROWS = ("R-Learner (lasso)", "X-Learner (lasso)")
TIDY = (
    *("scenario", "variants", "convention", "replicates", "oracle_q", "oracle_q_adj"),
    *(f"{kind}_{row}" for row in ("r_lasso", "x_lasso") for kind in ("paper", "mean", "error")),
    *("t2", "p", "p_holm", "weight", "finding"),
)


@dataclass(frozen=True)
class Variant:
    """One variant, or several that have the same data."""

    name: str
    source: Frame

    def common(self) -> list[dict[str, Run]]:
        """The lassos' and the oracle's runs on all replicates that both lassos have."""
        runs: dict[str, dict[int, Run]] = {}
        for run in self.source.every_run:
            runs.setdefault(run.method, {})[run.replicate] = run
        methods = [paper.method_of(row) or "" for row in ROWS]
        shared = set.intersection(*(set(runs.get(method, {})) for method in methods))
        return [
            {name: own[replicate] for name, own in runs.items() if replicate in own}
            for replicate in sorted(shared)
        ]


def audit_table(published: Published) -> Table:
    """Every scenario, its distinct variants, in the three conventions of the measure."""
    body: list[tuple[Text, ...]] = []
    tidy, findings = [], []
    for name in SCENARIOS:
        papers = [paper.scenario_value(row, name).value for row in ROWS]
        distinct = variants(published, name)
        body.append((Text(f"{name}: the paper has {papers[0]:.2f} and {papers[1]:.2f}"),))
        for convention in CONVENTIONS:
            key = (convention, MAIN_KEY[1])
            fits = {variant.name: fit_of(variant, key, papers) for variant in distinct}
            judged = audit.judge(fits)
            for variant in distinct:
                body.append(_line(variant, key, fits[variant.name], judged))
                tidy.append(_tidy(name, variant, key, papers, fits[variant.name], judged))
            findings.append(f"{name}, {convention}'s convention: {judged.finding}.")
    columns = [published.column(name, variant) for name in SCENARIOS for variant in VARIANTS]
    lassos = {paper.method_of(row) for row in ROWS}
    used = [r for c in columns for r in frame_of(c).every_run if r.method in lassos]
    return Table(
        name="audit",
        title="Audit: which variant of the data generator can have produced the printed numbers",
        header=(
            *texts(("variant", "convention", "n", "oracle q", "oracle q_adj")),
            *map(model_name, ROWS),
            *texts(("T2", "p", "p (Holm)", "weight")),
        ),
        rows=tuple(body),
        notes=(
            *findings,
            "Both lassos together against the printed pair: Hotelling's T2, the paper's 20 runs a "
            "second sample with our covariance; p corrected (Holm) over the distinct variants of "
            f"a scenario, rejected below 5 %. Tested from {LEAST_AUDIT} replicates up.",
            "Weight: how much more likely the printed pair is under this variant than under the "
            "others, which are taken for equally likely before (multivariate t).",
            "No method can beat the oracle's q on average: a printed q_adj above it rules a "
            "variant out. All replicates of the lassos count here, also those beyond the tables'.",
            f"q_adj with J = {MAIN_KEY[1]} in the conventions of the paper and of the two packages "
            "of its authors; which one the paper used is not known.",
            *notes.commits(used),
        ),
        left=2,
        tidy=tuple(tidy),
        tidy_fields=TIDY,
    )


def variants(published: Published, scenario: str) -> list[Variant]:
    """The variants of a scenario; those with the same data are one."""
    found: list[tuple[list[str], Frame]] = []
    for variant in VARIANTS:
        source = frame_of(published.column(scenario, variant))
        for names, other in found:
            if same_data(source, other):
                names.append(variant)
                break
        else:
            found.append(([variant], source))
    return [Variant(" = ".join(names), source) for names, source in found]


def same_data(a: Frame, b: Frame) -> bool:
    """Whether the oracle has the same curve to the last digit on every common replicate."""
    one, other = (source.runs.get("oracle", {}) for source in (a, b))
    common = one.keys() & other.keys()
    return bool(common) and all(one[r].gain == other[r].gain for r in common)


def _values(variant: Variant, key: tuple[str, int]) -> np.ndarray:
    methods = [paper.method_of(row) for row in ROWS]
    return np.array(
        [[runs[m].by_convention[key].q_adj for runs in variant.common()] for m in methods]
    )


def fit_of(variant: Variant, key: tuple[str, int], papers: list[float]) -> Fit | None:
    """The test of one variant in one convention; None with too few replicates."""
    values = _values(variant, key)
    return audit.hotelling(values, papers) if values.shape[1] >= LEAST_AUDIT else None


def _oracle(variant: Variant, key: tuple[str, int]) -> tuple[Mean | None, Mean | None]:
    runs = [one["oracle"].by_convention[key] for one in variant.common() if "oracle" in one]
    return Mean.of(score.q for score in runs), Mean.of(score.q_adj for score in runs)


def _line(
    variant: Variant, key: tuple[str, int], fit: Fit | None, judged: Judged
) -> tuple[Text, ...]:
    values = _values(variant, key)
    n = values.shape[1]
    oracle = ["" if mean is None else f"{mean.value:z.2f}" for mean in _oracle(variant, key)]
    ours = ["" if m is None else _mean(m) for m in map(Mean.of, values)]
    if fit is None:
        test = [TOO_FEW if n else NOT_YET_RUN, "", "", ""]
    else:
        weight = judged.weights.get(variant.name)
        share = "" if weight is None else f"{weight:.2f}"
        test = [f"{fit.t2:.1f}", f"{fit.p:.2g}", f"{judged.p_holm[variant.name]:.2g}", share]
    return texts((variant.name, key[0], str(n), *oracle, *ours, *test))


def _mean(mean: Mean) -> str:
    return f"{mean.value:z.2f}" + ("" if mean.error is None else f" ± {mean.error:.2f}")


def _tidy(
    scenario: str,
    variant: Variant,
    key: tuple[str, int],
    papers: list[float],
    fit: Fit | None,
    judged: Judged,
) -> dict[str, object]:
    values = _values(variant, key)
    line: dict[str, object] = {"scenario": scenario, "variants": variant.name}
    line |= {"convention": key[0], "replicates": values.shape[1], "finding": judged.finding}
    oracle = _oracle(variant, key)
    line |= dict(zip(("oracle_q", "oracle_q_adj"), (m and m.value for m in oracle), strict=True))
    for row, printed, mean in zip(
        ("r_lasso", "x_lasso"), papers, map(Mean.of, values), strict=True
    ):
        line |= {f"paper_{row}": printed, f"mean_{row}": mean and mean.value}
        line[f"error_{row}"] = mean and mean.error
    if fit is not None:
        line |= {"t2": fit.t2, "p": fit.p, "p_holm": judged.p_holm[variant.name]}
        line["weight"] = judged.weights.get(variant.name)
    return line
