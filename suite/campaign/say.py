"""The guesses in words: one line each, with the option that overrides it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import pandas as pd

from suite.campaign.effects import weighted
from suite.campaign.errors import UserError
from suite.campaign.plans import MOST_LEVELS
from suite.campaign.sniff import SEPARATORS
from suite.campaign.types import Campaign, Column, Guess, Suspect

_ENCODINGS = {"utf8": "UTF-8", "utf-16": "UTF-16", "cp1252": "cp1252"}


def percent(share: float) -> str:
    """12.0 %."""
    return f"{100 * share:.1f} %"


def as_of_day(said: str) -> date:
    """What `--as-of` says."""
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise UserError(f"--as-of {said}: say a day such as 2025-01-31") from None


def with_as_of(
    columns: Sequence[Column], frame: pd.DataFrame, said: str | None
) -> tuple[list[Column], date | None]:
    """Date columns with the day they are counted back from: the latest of all, or as said."""
    dates = [c.name for c in columns if c.kind == "date" and c.used]
    if said is not None:
        day = as_of_day(said)
    elif dates:
        day = max(frame[name].max() for name in dates if frame[name].notna().any()).date()
    else:
        return list(columns), None
    text = day.isoformat()
    return [replace(c, as_of=text) if c.kind == "date" else c for c in columns], day


def future_dates(columns: Sequence[Column], frame: pd.DataFrame, as_of: date | None) -> list:
    """Date columns with days after as-of: not known then."""
    found = []
    for name in (c.name for c in columns if c.kind == "date" and c.used):
        late = int((frame[name] > pd.Timestamp(as_of)).sum())
        if late:
            found.append(Suspect(name, "as-of", f"{late:,} dates are after {as_of}"))
    return found


def guesses(campaign: Campaign, id_guess: Guess) -> Iterator[Guess]:
    """Every decision about the file, in the order of the terminal."""
    yield _file(campaign)
    rate = percent(campaign.outcome.mean())
    good = ", lower is better" if campaign.lower_is_better else ""
    option = "--outcome --lower-is-better" if good else "--outcome"
    outcome = f"{campaign.outcome_name} = {campaign.outcome_value} ({rate}{good})"
    yield Guess("outcome", outcome, option)
    shares = zip(campaign.arms, campaign.fairness.shares, strict=True)
    arms = ", ".join(f"{arm} {percent(share)}" for arm, share in shares)
    yield Guess(
        "arms", f"{campaign.arm_name}: {arms}; control = {campaign.arms[0]}", "--arm --control"
    )
    yield id_guess
    used = [c for c in campaign.columns if c.used]
    dates = [f"{c.name} ({_pattern(c)})" for c in used if c.kind == "date"]
    if dates:
        yield Guess("dates", f"{', '.join(dates)}, counted back from {campaign.as_of}", "--as-of")
    categories = [_levels(c) for c in used if c.kind == "category"]
    if categories:
        yield Guess("categories", "; ".join(categories), "--types")
    unused = [f"{c.name}: {c.why}" for c in campaign.columns if _is_unused(c)]
    if unused:
        yield Guess("unused", "; ".join(unused), "--types")
    missing = [f"{c.name} {percent(c.missing)}" for c in used if c.missing]
    if missing:
        yield Guess("missing", f"{', '.join(missing)}: median or level of its own, + flag")
    codes = [(c.name, ", ".join(f"{v:g}" for v in c.missing_codes)) for c in used]
    codes = [f"{name} {code}" for name, code in codes if code]
    if codes:
        yield Guess("codes", f"{'; '.join(codes)} taken as missing", "--types")
    for kept, what in ((False, "LEFT OUT"), (True, "KEPT")):
        late = [_late(s) for s in campaign.suspects if s.kept == kept]
        if late:
            yield Guess(what, ". ".join(late), "" if kept else "--keep")
    yield _fair(campaign)
    yield from _effects(campaign)


def _file(campaign: Campaign) -> Guess:
    source = campaign.source
    said = f"{source.rows:,} rows, {source.columns} columns"
    if source.separator is not None:
        said += f", {SEPARATORS[source.separator]}, {_ENCODINGS[source.encoding]}"
    elif source.decimal == ".":  # numbers are stored as such
        return Guess(source.name, said)
    said += f", decimal {'comma' if source.decimal == ',' else 'point'}"
    return Guess(source.name, said, "--decimal")


def _pattern(column: Column) -> str:
    pattern = column.date_format or "stored as dates"
    for sign, word in {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD"}.items():
        pattern = pattern.replace(sign, word)
    return pattern


def _levels(column: Column) -> str:
    most = f" levels, {MOST_LEVELS} kept" if column.n_levels > MOST_LEVELS else ""
    return f"{column.name} {column.n_levels}{most}"


def _is_unused(column: Column) -> bool:
    return not column.used and not column.suspected and column.kind not in ("outcome", "arm", "id")


def _late(suspect: Suspect) -> str:
    when = "later than --as-of" if suspect.after == "as-of" else f"only after {suspect.after}"
    return f"{suspect.name}: known {when} ({suspect.said})"


def _fair(campaign: Campaign) -> Guess:
    fair = campaign.fairness
    told = f"by {fair.n_columns} columns (AUC {fair.auc:.3f} ± {fair.se:.3f})"
    said = {
        "fair": f"yes: arms cannot be told apart {told}",
        "slightly predictable": f"nearly: arms can be told apart slightly {told}",
        "not random": f"NO: arms can be told apart {told}; these are differences between "
        "groups that were chosen, not caused",
    }[fair.verdict]
    if fair.verdict != "fair" and fair.differences:
        said += f"; most by {fair.differences[0].name} (--ignore it if it is known only later)"
    if fair.propensity == "estimate":
        said += "; the probability of treatment is estimated from the columns"
    if fair.outside is not None:
        said += f", {int(fair.outside.sum()):,} rows that were nearly certain are left out"
    return Guess("fair test", said, "--propensity --strata")


def _effects(campaign: Campaign) -> Iterator[Guess]:
    """The effect of each treatment; where chances differ by row the raw rates would mislead."""
    control, *treated = campaign.effects
    by = {
        "strata": "within --strata",
        "column": "weighted by --propensity",
        "estimate": "weighted by the estimated probabilities",
    }.get(campaign.fairness.propensity)
    for effect, estimate in zip(treated, weighted(campaign), strict=True):
        low, high = 100 * estimate.low, 100 * estimate.high
        said = f"{100 * estimate.mean:+.1f} points ({low:.1f} to {high:.1f})"
        rates = f"{100 * effect.rate:.2f} % against {100 * control.rate:.2f} %"
        said += f" {by}; unweighted {rates}" if by else f", {rates}"
        named = f"{effect.arm}: " if len(campaign.arms) > 2 else ""
        yield Guess("effect", named + said)


def lines(guesses: Sequence[Guess], width: int = 80) -> list[str]:
    """The guesses as lines of the terminal, options at the right edge, nothing cropped."""
    result = []
    indent = 14
    for guess in guesses:
        words = guess.said.replace(" %", "\0%").split()  # a number and its sign stay together
        rows, row = [], ""
        for word in words:
            if row and indent + len(row) + 1 + len(word) > width:
                rows.append(row)
                row = word
            else:
                row = f"{row} {word}".strip()
        rows.append(row)
        if indent + len(rows[-1]) + 2 + len(guess.option) > width:
            rows.append("")
        free = width - indent - len(rows[-1]) - len(guess.option)
        if guess.option:
            rows[-1] += " " * free + guess.option
        heads = [guess.what, *[""] * (len(rows) - 1)]
        if len(guess.what) >= indent:
            result.append(guess.what)
            heads[0] = ""
        pairs = zip(heads, rows, strict=True)
        result += [f"{head:<{indent}}{text}".rstrip() for head, text in pairs]
    return [line.replace("\0", " ") for line in result if line]
