"""Adds to the site: README, CONTRIBUTING and CHANGELOG, the references, and linked files of the tree."""

import os
import posixpath
import re
import sys
import urllib.parse

from mkdocs.structure.files import File

sys.dont_write_bytecode = True
SITE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(SITE))
sys.path[:0] = [SITE, os.path.join(TREE, "tests", "style")]
import c_reference  # noqa: E402
import references  # noqa: E402
import rule_links  # noqa: E402

TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
BESIDE = {"docs/site/site.css": "site.css", "docs/site/worker.js": "iframe-worker.js"}
HEADERS = "include/gantry"


def place_of(path):
    """Returns the path of a file of the tree on the site."""
    if path in TOP:
        return TOP[path]
    if path == HEADERS:
        return "reference/c/index.md"
    if path.startswith(HEADERS + "/"):
        return f"reference/c/{path[len(HEADERS) + 1 : -2]}.md"
    if path.startswith("docs/"):
        return path[len("docs/") :]
    return f"tree/{path}.txt"


def laid_out(line, inside, out, prose):
    """Converts a line to the list syntax of the generator: an empty line before a list, and items indented by 4. inside: the
    indentation in the tree, 0 outside of lists; out: previous lines, which may get an empty one. Returns the line and the next `inside`."""
    marker = re.match(r"([*-]|\d+\.) +(?=\S)", line) if prose else None
    before = out[-1].strip() if out else ""
    if marker:
        if before and (not inside or before.startswith("```")):
            out.append("")
        return line, len(marker[0])
    if inside and line.startswith(" " * inside):
        return " " * (4 - inside) + line, inside
    if inside and line.strip() and (not before or line.startswith(("```", "#", "|"))):
        inside = 0
    return line, inside


def relinked(text, page, linked):
    """Converts a page of the tree to the site with adapted links. Adds linked files of the tree to `linked`."""

    def target(found):
        whole, where = found[0], found[1]
        if re.match(r"[a-z][a-z0-9+.-]*:|//|#", where, re.IGNORECASE):
            return whole
        path, mark, anchor = where.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(path)))
        place = place_of(path)
        if place.startswith("tree/"):
            linked[place] = path
        return whole.replace(where, posixpath.relpath(place, posixpath.dirname(place_of(page)) or ".") + mark + anchor)

    text = re.sub(r"\A<!--.*?-->\n", "", text)  # else the heading below is not the title
    lines, prose = text.splitlines(), dict(rule_links.prose(text))
    out, inside = [], 0
    for number, line in enumerate(lines, 1):
        if number in prose:
            for pattern in (rule_links.LINK, rule_links.NAMED):
                line = pattern.sub(target, line)
        line, inside = laid_out(line, inside, out, number in prose)
        # A code block that names its file gets the name as a title.
        out.append(re.sub(r"^```(\w+) ([\w./]+)$", r'```\1 title="\2"', line))
    return "\n".join(out) + "\n"


def names_below(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)


def made_pages():
    """Returns the generated pages by their paths."""
    headers = c_reference.read_all(os.path.join(TREE, HEADERS))
    pages = {"reference/c/index.md": c_reference.index(headers)}
    pages.update({f"reference/c/{h.name[:-2]}.md": c_reference.page(h, headers) for h in headers})
    return {**pages, **references.commands(), **references.methods(), **references.python()}


def expanded(nav, pages):
    """Expands folders in the list of pages to their generated pages."""
    if isinstance(nav, list):
        return [expanded(item, pages) for item in nav]
    if isinstance(nav, dict):
        return {title: expanded(item, pages) for title, item in nav.items()}
    return [page for page in pages if page.startswith(nav)] if nav.endswith("/") else nav


def listed(nav):
    """Returns all pages in a list of pages."""
    if isinstance(nav, str):
        return [nav]
    return [page for item in (nav.values() if isinstance(nav, dict) else nav) for page in listed(item)]


def complete(nav, docs):
    """Appends unlisted pages: guides to the guide, others under the last title."""
    there = set(listed(nav))
    for folder, title in (("guide", "Guide"), ("", next(iter(nav[-1])))):
        names = [posixpath.join(folder, name) for name in sorted(os.listdir(os.path.join(docs, folder))) if name.endswith(".md")]
        next(item for item in nav if title in item)[title].extend(name for name in names if name not in there)
    return nav


def on_config(config):
    config.extra["made"] = made_pages()
    config.nav = complete(expanded(config.nav, config.extra["made"]), config.docs_dir)
    return config


def on_files(files, config):
    pages = dict(config.extra.pop("made"))
    linked = {}
    for path in TOP:
        with open(os.path.join(TREE, path), encoding="utf-8") as f:
            pages[TOP[path]] = relinked(f.read(), path, linked)
    for file in files.documentation_pages():
        relinked(file.content_string, "docs/" + file.src_uri, linked)
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    for place, path in {**{BESIDE[path]: path for path in BESIDE}, **linked}.items():
        whole = os.path.join(TREE, path)
        if os.path.isdir(whole):
            files.append(File.generated(config, place, content=f"Source files in {path}/:\n\n" + "\n".join(names_below(whole)) + "\n"))
        else:
            files.append(File.generated(config, place, abs_src_path=whole))
    return files


def on_page_markdown(markdown, page, config, files):
    return markdown if page.file.generated_by else relinked(markdown, "docs/" + page.file.src_uri, {})



def on_post_page(output, page, config):
    """Labels the search dialog of the theme for screen readers."""
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')


def on_post_template(output_content, template_name, config):
    """Removes the page for missing addresses: its absolute links need a server, and fail in a folder."""
    return "" if template_name == "404.html" else output_content
