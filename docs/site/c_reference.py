"""Makes the reference of the C library from the public headers: a page per header, an anchor per name, each with its comment.

A comment belongs to the declarations that follow it up to an empty line (tests/style/heads.sh). Comments are reflowed, except indented lines and
columns.
"""

import html
import os
import posixpath
import re
from typing import NamedTuple

FUNCTION = re.compile(r"\b(gt_\w+)\s*\(")
DROPPED = re.compile(r'#ifdef __cplusplus\n(extern "C" \{|\})\n#endif\n')


class Part(NamedTuple):
    """Declarations that share a comment."""

    comment: str
    code: str
    names: list[str]


class Header(NamedTuple):
    name: str
    about: str
    includes: list[str]
    parts: list[Part]


def body_of(comment):
    """Returns the text of a comment without its marks, with the indentation of its lines."""
    lines = comment.strip()[2:-2].splitlines()
    lines = [lines[0].strip()] + [re.sub(r"^\s*\*( |$)", "", line) if re.match(r"\s*\*", line) else line.strip() for line in lines[1:]]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def split(text):
    """Yields ('comment' | 'blank' | 'directive' | 'code', text) for the top level of a header."""
    at = 0
    while at < len(text):
        if text[at] == "\n":
            yield "blank", "\n"
            at += 1
        elif text.startswith("/*", at):
            end = text.index("*/", at) + 2
            yield "comment", text[at:end]
            at = end + (text[end : end + 1] == "\n")
        elif text[at] == "#":
            end = re.compile(r"(?<!\\)\n").search(text, at).end()
            yield "directive", text[at:end]
            at = end
        else:
            end = declaration_end(text, at)
            yield "code", text[at:end]
            at = end


def declaration_end(text, at):
    """Returns the position after the last line of a declaration or an inline function."""
    depth, opened = 0, False
    while at < len(text):
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            continue
        c = text[at]
        depth += (c in "{(") - (c in "})")
        opened = opened or (c == "{")
        at += 1
        if depth == 0 and (c == ";" or (c == "}" and opened and re.match(r"[ \t]*(\n|/\*)", text[at:]))):
            break
    line = text.find("\n", at)
    rest = text[at:line]
    if "/*" in rest and "*/" not in rest:
        line = text.index("\n", text.index("*/", at))
    return line + 1 if line >= 0 else len(text)


def names_in(code):
    """Returns the kind of a declaration: function, type, constant, variable or macro."""
    bare = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    macro = re.match(r"#\s*define\s+(\w+)", bare)
    if macro:
        return [macro[1]]
    if re.match(r"\s*(typedef|enum|struct)\b", bare):
        found = re.findall(r"\(\*\s*(gt_\w+)\)", bare) if re.match(r"\s*typedef[^{]*\(\*", bare) else []
        last = re.search(r"\b(gt_\w+)\s*;\s*$", bare.strip())
        tag = re.match(r"\s*struct\s+(gt_\w+)\s*[;{]", bare)
        if last or tag:
            found += [(last or tag)[1]]
        listed = re.search(r"enum[^{]*\{(.*)\}", bare, re.S)
        return found + (re.findall(r"\b(GT_\w+)\b(?=\s*(?:=|,|$|\n))", listed[1].strip()) if listed else [])
    function = FUNCTION.search(bare.split("{")[0])
    if function:
        return [function[1]]
    variable = re.search(r"\b(gt_\w+)\s*(\[[^\]]*\])*\s*(=[^;]*)?;", bare)
    return [variable[1]] if variable else []


def without_body(code):
    """Reduces an inline function to its prototype."""
    if re.match(r"(GT_HD|static inline)\b", code) and "{" in code:
        return code[: code.index("{")].rstrip() + ";\n"
    return code


def read(path, name):
    text = DROPPED.sub("", open(path, encoding="utf-8").read())
    text = re.sub(r"\A#ifndef \w+\n#define \w+\n", "", text)
    text = re.sub(r"\n#endif\s*\Z", "\n", text)
    about, includes, parts, comment, code, names = "", [], [], "", "", []

    def close():
        nonlocal comment, code, names
        if code:
            parts.append(Part(comment, code.rstrip("\n"), names))
            comment, code, names = "", "", []

    begun = False
    for kind, piece in split(text):
        if kind == "blank":
            close()
            if comment and not begun and not about:
                about, comment = comment, ""
        elif kind == "comment":
            if comment and not code:
                if begun or about:
                    comment += "\n\n" + body_of(piece)
                else:
                    about, comment = comment, body_of(piece)
            else:
                close()
                comment = body_of(piece)
        elif kind == "directive" and not re.match(r"#\s*define", piece):
            close()
            included = re.match(r"#\s*include\s*<gantry/([\w/]+\.h)>", piece)
            includes += [included[1]] if included else []
            if comment and not begun and not about:
                about, comment = comment, ""
        else:
            begun = True
            code += without_body(piece)
            names += names_in(piece)
    close()
    return Header(name, about, includes, parts)


