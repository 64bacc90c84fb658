"""`report.html`: one file without script, rendered from the summary alone."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from suite.campaign import sections
from suite.campaign.say_numbers import interval_of, money, percent, points

HERE = Path(__file__).parent


def render(summary: dict[str, Any]) -> str:
    """The page as text; every name from the file is escaped."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        s=summary,
        css=Markup((HERE / "report.css").read_text(encoding="utf-8")),
        made=summary["this_run"]["finished"],
        cards=_cards(summary),
        lights=_lights(summary),
        **sections.all_of(summary),
    )


def _unbroken(value: Any) -> Any:
    """A number and its per cent sign stay on one line."""
    return value.replace(" %", "\N{NO-BREAK SPACE}%") if isinstance(value, str) else value


def _cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """What the rule is worth, with intervals; nothing where there is no rule."""
    rule = summary["rule"]
    say = money if summary["priced"] else points
    cards = []
    for name, text in sections.alternatives(summary):
        estimate = rule["against"][name]
        whose = "against" if cards else "the rule against"
        cards.append(
            {
                "number": say(estimate["mean"]),
                "interval": f"95 %: {interval_of(estimate, say)}",
                "what": f"{whose} {text}, {sections.unit(summary)}",
            }
        )
    if cards:
        share = f"treats {percent(rule['share'])}, {rule['customers']:,} of {summary['rows']:,}"
        cards[0]["what"] = f"{cards[0]['what']}; it {share}"
    return cards


def _lights(summary: dict[str, Any]) -> list[dict[str, str]]:
    """Fair test, effect, tells apart: green, amber or red, always with words."""
    colour = {"fair": "good", "slightly predictable": "warn", "not random": "bad"}
    verdict = summary["fair"]["verdict"]
    effects = [row["adjusted"] for row in summary["effects"][1:]]
    sign = -1 if summary["outcome"]["lower_is_better"] else 1
    ends = [sorted((sign * e["low"], sign * e["high"])) for e in effects]
    if any(low > 0 for low, _ in ends):
        effect = "good", "on average it works"
    elif all(high < 0 for _, high in ends):
        effect = "bad", "on average it does harm"
    else:
        effect = "warn", "on average no clear effect"
    tells = summary["tells_apart"]["yes"]
    return [
        {"colour": colour[verdict], "text": f"Fair test: {verdict}"},
        {"colour": effect[0], "text": f"Effect: {effect[1]}"},
        {
            "colour": "good" if tells else "warn",
            "text": "Customers can be told apart" if tells else "We cannot tell customers apart",
        },
    ]
