"""Whether predicted uplifts have the right level and spread, for every method."""

from collections.abc import Sequence

from suite.compare.calibration import BIAS, SLOPES, calibrated
from suite.compare.frame import frame_of
from suite.compare.means import Mean, mean_of
from suite.compare.paired import LEVEL
from suite.compare.runs import Run, by_score
from suite.compare.units import LEAST_DRAWS
from suite.publish.columns import Column
from suite.show.tables import notes
from suite.show.tables.model import Table, Text, texts

HEADS = ("method", "n", "slope", "bias", "corrected error", "test sets rejected", "calibrated")
TIDY = (
    *("experiment", "variant", "method", "replicates", "slope", "slope_error", "bias"),
    *("bias_error", "corrected_error", "rejected", "calibrated"),
)


def calibration_table(sources: Sequence[Column]) -> Table:
    """One block per column."""
    body: list[tuple[Text, ...]] = []
    tidy, runs = [], []
    for source in sources:
        frame = frame_of(source)
        lines = [(m, frame.shown(m)) for m in by_score(frame) if frame.shown(m)]
        body.append((Text(source.name),))
        for method, own in lines:
            slope, bias = (mean_of(own, lambda r, n=n: getattr(r, n)) for n in ("slope", "bias"))
            if bias is None:
                continue
            word = _word(own)
            error, rejected = _noise_corrected(own), _rejected(own)
            body.append(
                texts(
                    (
                        *(
                            method,
                            str(len(own)),
                            "" if slope is None else _mean(slope, 2),
                            _mean(bias, 3),
                        ),
                        "" if error is None else f"{error:.3f}",
                        "" if rejected is None else f"{rejected} of {len(own)}",
                        word,
                    )
                )
            )
            values = (
                *(source.experiment.name, source.variant, method, len(own)),
                *(slope and slope.value, slope and slope.error, bias.value, bias.error),
                *(error, rejected, word),
            )
            tidy.append(dict(zip(TIDY, values, strict=True)))
            runs += own
    return Table(
        name="calibration",
        title="Calibration: predicted against observed uplift over the bins",
        header=texts(HEADS),
        rows=tuple(body),
        notes=(
            notes.CALIBRATION,
            "Corrected error: root mean squared difference of predicted and observed uplift over "
            "bins, less what the noise of the outcomes explains (negative: less than the noise); "
            "rejected: test sets in which a chi-squared test over the bins rejects the predictions "
            "at 5 %. Both need the responses of each bin, which older records did not keep.",
            f"Calibrated, yes: the slope is shown to lie between {SLOPES[0]} and {SLOPES[1]} and "
            f"the bias within {BIAS} (two one-sided t tests each, 5 %); no: one of them is shown "
            "to lie outside; open: neither.",
            *notes.commits(runs),
        ),
        tidy=tuple(tidy),
        tidy_fields=TIDY,
    )


def _word(runs: Sequence[Run]) -> str:
    """yes, no, open; nothing below five replicates, or where one has no slope."""
    if len(runs) < LEAST_DRAWS or any(run.slope is None for run in runs):
        return ""
    return calibrated([run.slope for run in runs], [run.bias for run in runs])


def _noise_corrected(runs: Sequence[Run]) -> float | None:
    """The mean squared error over test sets, and its root with the sign kept."""
    if any(run.calibration is None for run in runs):
        return None
    squares = [run.calibration.error * abs(run.calibration.error) for run in runs]
    mean = sum(squares) / len(squares)
    return abs(mean) ** 0.5 * (1 if mean >= 0 else -1)


def _rejected(runs: Sequence[Run]) -> int | None:
    if any(run.calibration is None for run in runs):
        return None
    return sum(run.calibration.p < LEVEL for run in runs)


def _mean(mean: Mean, decimals: int) -> str:
    error = "" if mean.error is None else f" ± {mean.error:.{decimals}f}"
    return f"{mean.value:z.{decimals}f}{error}"