def read_all(folder):
    """All headers below the folder, each with its path from there as its name."""
    names = sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, files in os.walk(folder) for name in files if name.endswith(".h"))
    return [read(os.path.join(folder, name), name) for name in names]


def from_page(here, target):
    """The relative path from a page of the reference to another."""
    return posixpath.relpath(target, posixpath.dirname(here) or ".")


def flowing(text, link):
    """Returns the HTML of a comment: paragraphs, and preformatted indented lines and columns."""
    for paragraph in re.split(r"\n\s*\n", text):
        run, kept = [], None
        for line in paragraph.splitlines() + [None]:
            as_is = line is not None and bool(re.match(r" {2,}\S", line) or re.search(r"\S {3,}\S", line))
            if run and (line is None or as_is != kept):
                if kept:
                    yield "<pre>" + link("\n".join(run), False) + "</pre>\n"
                else:
                    yield "<p>" + link(" ".join(part.strip() for part in run), True) + "</p>\n"
                run = []
            kept = as_is
            if line is not None:
                run.append(line)


def linker(headers, here):
    """Converts names and documents in a text to links."""
    where = {name: header.name[:-2] + ".html" for header in headers for part in header.parts for name in part.names}

    def one(found, mark):
        name, left, right = found[0], *(("<code>", "</code>") if mark else ("", ""))
        if name.startswith("`"):
            return f"{left}{name[1:-1]}{right}"
        if name.startswith("docs/"):
            return f'<a href="{from_page(here, "../../" + name[5:-3])}.html">{name}</a>'
        bare = name.rstrip("()")
        if bare not in where:
            return f"{left}{name}{right}"
        page = "" if where[bare] == here else from_page(here, where[bare])
        return f'<a href="{page}#{bare}">{left}{name}{right}</a>'

    pattern = re.compile(r"`[^`]+`|docs/\w+\.md|\b(?:gt|GT)_\w+(?:\(\))?")
    return lambda text, mark: pattern.sub(lambda found: one(found, mark), html.escape(text, quote=False))


def page(header, headers):
    """Returns the Markdown of a header's page."""
    link = linker(headers, header.name[:-2] + ".html")
    out = [f"# gantry/{header.name}\n\n"]
    if header.about:
        out += ['<div class="comment">\n', *flowing(header.about, link), "</div>\n\n"]
    if header.includes:
        out.append("Includes " + ", ".join(f"[{name}]({from_page(header.name, name)[:-2]}.md)" for name in header.includes) + ".\n\n")
    met = set()
    for part in header.parts:
        names = [name for name in dict.fromkeys(part.names) if name not in met]
        met.update(names)
        shown = [name for name in names if not name.startswith("GT_")] or names[:1]
        if shown:
            first = shown[0]
            out += [f'<a id="{name}"></a>\n' for name in names if name != first]
            words = ", ".join(f"`{name}`" for name in shown[:4]) + (" ..." if len(shown) > 4 else "")
            out.append(f"\n## {words} {{#{first}}}\n\n")
        out += ["```c\n", part.code, "\n```\n\n"]
        if part.comment:
            out += ['<div class="comment">\n', *flowing(part.comment, link), "</div>\n\n"]
    return "".join(out)


def plain(text):
    """Escapes text for Markdown."""
    return re.sub(r"[|*_`\[\]]", lambda c: f"&#{ord(c[0])};", html.escape(text, quote=False))


def index(headers):
    """Returns the list of headers, each with its first sentence, and of all functions."""
    out = ["# Headers\n\n`#include <gantry/gantry.h>` includes all of them; each also compiles alone. [The library from C](../../library.md) explains their use.\n\n",
           "| header | contents |\n|---|---|\n"]
    for header in headers:
        about = header.about or next((part.comment for part in header.parts if part.comment), "")
        sentence = re.split(r"(?<=[.:])\s", " ".join(about.split()))[0].rstrip(":")
        out.append(f"| [{header.name}]({header.name[:-2]}.md) | {plain(sentence)} |\n")
    out.append("\n## All names\n\n")
    names = sorted((name, header.name[:-2]) for header in headers for part in header.parts for name in part.names if name.startswith("gt_"))
    out += [f"[`{name}`]({page}.md#{name})\n" for name, page in names]
    return "".join(out)
