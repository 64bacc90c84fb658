"""The sections about the model: can customers be told apart, who they are, which method."""

from collections import Counter
from typing import Any

from markupsafe import Markup

from suite.campaign import figures
from suite.campaign.say_numbers import estimate_of, money, percent, points

Summary = dict[str, Any]
Context = dict[str, Any]


def apart(s: Summary) -> Context:
    """Ten groups by prediction, and what the test of the slope says."""
    tells, groups = s["tells_apart"], s["groups"]
    best, worst = groups[0]["observed"], groups[-1]["observed"]
    needed = tells["rows_needed"]
    if tells["yes"]:
        ends = ("lowest", "highest") if s["outcome"]["lower_is_better"] else ("highest", "lowest")
        caption = (
            f"Yes: the tenth with the {ends[0]} predictions measures {estimate_of(best, points)}, "
            f"the tenth with the {ends[1]} {estimate_of(worst, points)}."
        )
        slope = tells["outer_slope"]
        text = (
            "Dots on the dashed line mean that predictions can be taken at face value."
            if slope is None
            else f"Measured effects rise by {slope['mean']:.2f} ({slope['low']:.2f} to "
            f"{slope['high']:.2f}) for each predicted point; 1 is right."
        )
    else:
        caption = "We cannot tell customers apart: every customer gets the average effect."
        rows = "no number of rows" if needed is None else f"about {needed:,} rows"
        text = (
            f"This file could have shown a difference of {points(tells['smallest_difference'])} "
            f"between the better and the worse half of customers. To see one of half the average "
            f"effect ({points(abs(tells['average_gain']) / 2)}) {rows} would be needed; it has "
            f"{s['rows']:,}."
        )
    return {
        "caption": caption,
        "text": text,
        "picture": Markup(figures.groups(s)),
        "head": ["group", "predicted", "measured"],
        "rows": [
            [f"{i}", points(g["predicted"]), estimate_of(g["observed"], points)]
            for i, g in enumerate(groups, start=1)
        ],
    }


def segments(s: Summary) -> Context | None:
    """The leaves of the tree in words."""
    rows = s["segments"]
    if not rows:
        return None
    return {
        "caption": f"Strongest in: {rows[0]['rule']}. The rules of a small tree "
        "that imitates the methods together, found on some customers and measured on others.",
        "picture": Markup(figures.segments(s)),
        "head": ["segment", "customers", "measured effect"],
        "rows": [
            [row["rule"], percent(row["share"]), estimate_of(row["effect"], points)] for row in rows
        ],
        "list": [
            {
                "letter": chr(65 + i),
                "text": f"{row['rule']}: {estimate_of(row['effect'], points)}, "
                f"{percent(row['share'])} of customers",
            }
            for i, row in enumerate(rows)
        ],
    }


def drivers(s: Summary) -> Context | None:
    """Loss of gain when a column is shuffled."""
    rows = s["drivers"]
    if not rows:
        return None
    clear = [row["column"] for row in rows if row["loss"]["mean"] > row["noise"]]
    said = ", ".join(clear) if clear else "no single column"
    return {
        "caption": f"The ranking rests on {said}. Bars beyond the black line exceed what chance "
        "gives one time in twenty.",
        "picture": Markup(figures.drivers(s)),
        "head": ["column", "loss per 1,000", "predicted effect"],
        "rows": [
            [
                row["column"],
                f"{row['loss']['mean']:.2f} ({row['loss']['low']:.2f} to "
                f"{row['loss']['high']:.2f})",
                row["direction"],
            ]
            for row in rows
        ],
    }


def methods(s: Summary) -> Context | None:
    """Every method alone, by its Qini area."""
    rows, seconds = s["methods"], s["this_run"]["methods"]
    if not rows:
        return None
    level = [row["name"] for row in rows if row["level"]]
    if len(rows) == 1:
        caption = f"Only {rows[0]['name']} was fitted."
    elif len(level) == 1:
        caption = f"{level[0]} is ahead of all others."
    else:
        caption = f"Level with the best: {', '.join(level)}."
    say = money if s["priced"] else points
    chosen = s["chosen_method"]
    return {
        "caption": f"{caption} The final model is {chosen}.",
        "picture": Markup(figures.methods(s)),
        "head": [
            "method",
            "gain at the rule's share",
            "Qini area per 1,000",
            "difference to the best",
            "CPU seconds",
        ],
        "rows": [
            [
                row["name"],
                estimate_of(row["gain"], say),
                f"{row['area']['mean']:.2f} ({row['area']['low']:.2f} to "
                f"{row['area']['high']:.2f})",
                "the best"
                if i == 0
                else f"{row['behind']['mean']:.2f} ({row['behind']['low']:.2f} to "
                f"{row['behind']['high']:.2f}){', level' if row['level'] else ''}",
                f"{seconds.get(row['name'], 0.0):.0f}",
            ]
            for i, row in enumerate(rows)
        ],
    }


def methods_notes(s: Summary) -> list[str]:
    """What was left out, what failed, what the folds chose."""
    notes = [f"{name} failed: {error}" for name, error in s["failed"].items()]
    late = s["this_run"]["left_out"]
    tried = ", ".join(f"{name} ({n:,.0f} s)" for name, n in late.items() if n is not None)
    if tried:
        notes.append(f"Left out for time, with the seconds that they would need: {tried}.")
    untried = ", ".join(name for name, n in late.items() if n is None)
    if untried:
        notes.append(f"Not tried, because time was over (--time): {untried}.")
    counts = Counter(s["chosen_in_folds"])
    folds = ", ".join(f"{name} in {n}" for name, n in counts.most_common())
    return [
        *notes,
        f"The numbers of this page belong to the procedure. Its choice: {folds} of "
        f"{len(s['chosen_in_folds'])} folds.",
    ]


def appendix(s: Summary) -> list[list[str]]:
    """Qini measures of the suite, and what made the page."""
    about = s["about"]
    q = s["appendix"]
    return [
        ["q, in per cent", f"{q['q']:.3f}"],
        ["rho", f"{q['rho']:.3f}"],
        ["q_adj", f"{q['q_adj']:.3f}"],
        ["command", s["this_run"]["command"]],
        ["seed, folds", f"{about['seed']}, {about['folds']}"],
        ["versions", ", ".join(f"{name} {v}" for name, v in about["versions"].items())],
        ["sha256 of the file", s["file"]["sha256"]],
        ["seconds", f"{s['this_run']['seconds']:.0f}"],
    ]
