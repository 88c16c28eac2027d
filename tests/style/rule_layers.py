"""Who may include whom: the table is cmake/rooms.txt, its reasons are in docs/design.md."""

import os
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<(gantry/[^>\n]*)>)', re.M)
ALL = "gantry/gantry.h"


def room_of(name, rooms):
    """The room in the list that holds this file: the longest that fits."""
    fits = [room for room in rooms if name.startswith(room + "/")]
    return max(fits, key=len) if fits else None


def allowed(room, quoted, rooms):
    if not re.search(r"\.(h|cuh|inc|def)$", quoted) or ".." in quoted.split("/"):
        return False
    if room == "include":
        return False
    target = room_of(quoted, rooms)
    return target is not None and (target == room or "*" in rooms[room][1] or not {target, quoted}.isdisjoint(rooms[room][1]))


def owners(rooms):
    """{public header: its room}"""
    return {word[1:-1]: room for room, (_, words) in rooms.items() for word in words if word.startswith("<")}


def is_above(other, room, rooms):
    """1: the other room belongs to a layer above this one."""
    layer, upper = rooms[room][0], rooms[other][0] if other in rooms else "0"
    return layer.isdigit() and upper.isdigit() and int(upper) > int(layer)


def measure(tree):
    rooms, found = tree.rooms(), {}
    owned = owners(rooms)
    tops = {room.split("/")[0] for room in rooms}
    for name in tree.files:
        top = name.split("/")[0]
        if "/" in name and not top.startswith(".") and top not in tops:
            found["folder", top] = 1, f"the folder {top}/ is not in cmake/rooms.txt"
    for source in tree.sources():
        room = room_of(source.path, rooms)
        if room is None:
            found["folder", source.path] = 1, "no room of cmake/rooms.txt holds this source"
            continue
        for quoted, public in INCLUDE.findall(source.text):
            if quoted and not allowed(room, quoted, rooms):
                found["include", f"{source.path} -> {quoted}"] = 1, f"{room}/ may not include this"
            elif quoted and is_above(room_of(quoted, rooms), room, rooms):
                found["include", f"{source.path} -> {quoted}"] = 1, f"{room}/ may not include headers of a layer above it"
            of = owned.get(source.path[len("include/"):]) if room == "include" else room
            if public and of and is_above(owned.get(public), of, rooms):
                found["include", f"{source.path} -> <{public}>"] = 1, f"{of}/ may not include headers of {owned[public]}/, which is above it"
        name = source.path[len("include/"):]
        if room == "include" and name not in owned and name != ALL:
            found["owner", source.path] = 1, "no room of cmake/rooms.txt has this public header"
        if room == "solvers" and source.path.endswith((".cu", ".cuh")):
            found["device", source.path] = 1, "solvers/ hold no device code"
        if rooms[room][0] in "01234" and "GT_HAVE_CUDA" in source.text and source.path != "core/device/backend.h":
            found["device", source.path] = 1, "only core/device/backend.h asks whether CUDA was compiled in"
    return found


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../cmake/rooms.txt"), encoding="utf-8") as table:
    ROOMS = table.read()
FINE = {
    "prepare/prepare.c": '#include "recon/noise/noise_estimate.h"\n',
    "projectors/dd/dd.c": '#include "projectors/dd/dd.h"\n',
    "apps/commands/recon/recon.c": '#include <gantry/io.h>\n#include "apps/cli/cli.h"\n',
    "recon/recon.c": '#include "geometry/vec3.h"\n#include <gantry/scan.h>\n',
    "core/device/backend.h": "#ifdef GT_HAVE_CUDA\n",
    "team/team.c": '#include "core/device/backend.h"\n#include <gantry/processes.h>\n',
    "solvers/cgls.c": '#include "team/team.h"\n',
    "tests/core/test_array.c": '#include "core/array.h"\n',
}
FAULTS = {
    "up": {"core/array.c": '#include "solvers/solver.h"\n'},
    "team": {"core/array.c": '#include "team/team.h"\n'},
    "team public": {"core/array.c": "#include <gantry/processes.h>\n"},
    "inside": {"solvers/cgls.c": '#include "team/team_impl.h"\n'},
    "calibration": {"recon/recon.c": '#include "calibration/correct.h"\n'},
    "listed above": {"cmake/rooms.txt": re.sub(r"(?m)^(prepare +)3", r"\g<1>2", ROOMS)},
    "strangers": {"projectors/dd/dd.c": '#include "io/format.h"\n'},
    "solver": {"solvers/cgls.c": '#include "projectors/projector.h"\n'},
    "app": {"phantoms/body.c": '  #  include "apps/cli/cli.h"\n'},
    "beside": {"core/array.c": '#include "array.h"\n'},
    "climb": {"core/array.c": '#include "core/../io/format.h"\n'},
    "source": {"core/array.c": '#include "core/linop.c"\n'},
    "public": {"include/gantry/array.h": '#include "core/device/backend.h"\n'},
    "scan": {"core/array.c": "#include <gantry/scan.h>\n"},
    "above": {"io/format.c": "#include <gantry/recon.h>\n"},
    "public above": {"include/gantry/grid.h": "#include <gantry/io.h>\n"},
    "owner": {"include/gantry/own.h": "int gt_own(void);\n"},
    "private": {"apps/commands/main.c": '#include "io/sink.h"\n'},
    "engine": {"recon/recon.c": '#include "analytic/fbp/fbp.h"\n'},
    "bench": {"apps/bench/bench.c": '#include "apps/study/study.h"\n'},
    "kernel": {"solvers/cgls_cuda.cu": "__global__ void k(void);\n"},
    "conditional": {"analytic/fdk/fdk.c": "#ifdef GT_HAVE_CUDA\n"},
    "folder": {"extras/notes.txt": "something\n"},
}
