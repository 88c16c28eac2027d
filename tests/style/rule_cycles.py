"""Files that call each other in a circle: three at most. Calls by function pointers do not count."""

import collections
import re

FILES = 3
CALL = re.compile(r"(?<![\w.>])(\w+)\s*\(")


def unit(name):
    """foo.c, foo_cpu.c and foo_cuda.cu are one unit, foo."""
    return re.sub(r"(_cpu|_cuda|_mpi|_none)?\.\w+$", "", name)


def calls(tree):
    """{unit: units whose functions it calls}, of the sources of the library and the command."""
    sources = [s for s in tree.sources(*tree.product()) if s.path.endswith((".c", ".cpp", ".cu"))]
    where = collections.defaultdict(set)
    for source in sources:
        for name, _, _, _, before in source.functions():
            if not re.search(r"\bstatic\b", before):
                where[name].add(unit(source.path))
    graph = collections.defaultdict(set)
    for source in sources:
        here = unit(source.path)
        own = {name for name, _, _, _, _ in source.functions()}
        for name in set(CALL.findall(source.plain)) - own:
            if len(where[name]) == 1:
                graph[here] |= where[name] - {here}
    return graph


def cycles(graph):
    """Tarjan's algorithm (SIAM J. Comput. 1 (1972) 146): groups of units that reach each other."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        work = [(node, iter(sorted(graph.get(node, ()))))]
        number[node] = low[node] = len(number)
        stack.append(node)
        while work:
            here, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in stack:
                    low[here] = min(low[here], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == number[here]:
                    at = stack.index(here)
                    found.append(sorted(stack[at:]))
                    del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def measure(tree):
    found = {}
    for group in cycles(calls(tree)):
        if len(group) > FILES:
            found["files", group[0]] = len(group), f"{len(group)} files call each other in a circle; {FILES} at most: {' '.join(group)}"
    return found


def circle(*names, prefix="gt_"):
    """Each file calls the next, and the last the first."""
    files = {}
    for k, name in enumerate(names):
        function, other = f"{prefix}{k}", f"{prefix}{(k + 1) % len(names)}"
        files[name] = f"/* A file. */\nint {other}(int a);\nint {function}(int a)\n{{\n\treturn a ? {other}(a - 1) : 0;\n}}\n"
    return files


FINE = {
    **circle("core/a.c", "core/b.c", "core/c.c"),
    "core/down.c": "int gt_down(int a)\n{\n\treturn gt_0(a);\n}\n",
    "core/member.c": "int gt_member(struct ops *o)\n{\n\treturn o->gt_down(0);\n}\n",
}
FAULTS = {
    "four files": circle("core/a.c", "core/b.c", "core/c.c", "core/d.c"),
    "two modules": circle("recon/a.c", "recon/b.c", "team/c_cuda.cu", "core/d.c", prefix="gt_far_"),
    "two circles": {"core/b.c": "int gt_2(int a);\nint gt_4(int a);\nint gt_1(int a)\n{\n\treturn gt_2(a) + gt_4(a);\n}\n",
                    "core/d.c": "int gt_1(int a);\nint gt_4(int a)\n{\n\treturn gt_1(a);\n}\n"},
}
