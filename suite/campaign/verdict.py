"""The answer in words, and what can go wrong."""

from dataclasses import asdict, dataclass
from typing import Literal

from suite.campaign.calibration import Choice
from suite.campaign.evaluate import Comparison, Evidence
from suite.campaign.inference import Estimate
from suite.campaign.model import Decision
from suite.campaign.say_numbers import estimate_of, money, points, unit_of
from suite.campaign.types import Campaign

Kind = Literal["some", "everybody", "nobody", "no evidence", "ranking"]


@dataclass(frozen=True)
class Answer:
    """The two sentences at the top of the page."""

    kind: Kind
    first: str
    second: str


def interval(estimate: Estimate, priced: bool) -> str:
    """+0.34 (0.18 to 0.50), in money or in points."""
    return estimate_of(asdict(estimate), money if priced else points)


def answer(campaign: Campaign, choice: Choice, comparison: Comparison, priced: bool) -> Answer:
    """Rule of words: "treat" only where choosing beats the best that needs no choosing.

    That is everybody or nobody, or, where a budget does not allow everybody, the same number at
    random or nobody.
    """
    avoided = f"{campaign.outcome_name} = {campaign.outcome_value}"
    avoided = avoided if campaign.lower_is_better else ""
    unit = unit_of(priced, avoided)
    arm = campaign.arms[comparison.everybody_arm]
    everybody = f"everybody with {arm}" if len(campaign.arms) > 2 else "everybody"
    share = f"{100 * comparison.share:.0f} % of customers"
    if len(campaign.arms) > 2:
        shares = zip(campaign.arms[1:], comparison.shares, strict=True)
        share += f" ({', '.join(f'{name} {100 * part:.0f} %' for name, part in shares)})"
    if not priced and campaign.budget is None:
        change = interval(comparison.all_treated.times(-1 if avoided else 1), priced)
        aim = f"; fewer {avoided} is better" if avoided else ""
        first = f"Treating {everybody} changes the outcome by {change}{aim}."
        if choice.tells:
            second = (
                "Customers differ: the table of shares says what the best of them give. With a "
                "value and a cost the page says whom to treat."
            )
        else:
            second = "We cannot tell customers apart."
        return Answer("ranking", first, second)
    if not choice.tells and campaign.budget is None:
        better = comparison.better
        clear = comparison.all_treated.low > 0 or comparison.all_treated.high < 0
        first = f"Treat {everybody if better == 'everybody' else 'nobody'}."
        sure = "" if clear else ", which may be chance"
        second = (
            f"We cannot tell customers apart, and treating {everybody} earns "
            f"{interval(comparison.all_treated, priced)} {unit}{sure}."
        )
        return Answer(better, first, second)
    names = {"everybody": everybody, "nobody": "nobody", "random": "the same number at random"}
    if comparison.over_rival.low > 0:
        other = "everybody" if comparison.affordable else "random"
        first = f"Treat {share}."
        second = (
            f"That earns {interval(comparison.nobody, priced)} {unit} against treating nobody and "
            f"{interval(getattr(comparison, other), priced)} against treating {names[other]}."
        )
        return Answer("some", first, second)
    first = f"No evidence that choosing beats treating {names[comparison.rival]}."
    second = (
        f"The rule treats {share}; the difference is "
        f"{interval(comparison.over_rival, priced)} {unit}."
    )
    return Answer("no evidence", first, second)


def decision(campaign: Campaign, choice: Choice, comparison: Comparison, value: float | None):
    """The rule that goes into the model; `value`: of an outcome, where it was taken from money."""
    prices, budget = campaign.prices, campaign.budget
    common = {
        "value": value if value is not None else (prices.value if prices else None),
        "costs": prices.costs if prices else (),
        "budget": budget.text if budget else None,
        "share": comparison.share,
    }
    if budget is not None:
        return Decision("top", **common)
    if prices is None and value is None:
        return Decision("ranking")
    if choice.tells:
        return Decision("net", **common)
    if comparison.better == "nobody":
        return Decision("nobody", **common)
    return Decision("arm", arm=campaign.arms[comparison.everybody_arm], **common)


def risks(campaign: Campaign, evidence: Evidence, comparison: Comparison) -> list[str]:
    """Only lines that apply."""
    found, fair = [], campaign.fairness
    if fair.verdict == "not random":
        found.append(
            "The arms were not drawn at random: these are differences between groups that were "
            "chosen, not caused by the treatment. Adjustment repairs only what the columns show."
        )
    elif fair.verdict == "slightly predictable":
        found.append("The columns tell the arms apart a little; the estimates are adjusted for it.")
    kept = [s.name for s in campaign.suspects if s.kept]
    if kept:
        found.append(
            f"{', '.join(kept)}: used although known perhaps only after the treatment or the "
            "outcome. If so, the model is worthless on new customers."
        )
    sensitive = [c.name for c in campaign.columns if c.used and c.sensitive]
    if sensitive:
        found.append(
            f"{', '.join(sensitive)}: the model uses it. Check that your rules and the law allow "
            "treating customers differently by it, or leave it out with --ignore."
        )
    events = min(int(campaign.outcome[campaign.arm == a].sum()) for a in range(len(campaign.arms)))
    if events < 200:
        found.append(f"Few events: the smallest arm has {events}. Intervals are rough below 200.")
    if fair.duplicated_rows:
        found.append(f"{fair.duplicated_rows:,} rows are exact copies of others.")
    if fair.outside is not None and fair.outside.any():
        found.append(
            f"{int(fair.outside.sum()):,} rows were left out: customers like them were almost "
            "always, or almost never, treated."
        )
    wide = comparison.nobody
    if comparison.share > 0 and wide.se > 0 and (wide.high - wide.low) > 2 * abs(wide.mean):
        found.append(
            "The interval of the gain is wider than the gain itself: repeat the test before much "
            "depends on it."
        )
    found.append(
        "The campaign is one season and one offer. Another month, price or message can move other "
        "customers: keep a small random control group and run this again."
    )
    return found
