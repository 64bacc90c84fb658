"""The sections of the page: captions that state what was found, pictures, tables."""

from typing import Any

from markupsafe import Markup

from suite.campaign import figures, sections_model
from suite.campaign.say_numbers import estimate_of, money, percent, points, unit_of

Summary = dict[str, Any]
Context = dict[str, Any]


def all_of(s: Summary) -> Context:
    """What the template needs besides the summary."""
    return {
        "whom": _whom(s),
        "worked": _worked(s),
        "fair": _fair(s),
        "apart": sections_model.apart(s),
        "segments": sections_model.segments(s),
        "drivers": sections_model.drivers(s),
        "methods": sections_model.methods(s),
        "methods_notes": sections_model.methods_notes(s),
        "columns": [
            [
                c["name"],
                c["kind"],
                f"{100 * c['missing']:.1f} %" if c["missing"] else "",
                f"{c['levels']:,}" if c["levels"] else "",
                "yes" if c["used"] else c["why"] or "no",
            ]
            for c in s["columns"]
        ],
        "guesses": [[g["what"], g["said"], g["option"]] for g in s["guesses"]],
        "appendix": sections_model.appendix(s),
    }


def unit(s: Summary) -> str:
    """What the gains of the page are counted in."""
    about = s["outcome"]
    avoided = f"{about['column']} = {about['value']}" if about["lower_is_better"] else ""
    return unit_of(s["priced"], avoided)


def alternatives(s: Summary) -> list[tuple[str, str]]:
    """What the rule is compared with, and how to say it; not what it is itself."""
    rule, decision = s["rule"], s["decision"]
    if decision["rule"] == "ranking":
        return []
    beyond = "" if rule["everybody_affordable"] else ", which the budget does not allow"
    named = f" ({rule['everybody_treatment']})" if len(s["treatments"]) > 1 else ""
    words = {
        "nobody": "treating nobody",
        "everybody": f"treating everybody{named}{beyond}",
        "random": "the same number at random",
    }
    return [
        (name, text)
        for name, text in words.items()
        if rule["against"][name]["mean"] or rule["against"][name]["se"]
    ]


def _whom(s: Summary) -> Context:
    rule, priced = s["rule"], s["priced"]
    say = money if priced else points
    best = max(s["curve"], key=lambda point: point["mean"])
    all_treated = s["curve"][-1]
    if best is all_treated:
        caption = f"Treating everybody gives the most, {say(best['mean'])} {unit(s)}"
    else:
        caption = (
            f"The best {percent(best['share'])} give the most, {say(best['mean'])} {unit(s)}; "
            f"treating everybody gives {say(all_treated['mean'])}"
        )
    caption += ". The band holds for the whole curve; the dashed line is choice at random."
    against = [
        [
            f"the rule against {words}",
            estimate_of(rule["against"][name], say),
            estimate_of(rule["file"][name], money) if priced else "",
        ]
        for name, words in alternatives(s)
    ]
    costs = "; ".join(
        f"at {row['cost_times']:g} times the cost it treats {percent(row['share'])} and earns "
        f"{estimate_of(row['against']['nobody'], say)}"
        for row in s["sensitivity"]
    )
    ratio = "; ".join(
        f"{percent(row['share'])} below {row['ratio']:.4f}" for row in s["break_even"][::2]
    )
    return {
        "rule": _rule_in_words(s),
        "caption": caption,
        "picture": Markup(figures.profit(s)),
        "head": ["customers treated", "gain against nobody", "band"],
        "rows": [
            [
                percent(p["share"]),
                say(p["mean"]),
                f"{say(p['low'])} to {say(p['high'])}",
            ]
            for p in s["curve"][1::2]
        ],
        "against_head": ["", unit(s), "for the whole file" if priced else ""],
        "against": against,
        "sensitivity": f"If the cost is wrong: {costs}." if costs else "",
        "break_even": ""
        if priced
        else f"Treating the best pays as long as cost divided by value is: {ratio}.",
    }


def _rule_in_words(s: Summary) -> str:
    rule, decision = s["rule"], s["decision"]
    parts = [
        f"{arm}: {percent(share)}"
        for arm, share in rule["shares"].items()
        if len(rule["shares"]) > 1
    ]
    shares = f" ({', '.join(parts)})" if parts else ""
    treats = f"It treats {percent(rule['share'])} of customers{shares}."
    if decision["rule"] == "ranking":
        return (
            "Without a value and a cost nothing is decided; the curve says what each share gives."
        )
    if decision["rule"] == "nobody":
        return "The rule: treat nobody."
    if decision["rule"] == "arm":
        return f"The rule: everybody gets {decision['arm']}."
    if decision["rule"] == "top":
        return f"The rule: the best customers within the budget of {decision['budget']}. {treats}"
    return f"The rule: treat where value times predicted uplift exceeds the cost. {treats}"


def _worked(s: Summary) -> Context:
    control, *treated = s["effects"]
    said = [
        f"{row['arm']} changes {s['outcome']['column']} by {estimate_of(row['adjusted'], points)}"
        for row in treated
    ]
    return {
        "caption": f"{'; '.join(said)}, adjusted for the columns. Control has "
        f"{100 * control['rate']:.2f} %.",
        "picture": Markup(figures.rates(s)),
        "head": ["arm", "customers", "events", "rate", "effect, raw", "effect, adjusted"],
        "rows": [
            [
                row["arm"],
                f"{row['rows']:,}",
                f"{row['events']:,}",
                f"{100 * row['rate']:.2f} %",
                points(row["effect"]) if row["adjusted"] else "",
                estimate_of(row["adjusted"], points) if row["adjusted"] else "",
            ]
            for row in s["effects"]
        ],
    }


def _fair(s: Summary) -> Context:
    fair = s["fair"]
    say = {
        "fair": "Yes: the columns cannot tell the arms apart",
        "slightly predictable": "Nearly: the columns tell the arms apart a little, which is "
        "adjusted for",
        "not random": "No: the columns tell the arms apart",
    }[fair["verdict"]]
    largest = abs(fair["differences"][0]["value"]) if fair["differences"] else 0.0
    return {
        "caption": f"{say} (AUC {fair['auc']:.3f} ± {fair['se']:.3f} from {fair['columns']} "
        f"columns; 0.5 is a coin). The largest difference is {largest:.3f} standard deviations; "
        "the dashed lines are at 0.05.",
        "picture": Markup(figures.love(s)),
        "head": ["column", "arm", "difference"],
        "rows": [[d["name"], d["arm"], f"{d['value']:+.3f}"] for d in fair["differences"]],
        "months": [[m, f"{n:,}", f"{100 * share:.1f} %"] for m, n, share in fair["months"]],
    }
