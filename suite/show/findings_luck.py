"""Sentences of the front page about choosing, and the luck of training."""

import math

from suite.compare.choosing import COUNTS
from suite.publish.columns import Published
from suite.show.findings_numbers import called
from suite.show.tables.choosing import found_choices
from suite.show.tables.decide import is_network
from suite.show.tables.seeds import splits


def price_of_choosing(published: Published) -> str | None:
    """What choosing by q_adj costs beside other scores."""
    most = {c.score: c for c in found_choices(published) if c.count == COUNTS[-1]}
    if not most:
        return None
    best = min(
        (most[score] for score in most if score not in ("q_adj", "true_q")),
        key=lambda choice: choice.regret.mean,
    )
    names = {
        "q": "the plain q",
        "r_loss": "the R-loss",
        "r_loss_own_mean": "the R-loss with the model's own mean outcome",
        "likelihood": "the likelihood of the outcomes",
    }
    gain = best.against_q_adj
    shown = "" if gain.p_two_sided() < 0.05 else ", which is within chance"
    return (
        f"Of {COUNTS[-1]} simple candidate models the one with the highest q_adj on validation "
        f"rows stays {most['q_adj'].regret.mean:.2f} behind the true uplift, the one chosen by "
        f"{names[best.score]} {best.regret.mean:.2f} (difference "
        f"{-gain.mean:.2f} ± {gain.error:.2f}{shown}); {most['true_q'].regret.mean:.2f} cannot be "
        "avoided with these candidates ([choosing](findings/choosing.md))."
    )


def training_luck(published: Published) -> str | None:
    """What another seed of training does, in the scenario and network with most to say."""
    found = [
        (method, scenario, one)
        for scenario, method, one in splits(published)
        if is_network(method) and one.total is not None
    ]
    if not found:
        return None
    # The paper's best model where it was repeated, and its main scenario.
    method, scenario, one = max(found, key=lambda f: (f[0] == "twin-512-structured", f[1]))
    share = one.training / one.total
    part = f"{share:.0%} of the variance of one run" if share < 1 else "as much as all of one run"
    noise = "" if one.noise is None else f", outcome noise {math.sqrt(one.noise):.2f}"
    return (
        f"The same network on the same data ends elsewhere with another seed: {called(method)} in "
        f"{scenario.replace('rio', 'rio ')} has a standard deviation of "
        f"{math.sqrt(one.training):.2f} in q_adj from the luck of training alone, {part} "
        f"(standard deviation over data sets {math.sqrt(one.total):.2f}{noise}); so a mean of 20 "
        f"runs has a standard error of {math.sqrt(one.total / 20):.2f}, and one run says little "
        "([seeds](findings/seeds.md))."
    )
