"""Checks that the built site is complete and works offline. Links, pictures, scripts and anchors exist, and nothing is fetched from elsewhere. Each
page has a unique title, fits a phone and has alternative texts. Each command, public function and guide has its page.

python3 check_site.py HTML TREE [GANTRY]: HTML is the built folder, TREE the sources; prints faults and exits with 1. First it plants faults in a small
site, and must find them.
"""

import collections
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src", "source": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places, self.pictures, self.title, self.viewport, self.reads = [], set(), [], "", False, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.reads = tag == "title"
        self.places.update(value for key, value in attributes if key in ("id", "name") and value)
        self.viewport |= tag == "meta" and given.get("name") == "viewport"
        if tag == "img":
            self.pictures.append((given.get("src", ""), (given.get("alt") or "").strip()))
        if given.get(LINKS.get(tag)):
            self.links.append((tag, given[LINKS[tag]]))

    def handle_endtag(self, tag):
        self.reads = False

    def handle_data(self, data):
        if self.reads:
            self.title += data


def read(folder):
    """Returns the pages and the other files of a site."""
    pages, files = {}, set()
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), folder)
            files.add(path)
            if name.endswith(".html") and name != "404.html":
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    pages[path] = Page(f.read())
            elif name.endswith(".css"):
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    if re.search(r"url\(\s*['\"]?(https?:)?//|@import", f.read()):
                        yield f"{path}: a style that is fetched from elsewhere"
    yield pages, files


def wrong_links(pages, files):
    for name, page in pages.items():
        for tag, link in page.links:
            where = urllib.parse.urlsplit(link)
            if where.scheme or where.netloc:
                if tag != "a":
                    yield f"{name}: <{tag}> is fetched from elsewhere: {link}"
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(where.path))) if where.path else name
            if link.startswith("/"):
                yield f"{name}: a link from the root of a server: {link}"
            elif path not in files:
                yield f"{name}: a dead link: {link}"
            elif where.fragment and path in pages and urllib.parse.unquote(where.fragment) not in pages[path].places:
                yield f"{name}: a link to a missing anchor of {path}: {link}"


def wrong_pages(pages):
    titles = collections.defaultdict(list)
    for name, page in pages.items():
        titles[page.title.strip()].append(name)
        if not page.viewport:
            yield f"{name}: no viewport width for phones"
        for source, words in page.pictures:
            if not words:
                yield f"{name}: a picture without words: {source}"
    for title, names in titles.items():
        if not title or len(names) > 1:
            yield f"the title '{title}' is used by {', '.join(sorted(names))}"


def missing(pages, commands, functions, guides):
    for command in commands:
        if f"reference/commands/{command}.html" not in pages:
            yield f"the command {command} has no page of reference"
    for header, name in functions:
        page = pages.get(f"reference/c/{header}.html")
        if not page or name not in page.places:
            yield f"{name} of {header}.h has no entry in the reference of C"
    for guide in guides:
        if f"guide/{guide}.html" not in pages:
            yield f"docs/guide/{guide}.md is not on the site"


def exports(tree):
    """Returns (header, function) of all exported functions."""
    folder = os.path.join(tree, "include", "gantry")
    names = sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, files in os.walk(folder) for name in files)
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for found in re.findall(r"GT_API[^;(]*?\b(gt_\w+)\s*[(\[;]", text):
            yield name[:-2], found


def faults_of(folder, commands=(), functions=(), guides=()):
    *found, (pages, files) = read(folder)
    if not pages:
        return [f"{folder}: no pages"]
    return found + [*wrong_links(pages, files), *wrong_pages(pages), *missing(pages, commands, functions, guides)]


GOOD = '<title>%s</title><meta name="viewport" content="width=device-width"><h1 id="top">x</h1>'
FINE = {
    "index.html": GOOD % "One" + '<a href="reference/commands/info.html#top">a</a><a href="https://example.org/x">b</a><img src="p.png" alt="a head">',
    "reference/commands/info.html": GOOD % "Two" + '<a href="../../index.html">a</a><a href="#top">b</a>',
    "reference/c/a.html": GOOD % "Three" + '<a id="gt_a"></a>',
    "guide/b.html": GOOD % "Four",
    "p.png": "",
}
PLANTED = {
    "a dead link": {"x.html": GOOD % "x" + '<a href="none.html">a</a>'},
    "an anchor": {"x.html": GOOD % "x" + '<a href="index.html#none">a</a>'},
    "a script": {"x.html": GOOD % "x" + '<script src="https://example.org/a.js"></script>'},
    "a font": {"x.css": "@font-face { src: url(https://example.org/a.woff) }"},
    "a picture that is not there": {"x.html": GOOD % "x" + '<img src="q.png" alt="q">'},
    "a picture without words": {"x.html": GOOD % "x" + '<img src="p.png" alt="">'},
    "one title twice": {"x.html": GOOD % "One"},
    "no title": {"x.html": GOOD % ""},
    "no viewport": {"x.html": "<title>x</title>"},
    "a command": {"reference/commands/info.html": None},
    "a function": {"reference/c/a.html": GOOD % "Three"},
    "a guide": {"guide/b.html": None},
}


def planted():
    """Returns planted faults that are missed, and false reports."""
    for word, change in [("nothing", {}), *PLANTED.items()]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**FINE, **change}.items():
                if text is not None and not (word == "a command" and name == "index.html"):
                    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                        f.write(text)
            found = faults_of(folder, ["info"], [("a", "gt_a")], ["b"])
            if bool(found) != bool(change):
                yield f"planted {word}: found {found}"


def main(site, tree, command="gantry"):
    found = list(planted())
    overview = subprocess.run([command, "help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", overview, re.M)
    guides = [name[:-3] for name in os.listdir(os.path.join(tree, "docs", "guide")) if name.endswith(".md")]
    found += faults_of(site, commands, list(exports(tree)), guides)
    for line in found:
        print(line)
    print(f"{site}: {len(commands)} commands, {len(found)} faults")
    return bool(found) or not commands


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
