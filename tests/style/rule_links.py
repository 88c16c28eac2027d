"""Links of the documents: every relative one leads to a file or folder of the tree, and every #anchor to a heading of that page."""

import html
import os
import re
import urllib.parse

FENCE = re.compile(r" {0,3}(```+|~~~+)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINED = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*(?:\"[^\"]*\")?$")
NAMED = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"")
PLACE = re.compile(r"\b(?:id|name)=\"([^\"]+)\"")


def prose(text):
    """The lines of a page with their numbers, without blocks of code and code between backquotes."""
    end = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and (end is None or (fence[1].startswith(end) and not line.strip(" `~"))):
            end = None if end else fence[1]
        elif end is None:
            yield number, line


def anchors(text):
    """What headings are called in addresses: letters, digits, _ and - in lower case, blanks as -, -1 and on where one is there already."""
    found = {}
    for _, line in prose(text):
        for place in PLACE.findall(line):
            found.setdefault(place, 1)
        heading = re.match(r" {0,3}#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            words = html.unescape(re.sub(r"<[^>]+>", "", words)).lower()
            name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            again = found.get(name, 0)
            found[name] = again + 1
            if again:
                found[f"{name}-{again}"] = 1
    return found


def targets(text):
    for number, line in prose(text):
        line = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda code: "x" * len(code[0]), line)
        for pattern in (LINK, DEFINED, NAMED):
            for target in pattern.findall(line):
                yield number, html.unescape(target)


def measure(tree):
    found = {}
    pages = [name for name in tree.files if name.endswith(".md")]
    known = {name: anchors(tree.text(name)) for name in pages}
    there = set(tree.files)
    for name in tree.files:
        while os.path.dirname(name) not in there and os.path.dirname(name):
            name = os.path.dirname(name)
            there.add(name)
    for page in pages:
        for number, target in targets(tree.text(page)):
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
                continue
            path, _, anchor = target.partition("#")
            path = urllib.parse.unquote(path)
            where = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if where not in there and where != ".":
                found["dead", f"{page}:{number}:{target}"] = 1, f"a link that leads to no file of the tree: {where}"
            elif anchor and where in known and urllib.parse.unquote(anchor) not in known[where]:
                found["dead", f"{page}:{number}:{target}"] = 1, f"{where} has no heading '{anchor}'"
    return found


FINE = {
    "README.md": "# Top\n[a](docs/a.md) [b](docs/a.md#two-words-dd) [c](#top) ![p](docs/p.png) [d](docs/) [e](https://example.org/no.md#x)\n",
    "docs/a.md": "# One\n## Two words: `dd`\n## One\n[up](../README.md#top) [again](#one-1)\n```sh\n# [no](none.md)\n```\n`[x](y.md)`\n[r]: a.md\n",
    "docs/p.png": "",
}
FAULTS = {
    "file": {"docs/b.md": "[x](c.md)\n"},
    "anchor": {"docs/b.md": "[x](a.md#three)\n"},
    "own anchor": {"docs/b.md": "# B\n[x](#c)\n"},
    "picture": {"docs/b.md": "![x](q.png)\n"},
    "definition": {"docs/b.md": "[r]: gone.md\n"},
    "markup": {"docs/b.md": '<img src="gone.png">\n'},
    "after code": {"docs/b.md": "```sh\n```\n[x](c.md)\n"},
    "from the root": {"docs/b.md": "[x](docs/a.md)\n"},
    "out of the tree": {"README.md": "[x](../a.md)\n"},
}
