"""Docstrings are plain text: only what stands between backquotes, and blocks that are indented, is code on the site."""

import re

import griffe


def as_markdown(text):
    """Text in which brackets, stars and low lines are themselves; lines after >>> are a block of code."""
    blocks = re.split(r"((?:^>>> .*\n?)+)", text, flags=re.M)
    return "".join(f"\n```python\n{block.rstrip()}\n```\n\n" if block.startswith(">>>") else escaped(block) for block in blocks)


def escaped(text):
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]])", r"\\\1", part).replace("<", "&lt;") for part in parts)


class PlainDocstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)
