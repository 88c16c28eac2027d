"""Makes the reference pages: commands and methods from the output of the command ($GANTRY), Python from the docstrings."""

import ast
import os
import re
import subprocess

from mkdocs.exceptions import PluginError
from plain_docstrings import as_markdown

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(TREE, "python", "gantry")
KINDS = {
    "solver": "Parameters: solvers, analytic methods",
    "projector": "Parameters: projectors",
    "penalty": "Parameters: penalties, denoisers",
    "step": "Parameters: steps of preparation",
    "weights": "Parameters: weights",
    "preset": "Parameters: presets",
    "format": "Names of file formats",
}
WHOLE = ("weights", "preset")  # one help text for all names


def gantry(*arguments):
    """Returns the output of the command."""
    command = os.environ.get("GANTRY", os.path.join(TREE, "build", "gantry"))
    try:
        return subprocess.run([command, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise PluginError(f"{' '.join([command, *arguments])}: {error}; the references need the command: build it first") from error


def listed(text):
    """Returns (name, sentence) of the lines of a list."""
    return re.findall(r"^ *([a-z][\w-]*) {1,}(\S.*)$", text, re.M)


def plain(text):
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", text).replace("<", "&lt;")


def commands():
    """Returns the pages of the commands, in their groups."""
    index = ["# Options of the commands\n\nGenerated from the option tables of the command. [Commands](../../commands.md) explains methods and limits.\n"]
    pages = {"reference/commands/index.md": ""}
    for line in gantry("help").splitlines()[1:]:
        found = re.match(r"  ([a-z]+) +(\S.*)", line)
        if found:
            pages[f"reference/commands/{found[1]}.md"] = gantry("help", found[1], "--markdown")
            index.append(f"| [{found[1]}]({found[1]}.md) | {plain(found[2])} |\n")
        elif re.match(r"[A-Z]", line):
            index.append(f"\n## {line}\n\n| command | purpose |\n|---|---|\n")
    pages["reference/commands/index.md"] = "".join(index)
    return pages


def parameters(text):
    """Returns the help on a module, with the parameters as a list."""
    out = []
    for line in text.splitlines()[1:]:
        found = re.match(r"  ([a-z][\w-]*) {2,}(\S.*)", line)
        if found:
            out.append(f"`{found[1]}`\n:   {plain(found[2])}\n\n")
        elif line.strip():
            out.append(f"`{line.strip()}`\n\n" if line.startswith("  ") else plain(line) + "\n")
    return "".join(out) + "\n"


def methods():
    """Returns a page per kind of module, with all parameters."""
    pages = {"reference/methods/index.md": ""}
    index = ["# Parameters of the methods\n\nAs `gantry help KIND NAME` prints them.\n\n| kind | names |\n|---|---|\n"]
    for kind, title in KINDS.items():
        text = gantry("help", kind)
        out = [f"# {title}\n\n"]
        if kind in WHOLE:
            out.append(f"```text\n{text}```\n")
            names = [name for name, _ in listed(text.split("\n\n")[0])]
        else:
            found = listed(text.split("\n\n")[0])
            names = [name for name, _ in found]
            for name, about in found:
                out.append(f"## {name}\n\n{plain(about)}\n\n" + parameters(gantry("help", kind, name)))
        pages[f"reference/methods/{kind}.md"] = "".join(out)
        index.append(f"| [{kind}]({kind}.md) | {', '.join(f'`{name}`' for name in names)} |\n")
    pages["reference/methods/index.md"] = "".join(index)
    return pages


def parsed(name):
    with open(os.path.join(PACKAGE, name), encoding="utf-8") as f:
        text = f.read()
    return text, ast.parse(text)


def exported(tree):
    """Returns the literal names of __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [constant.value for constant in node.value.elts]
    return []


def public(tree):
    return [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")]


def module_page(module, names, whole):
    """Returns the page of a module. whole: names belong to the module, not to `import gantry`."""
    file = module.replace(".", "/")
    _, tree = parsed(file + ".py")
    about = (ast.get_docstring(tree) or "").split("\n\n")[0]
    said = {getattr(node, "name", None): ast.get_docstring(node) for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}  # the last of overloads
    missing = [name for name in names if name in said and not said[name]]
    if missing:
        raise PluginError(f"python/gantry/{file}.py: no docstring of {', '.join(missing)}")
    title = f"gantry.{module}" if whole else f"Python: {module}"
    return f"# {title}\n\n{as_markdown(' '.join(about.split()))}\n\n" + "".join(f"::: gantry.{module}.{name}\n\n" for name in names)


def named_page():
    """Returns the page of the generated functions and classes."""
    out = ["# Python: methods by name\n\nEach is a function of `gantry`, as `gantry.os_sart(A, b, iterations=5)`; solvers and analytic methods are also\n"
           "classes, as `gantry.OSSART(iterations=5)`. Keywords and defaults are the parameters in the tables. Common arguments are those of\n"
           "`gantry.solve`, `gantry.analytic` and `gantry.Penalty`.\n\n"]
    for kind in ("solver", "penalty"):
        for name, line in listed(gantry("help", kind).split("\n\n")[0]):
            own = name.replace("-", "_")
            made = "" if kind == "penalty" else f", `{name.replace('-', '').upper()}`"
            out.append(f"## `{own}`{made} {{#gantry.{own}}}\n\n{plain(line)}: [parameters](../methods/{kind}.md#{name})\n\n")
    return "".join(out)


def python():
    """Returns a page per module of the package, with its names in `import gantry`."""
    _, tree = parsed("__init__.py")
    names = exported(tree)
    # Includes the conditional imports for type checkers; these names are loaded on first use.
    groups = [(node.module, [a.name for a in node.names if a.name in names], False) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    groups += [(module, public(parsed(module.replace(".", "/") + ".py")[1]), True) for module in ("torch", "interop.astra")]
    shown = {name for _, listed_names, _ in groups for name in listed_names} | {"__version__"}
    if set(names) - shown:
        raise PluginError(f"of gantry.__all__ the reference has no page for {', '.join(sorted(set(names) - shown))}")
    pages = {"reference/python/index.md": ""}
    pages.update({f"reference/python/{module}.md": module_page(module, which, whole) for module, which, whole in groups if which})
    pages["reference/python/methods.md"] = named_page()
    index = ["# Reference of the Python package\n\nFrom the docstrings. [The Python package](../../python.md) explains their use.\n\n",
             "| page | names |\n|---|---|\n"]
    index += [f"| [{module}]({module}.md) | {', '.join(f'`{name}`' for name in which)} |\n" for module, which, _ in groups if which]
    index.append("| [methods](methods.md) | every solver, analytic method and penalty |\n")
    pages["reference/python/index.md"] = "".join(index)
    return pages
