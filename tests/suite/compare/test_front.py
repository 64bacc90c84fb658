"""The sentences of the front page say what the tables say."""

import re
from collections import Counter

import pytest

from suite.compare.frame import frame_of
from suite.compare.judging import judge_all
from suite.compare.means import mean_of
from suite.plan import paper
from suite.plan.experiments import SCENARIOS, VARIANTS
from suite.publish.columns import Published
from suite.show.findings import cells, claims, frames
from suite.show.tables.beyond import beyond
from suite.show.tables.claims import claims_table
from suite.show.tables.simulated import t7


@pytest.fixture(scope="module")
def published() -> Published:
    return Published()


def test_claims_are_counted_by_their_own_measure(published: Published) -> None:
    lines = claims_table(published, VARIANTS[0]).tidy
    verdicts = {(line["claim"], line["measure"]): line["verdict"] for line in lines}
    sentence = claims(judge_all(lambda name: frames(published, name)))
    on_truth, on_q_adj, others = re.split(r"Judged by q_adj|about other numbers", sentence)
    for measures, text in (
        (("regret",), on_truth),
        (("q_adj",), on_q_adj),
        (("m_hat", "test q_adj / training q_adj"), others),
    ):
        own = [verdict for (_, measure), verdict in verdicts.items() if measure in measures]
        for word in ("supported", "contradicted"):
            said = re.search(rf"(\d+) (?:is|are) {word}", text)
            asked = sum(verdict.startswith(word) for verdict in own)
            assert (int(said.group(1)) if said else 0) == asked, (text, word)


def test_interim_verdicts_of_the_main_table_are_counted(published: Published) -> None:
    words = Counter(line["verdict"] for line in t7(published, VARIANTS[0]).tidy)
    interim = sum(n for word, n in words.items() if word.endswith("(interim)"))
    said = re.search(r"(\d+) of the verdicts are interim", cells(published))
    assert (int(said.group(1)) if said else 0) == interim


def test_gains_beyond_the_paper_are_over_its_best_row_by_the_truth(published: Published) -> None:
    marked = " (least regret of the paper's rows)"
    shown = [row[0].markdown for row in beyond(published, VARIANTS[0]).rows]
    named = [text.removesuffix(marked) for text in shown if text.endswith(marked)]
    best = []
    for name in SCENARIOS:
        source = frame_of(published.column(name, VARIANTS[0]))
        runs = {row: source.shown(paper.method_of(row)) for row in paper.rows("T7")}
        regret = {
            row: mean_of(own, lambda run: run.regret).value for row, own in runs.items() if own
        }
        best.append(min(regret, key=regret.get))
    assert named == best
