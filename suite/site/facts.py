"""What a method or data set says of itself: docstrings as HTML, and lines of docs/baselines.md."""

import html
import inspect
import re
import sys
from functools import cache

from baselines.contract import Method
from suite.plan.digest import ROOT

Markup = str
ASIDE = ("Differences", "Library:", "Known weakness")  # paragraphs about a port, not the method


def prose(text: str) -> Markup:
    """Plain text of a docstring: paragraphs, indented equations, lists."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if re.match(r"\s{4,}", block):
            out.append(f"<pre>{html.escape(inspect.cleandoc(block))}</pre>")
            continue
        lead, items, ordered = _items(block)
        out += [f"<p>{_inline(lead)}</p>"] if lead else []
        if items:
            tag = "ol" if ordered else "ul"
            body = "".join(f"<li>{_item(item)}</li>" for item in items)
            out.append(f"<{tag}>{body}</{tag}>")
    return "\n".join(out)


def about(cls: type[Method]) -> tuple[Markup, Markup]:
    """What the method is, and how it differs from its reference: from its file and its class."""
    module = inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "")
    blocks = re.split(r"\n\s*\n", module)
    aside = [block for block in blocks if block.startswith(ASIDE)]
    first, *others = [block for block in blocks if block not in aside]
    own = inspect.cleandoc(cls.__doc__ or "")
    what = "\n\n".join([first, f"`{cls.name}`: {own}", *others])
    return prose(what), prose("\n\n".join(aside))


@cache
def _page_lines() -> tuple[str, ...]:
    return tuple((ROOT / "docs" / "baselines.md").read_text().splitlines())


def port(name: str) -> tuple[list[str], list[list[str]]]:
    """How near the port comes to the reference: head and lines of docs/baselines.md."""
    lines = _page_lines()
    begin, end = (f"<!-- reference: {word} -->" for word in ("begin", "end"))
    if begin not in lines or end not in lines:
        return [], []
    table = lines[lines.index(begin) + 1 : lines.index(end)]
    found = [[f.strip(" *") for f in line.strip("|").split("|")] for line in table]
    rows = [row for row in found[2:] if row[0] == name]
    return found[0] if rows else [], rows


def origin(name: str) -> str:
    """The line on where a method comes from, as one sentence."""
    for line in _page_lines():
        fields = [f.strip() for f in line.strip("|").split("|")]
        names = re.findall(r"`([^`]+)`", fields[0])
        wild = any(n.endswith("*") and name.startswith(n[:-1]) for n in names)
        if len(fields) == 4 and (name in names or wild):
            _, ran, here, tuned = (re.sub("`", "", f) for f in fields)
            return f"The paper ran {ran}; here it is {here}. Tuned: {tuned}."
    return ""


def _items(block: str) -> tuple[str, list[list[str]], bool]:
    """The lines before a list, and its items, each with its lines."""
    lead, items, ordered = [], [], False
    for line in block.splitlines():
        mark = re.match(r"(-|\d+\.) ", line)
        if mark:
            ordered = mark[1] != "-"
            items.append([line[mark.end() :]])
        elif items:
            items[-1].append(line)
        else:
            lead.append(line.strip())
    return " ".join(lead), items, ordered


def _item(lines: list[str]) -> Markup:
    """The text of an item; what is indented further is an equation."""
    text = " ".join(line.strip() for line in lines if not line.startswith("     "))
    equation = [line.strip() for line in lines if line.startswith("     ")]
    return _inline(text) + (f"<pre>{html.escape(chr(10).join(equation))}</pre>" if equation else "")


def _inline(text: str) -> Markup:
    text = html.escape(text)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"https?://[^\s)]+[^\s).,]", r'<a href="\g<0>">\g<0></a>', text)
