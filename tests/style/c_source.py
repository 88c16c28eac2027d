"""Reads C, C++ and CUDA sources as far as the rules of tests/style need it: comments, code without them, functions, definitions.

Nothing is compiled. Comments and the contents of strings are blanked in place, so that lines and columns stay what they are."""

import bisect
import re

SUFFIXES = (".c", ".h", ".cpp", ".cu", ".cuh", ".inc", ".def")
TOKENS = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.M | re.S)
TYPE = re.compile(r"typedef\b|(?:(?:static|const|extern|volatile)\s+)*(?:struct|union|enum)\b[^()]*$")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else"}


def blank(text):
    return re.sub(r"[^\n]", " ", text)


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.comments = []  # (first character, one past the last)
        self.code = TOKENS.sub(self._token, text)  # no comments, strings are "   "
        self._starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.lines = text.split("\n")
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        self._statements = None
        self.plain = DIRECTIVE.sub(self._directive, self._first_branches())  # neither comments nor directives

    def _token(self, found):
        token = found.group()
        if token[0] == "/":
            self.comments.append((found.start(), found.end()))
            return blank(token)
        return token[0] + blank(token[1:-1]) + token[-1]

    @staticmethod
    def _directive(found):
        return blank(found.group())

    def _first_branches(self):
        """Of #if ... #else ... #endif, the first branch: the braces of both together would not match."""
        out, hidden = [], []
        for line in self.code.split("\n"):
            word = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b", line)
            if word and word.group(1) in ("if", "ifdef", "ifndef"):
                hidden.append(False)
            elif word and word.group(1) in ("elif", "else") and hidden:
                hidden[-1] = True
            elif word and word.group(1) == "endif" and hidden:
                hidden.pop()
            out.append(blank(line) if any(hidden) and not word else line)
        return "\n".join(out)

    def line(self, position):
        return bisect.bisect_right(self._starts, position)

    def statements(self):
        """What stands at the outermost level: (first character, text before the brace or semicolon, brace, end)."""
        if self._statements is None:
            self._statements = list(self._find_statements())
        return self._statements

    def _find_statements(self):
        code, start, i, n = self.plain, 0, 0, len(self.plain)
        outer = re.compile(r"[;{}]")
        while True:
            found = outer.search(code, i)
            if not found:
                return
            i = found.end()
            before = code[start:found.start()]
            if found.group() == "{":
                if re.fullmatch(r'\s*(extern\s*"[^"]*"|namespace\b[\w\s:]*)\s*', before):
                    start = i
                    continue
                end = self._closing(i)
                if TYPE.match(before.strip()) or "=" in re.sub(r"\([^()]*\)", "", before):
                    semicolon = code.find(";", end)
                    semicolon = n if semicolon < 0 else semicolon
                    yield start + len(before) - len(before.lstrip()), before, found.start(), semicolon + 1
                    i = start = semicolon + 1
                    continue
                yield start + len(before) - len(before.lstrip()), before, found.start(), end
                i = start = end
            else:
                if found.group() == ";" and before.strip():
                    yield start + len(before) - len(before.lstrip()), before, None, i
                start = i

    def _closing(self, i):
        depth = 1
        for found in re.compile(r"[{}]").finditer(self.plain, i):
            depth += 1 if found.group() == "{" else -1
            if depth == 0:
                return found.end()
        return len(self.plain)

    def functions(self):
        """(name, first line, number of lines, number of parameters, text before the parameters) of each function's definition."""
        for start, before, brace, end in self.statements():
            if brace is None or not before.rstrip().endswith(")") or TYPE.match(before.strip()):
                continue
            close = len(before.rstrip()) - 1
            depth, open_ = 0, close
            while open_ >= 0:
                depth += {")": 1, "(": -1}.get(before[open_], 0)
                if depth == 0:
                    break
                open_ -= 1
            name = re.search(r"(\w+)\s*(\([^()]*\))?\s*$", before[:open_])
            if open_ <= 0 or not name or name.group(1) in NOT_FUNCTIONS:
                continue
            arguments = before[open_ + 1:close]
            label = name.group(1) + re.sub(r"\s", "", name.group(2) or "")
            if label == "START_TEST" or re.fullmatch("GT_TESTS?(_IN|_ALIKE)?", label):
                label = arguments.split(",")[0].strip()
            first = self.line(start)
            yield label, first, self.line(end - 1) - first + 1, count_parameters(arguments), before[:open_]

    def definitions(self):
        """(kind, name, line) of each struct, union, enum tag and typedef name that is defined here; forward typedefs are not."""
        for start, before, brace, end in self.statements():
            tag = re.search(r"\b(struct|union|enum)\s+(\w+)\s*$", before) if brace is not None else None
            if tag:
                yield "tag", tag.group(2), self.line(start)
            if re.match(r"\s*typedef\b", before):
                if brace is None and re.fullmatch(r"\s*typedef\s+(struct|union|enum)\s+(\w+)\s+\2\s*", before):
                    continue
                whole = self.plain[start:end - 1]
                pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", whole) if brace is None else None
                name = pointer or re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", whole)
                if name:
                    yield "typedef", name.group(1), self.line(start)

    def prototypes(self):
        """(name, line) of each function that is declared and not defined."""
        for start, before, brace, _ in self.statements():
            if brace is not None or re.match(r"\s*typedef\b", before):
                continue
            name = re.search(r"(\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)|GT_PRINTF\s*\([^)]*\)", "", before))
            if name and "=" not in before:
                yield name.group(1), self.line(start)

    def in_comment(self):
        """For each line, whether it holds a comment and nothing else."""
        code = self.code.split("\n")
        return [bool(line.strip()) and not code[i].strip() for i, line in enumerate(self.lines)]


def count_parameters(text):
    if text.strip() in ("", "void"):
        return 0
    depth, commas = 0, 0
    for c in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
        commas += c == "," and depth == 0
    return commas + 1


def width(line):
    return len(line.expandtabs(8))
