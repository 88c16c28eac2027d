"""Converts docstrings (plain text with numpydoc sections) to Markdown: text in backquotes and examples are code."""

import re

import griffe


def as_markdown(text):
    """Escapes brackets, stars and underscores. Numpydoc sections become lists, examples code blocks."""
    first, *others = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.M)
    parts = [examples(first)]
    for head, body in zip(others[::2], others[1::2]):
        parts.append(f"\n\n**{head}**\n\n" + (examples(body) if head == "Examples" else rows(body)))
    return "".join(parts)


def examples(text):
    """Converts examples, from >>> to the next empty line, to code blocks."""
    blocks = re.split(r"((?:^>>> .*\n?(?:^(?=\S).*\n?)*)+)", text, flags=re.M)
    return "".join(f"\n```pycon\n{block.rstrip()}\n```\n\n" if block.startswith(">>>") else escaped(block) for block in blocks)


def rows(text):
    """Converts the rows "name : type" of a section with their indented texts to a list."""
    found = re.findall(r"^(\S.*)\n?((?:^[ ]{4}.*\n?)*)", text, flags=re.M)
    items = [(*head.partition(" : "), " ".join(about.split())) for head, about in found]
    return "".join(f"* `{name}`{f' ({escaped(kind)})' if kind else ''}{f': {escaped(about)}' if about else ''}\n" for name, _, kind, about in items) + "\n"


def escaped(text):
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]])", r"\\\1", part).replace("<", "&lt;") for part in parts)


class PlainDocstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)
