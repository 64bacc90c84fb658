"""Which column is the outcome, the arm, the id: what the user said, or the only candidate."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from suite.campaign import names
from suite.campaign.cells import Cells
from suite.campaign.errors import DataError, UserError

Table = Mapping[str, Cells]
MOST_ARMS = 8
ARM_ROWS = 200


class Outcome(NamedTuple):
    """The column, the value that counts, and 1, 0 or -1 (missing) for each row."""

    name: str
    value: str
    y: NDArray[np.int8]
    lower_is_better: bool


class Arms(NamedTuple):
    """The column, its values with control first, and the arm of each row, -1 where missing."""

    name: str
    values: tuple[str, ...]
    arm: NDArray[np.int8]


def outcome(table: Table, said: str | None, lower: bool | None) -> Outcome:
    """The outcome that the user named, or the only column that is named like one."""
    value = None
    if said is None:
        name = _guess_outcome(table)
    elif said in table:
        name = said
    else:
        name, equals, value = said.rpartition("=")
        name = names.known(name if equals else said, table)
    cells = table[name]
    texts = cells.texts()
    if value is None:
        value = _positive(name, texts, table)
    elif value not in texts:
        shown = ", ".join(texts[:10])
        raise UserError(f"--outcome {said}: {name} has no value {value}; it has {shown}")
    elif len(texts) < 2:
        raise DataError(f"{name} has one value ({value}); an effect needs two different outcomes")
    y = cells.spread((np.array(texts, object) == value).astype(np.int8), -1).astype(np.int8)
    if lower is None:
        lower = any(w.startswith(s) for w in names.words(name) for s in names.LOWER_IS_BETTER)
    return Outcome(name, value, y, lower)


def _guess_outcome(table: Table) -> str:
    whole = [name for name in table if name.strip().lower() in names.OUTCOMES]
    part = [name for name in table if names.OUTCOMES.intersection(names.words(name))]
    two = [name for name in part if len(table[name].words) == 2]
    for candidates in ([n for n in whole if n in two], whole, two):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            listing = ", ".join(_rate(name, table[name]) for name in candidates)
            raise UserError(
                f"which column is the outcome? {listing}: add --outcome {candidates[0]}"
            )
    raise UserError(
        "no column looks like the outcome (named outcome, bought, conversion, response, "
        "visit, ...); say --outcome COLUMN"
    )


def _rate(name: str, cells: Cells) -> str:
    """visit (14.7 % of 1)."""
    texts, counts = cells.texts(), cells.counts()
    positive = [j for j, text in enumerate(texts) if names.is_positive(text)]
    if len(texts) != 2 or len(positive) != 1:
        return f"{name} ({len(texts):,} values)"
    return f"{name} ({counts[positive[0]] / counts.sum():.1%} of {texts[positive[0]]})".replace(
        "%", " %"
    )


def _positive(name: str, texts: Sequence[str], table: Table) -> str:
    """The value that counts, of a column of two values."""
    if len(texts) == 2:
        found = [text for text in texts if names.is_positive(text)]
        if len(found) == 1:
            return found[0]
    if len(texts) < 2:
        values = f"one value ({texts[0]})" if texts else "no values"
        raise DataError(f"{name} has {values}; an effect needs two different outcomes")
    if len(texts) > 10:
        near = _nearest_two_valued(name, table)
        use = f"Use --outcome {near} --money {name}" if near else "Make a yes/no column of it"
        raise UserError(
            f"{name} has {len(texts):,} values; this command models yes/no outcomes. {use}"
        )
    yes = next((text for text in texts if names.is_positive(text)), texts[0])
    raise UserError(
        f"{name} has {len(texts)} values ({', '.join(texts)}); "
        f"say which one counts: --outcome {name}={yes}"
    )


def _nearest_two_valued(name: str, table: Table) -> str | None:
    """The yes/no column named like an outcome that goes best with `name` being above 0."""
    above = table[name].spread(table[name].numbers() > 0, False).astype(float)
    best, found = 0.0, None
    for other, cells in table.items():
        texts = cells.texts()
        like = names.OUTCOMES.intersection(names.words(other))
        if other == name or len(texts) != 2 or not like:
            continue
        positive = np.array([names.is_positive(text) for text in texts])
        if positive.sum() == 1:
            y = cells.spread(positive, False).astype(float)
            with np.errstate(invalid="ignore"):
                together = np.nan_to_num(np.corrcoef(y, above)[0, 1])
            if found is None or together > best:
                best, found = together, other
    return found


def arms(table: Table, said: str | None, control: str | None, taken: str) -> Arms:
    """The arm that the user named, or the only column that looks like one; control first."""
    name = names.known(said, table) if said else _guess_arm(table, taken)
    cells = table[name]
    texts = cells.texts()
    if len(texts) == 1:
        raise DataError(
            f"{name} has one value ({texts[0]}); an effect needs treated and untreated rows"
        )
    if not 2 <= len(texts) <= MOST_ARMS:
        raise UserError(f"{name} has {len(texts):,} values; an arm has 2 to {MOST_ARMS}")
    counts = cells.counts()
    order = sorted(range(len(texts)), key=lambda j: (-counts[j], texts[j]))
    if control is None:
        found = [texts[j] for j in order if names.is_control(texts[j])]
        if len(found) != 1:
            share = counts / counts.sum()
            shown = ", ".join(f"{texts[j]} ({100 * share[j]:.1f} %)" for j in order)
            first = found[0] if found else texts[order[0]]
            raise UserError(f"which value of {name} is the control: {shown}? say --control {first}")
        control = found[0]
    elif control not in texts:
        raise UserError(f"--control {control}: {name} has the values {', '.join(texts)}")
    values = (control, *sorted(text for text in texts if text != control))
    place = np.array([values.index(text) for text in texts], np.int8)
    return Arms(name, values, cells.spread(place, -1).astype(np.int8))


def _guess_arm(table: Table, taken: str) -> str:
    """The best-named column: named so as a whole, else by one of its words."""

    def fits(name: str, least: int, rows: int) -> bool:
        cells = table[name]
        return least <= len(cells.words) <= MOST_ARMS and int(cells.counts().min()) >= rows

    free = [name for name in table if name != taken]
    whole = [n for n in free if n.lower() in names.ARMS or n.lower().startswith("treat")]
    part = [n for n in free if _named_like_an_arm(n)]
    tries = [(whole, 2, ARM_ROWS), (part, 2, ARM_ROWS), (whole, 1, 1)]
    for candidates, least, rows in tries:
        found = [name for name in candidates if fits(name, least, rows)]
        if len(found) > 1:
            with_control = [
                name for name in found if any(map(names.is_control, table[name].texts()))
            ]
            found = with_control or found
        if len(found) == 1:
            return found[0]
        if found:
            raise UserError(
                f"which column is the arm of the test: {', '.join(found)}? say --arm {found[0]}"
            )
    raise UserError(
        "no column looks like the arm of a test (2 to 8 values named arm, group, segment, ...); "
        "say --arm COLUMN"
    )


def _named_like_an_arm(name: str) -> bool:
    words = names.words(name)
    return bool(names.ARMS.intersection(words)) or any(w.startswith("treat") for w in words)
