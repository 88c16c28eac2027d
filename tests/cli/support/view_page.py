"""Pages of `gantry view` in a browser without a window: read-out against the voxels, drag, wheel, keys, window, measurements, two volumes, names
that look like scripts, odd volumes, the server. Usage: view_page.py GANTRY FOLDER [PICTURES]"""

import array
import http.server
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import browser

gantry, folder = sys.argv[1], Path(sys.argv[2])
pictures = Path(sys.argv[3]) if len(sys.argv) > 3 else None
failures = []
N, PITCH, FIRST = (23, 17, 9), (1.5, 2.0, 2.5), (-20.0, 3.0, 7.0)
READY = "window.gantryViewers && gantryViewers.length && gantryViewers.every(v => v.root.dataset.ready === 'true')"
EVIL = "a\"><img src=x onerror=\"window.pwned=1\">'</script><script>window.pwned=2<!--\n&lt;.mha"


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


def near(found, wanted, by, text):
    check(found is not None and abs(found - wanted) <= by, f"{text}: {found}, expected {wanted} within {by}")


def write(name, n, pitch, first, values, comment="Comment = gantry unit=HU position=HFS water=0.02\n"):
    head = f"ObjectType = Image\nNDims = 3\nDimSize = {n[0]} {n[1]} {n[2]}\nElementSpacing = {pitch[0]} {pitch[1]} {pitch[2]}\n" \
        f"TransformMatrix = -1 0 0 0 -1 0 0 0 1\nOffset = {-first[0]} {-first[1]} {first[2]}\n{comment}ElementType = MET_FLOAT\nBinaryDataByteOrderMSB = False\nElementDataFile = LOCAL\n"
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(head.encode() + array.array("f", values).tobytes())
    return array.array("f", values)


def run(*arguments, code=0):
    done = subprocess.run([gantry, *arguments], cwd=folder, capture_output=True, text=True)
    check(done.returncode == code, f"gantry {arguments} gave {done.returncode}: {done.stderr}")
    return done.stderr


def show(b, name, wait=READY):
    b.open("file://" + str(folder / name))
    b.until("document.readyState === 'complete'")
    b.until(wait)
    b.frame()
    check(b.complaints() == [], f"{name}: {b.complaints()}")


def place(b, axis, i, j, viewer=0, pane=None):
    """Where the centre of pixel (i, j) of a plane is in the window, worked out from sizes alone: y and z point upwards."""
    pane = 2 - axis if pane is None else pane
    box = b.evaluate(f"(() => {{ const r = gantryViewers[{viewer}].panes[{pane}].canvas.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }})()")
    right, up = [(1, 2), (0, 2), (0, 1)][axis]
    w, h = N[right] * PITCH[right], N[up] * PITCH[up]
    scale = min(box[2] / w, box[3] / h)
    x0, y0 = box[0] + (box[2] - w * scale) / 2, box[1] + (box[3] - h * scale) / 2
    return x0 + (i + 0.5) * PITCH[right] * scale, y0 + (N[up] - j - 0.5) * PITCH[up] * scale


def readout(b, line=1, viewer=0):
    text = b.evaluate(f"gantryViewers[{viewer}].readout.textContent").split("\n")[line]
    number = re.search(r": (-?[0-9.]+(?:e-?\d+)?) (HU|mm)", text)
    return float(number.group(1)) if number else None


def index(b, viewer=0):
    return b.evaluate(f"[0, 1, 2].map(a => gantryViewers[{viewer}].indexOf(gantryViewers[{viewer}].items[0], a))")


def at(values, i, j, k):
    return values[(k * N[1] + j) * N[0] + i]


def read_out(b, values, half):
    """Every voxel of the page, then what is shown under the pointer in the three planes."""
    item = "gantryViewers[0].sources[0]"
    all_ = b.evaluate(f"(() => {{ const s = {item}, [w, h, d] = s.item.n, o = []; for (let k = 0; k < d; k++) for (let j = 0; j < h; j++)"
                      " for (let i = 0; i < w; i++) o.push(s.value(i, j, k) * 1000 / s.item.water - 1000); return o })()")
    worst = max(abs(a - v) for a, v in zip(all_, values))
    check(len(all_) == len(values) and worst <= half * 1.01, f"{worst} HU off, expected at most {half}")
    i0, j0, k0 = index(b)
    for axis, (i, j, k) in ((2, (3, 14, k0)), (1, (20, j0, 1)), (0, (i0, 5, 7))):
        right, up = [(1, 2), (0, 2), (0, 1)][axis]
        voxel = (i, j, k)
        b.mouse("mouseMoved", *place(b, axis, voxel[right], voxel[up]))
        b.frame()
        near(readout(b), at(values, i, j, k), half * 1.2 + 0.01, f"under the pointer, across axis {axis}")


def moves(b):
    b.drag(*place(b, 2, 4, 4), *place(b, 2, 19, 12))
    check(index(b)[:2] == [19, 12], f"dragged to {index(b)}, expected 19, 12")
    k = index(b)[2]
    b.wheel(*place(b, 2, 4, 4), 40)
    check(index(b)[2] == k - 1, f"the wheel led to slice {index(b)[2]}, expected {k - 1}")
    b.drag(*place(b, 0, 2, 1), *place(b, 0, 2, 1))
    check(index(b) == [19, 2, 1], f"a click in the sagittal plane led to {index(b)}")
    b.key("ArrowRight", 39)
    b.key("ArrowUp", 38)
    b.key("PageDown", 34)
    check(index(b) == [18, 3, 2], f"keys led to {index(b)}, expected 18, 3, 2")
    check("slice 18 (0 to 22)" in b.evaluate("gantryViewers[0].panes[2].canvas.ariaLabel"), "the alternative text does not follow")
    for _ in range(30):
        b.key("PageDown", 34)
    check(index(b)[0] == 0, "keys leave the volume")


def windows(b, values):
    state = "gantryViewers[0].state"
    low, high = b.evaluate(f"[{state}.low, {state}.high]")
    x, y = place(b, 2, 5, 5)
    b.drag(x, y, x + 40, y, "right")
    low2, high2 = b.evaluate(f"[{state}.low, {state}.high]")
    check(high2 - low2 > 1.2 * (high - low) and abs(low + high - low2 - high2) < 1e-9, f"the right button set {low2} to {high2}")
    b.evaluate("[...document.querySelectorAll('button')].find(e => e.dataset.preset === 'bone').click()")
    b.frame()
    level, width = b.evaluate("[gantryViewers[0].level.value, gantryViewers[0].width.value]")
    check((level, width) == ("500", "2000"), f"bone is {level}, {width}")
    b.evaluate("(v => { v.state.cross = false; v.setWindow(v.water * 0.9, v.water * 1.3) })(gantryViewers[0])")     # -100 to 300 HU
    b.frame()
    k = index(b)[2]
    for i, j in ((0, 15), (22, 16), (7, 11), (15, 2)):    # away from the scale bar
        x, y = place(b, 2, i, j)
        grey = b.evaluate(f"(() => {{ const c = gantryViewers[0].panes[0].canvas, r = c.getBoundingClientRect();"
                          f" return [...c.getContext('2d').getImageData({x} - r.x, {y} - r.y, 1, 1).data] }})()")
        wanted = min(max((at(values, i, j, k) + 100) / 400 * 256, 0), 255)
        check(abs(grey[0] - wanted) <= 1.5 and grey[0] == grey[1] == grey[2], f"pixel {i}, {j} is {grey}, expected {wanted}")
    b.evaluate("gantryViewers[0].state.cross = true")


def between(values, x, y, k):
    """Bilinear interpolation in a slice."""
    i, j = math.floor(x), math.floor(y)
    fx, fy = x - i, y - j
    low, high = ((1 - fx) * at(values, i, l, k) + fx * at(values, i + 1, l, k) for l in (j, j + 1))
    return (1 - fy) * low + fy * high


def measures(b, values, half):
    k = index(b)[2]
    b.key("r")
    b.drag(*place(b, 2, 3.6, 2.6), *place(b, 2, 11.4, 13.4))
    text = b.evaluate("gantryViewers[0].resultText.textContent")
    inside = [at(values, i, j, k) for i in range(4, 12) for j in range(3, 14)]
    mean = sum(inside) / len(inside)
    sd = math.sqrt(sum((v - mean) ** 2 for v in inside) / (len(inside) - 1))
    found = re.search(r"mean (-?[\d.]+) HU, standard deviation ([\d.]+) HU.*?(\d+) voxels", text)
    check(found is not None, f"region: {text}")
    if found:
        check(int(found.group(3)) == len(inside), f"{found.group(3)} voxels in the region, expected {len(inside)}")
        near(float(found.group(1)), mean, half + 0.01, "mean of a region")
        near(float(found.group(2)), sd, half + 0.01, "standard deviation of a region")
    b.key("e")
    b.drag(*place(b, 2, 3.6, 2.6), *place(b, 2, 11.4, 13.4))
    text = b.evaluate("gantryViewers[0].resultText.textContent")
    inside = [at(values, i, j, k) for i in range(4, 12) for j in range(3, 14) if ((i - 7.5) / 3.9) ** 2 + ((j - 8) / 5.4) ** 2 <= 1]
    found = re.search(r"mean (-?[\d.]+) HU, .*?(\d+) voxels", text)
    check(found is not None and abs(int(found.group(2)) - len(inside)) <= 4, f"ellipse of {len(inside)} voxels: {text}")
    if found:
        near(float(found.group(1)), sum(inside) / len(inside), 12, "mean of an ellipse")
    b.key("l")
    b.drag(*place(b, 2, 2, 5), *place(b, 2, 18, 5))
    text, *ends = b.evaluate("(() => { const v = gantryViewers[0], m = v.state.measure; return [v.resultText.textContent, m.a, m.b] })()")
    near(math.dist(*ends), 16 * PITCH[0], 0.3, "length of a profile")
    (x0, y0), (x1, y1) = ([(p[a] - FIRST[a]) / PITCH[a] for a in range(2)] for p in ends)
    points = math.ceil(2 * math.hypot(x1 - x0, y1 - y0)) + 1
    line = [between(values, x0 + t * (x1 - x0) / (points - 1), y0 + t * (y1 - y0) / (points - 1), k) for t in range(points)]
    found = re.search(r": (-?[\d.]+) to (-?[\d.]+) HU", text)
    check(found is not None, f"profile: {text}")
    if found:
        near(float(found.group(1)), min(line), 0.05, "least of a profile")
        near(float(found.group(2)), max(line), 0.05, "greatest of a profile")
    b.key("Escape", 27)
    check(b.evaluate("gantryViewers[0].result.hidden"), "Escape leaves the measurement")
    b.key("p")


def zooms(b, values):
    """Ctrl and wheel, keys, buttons, drag and two fingers: the voxel under the pointer stays there, and the image never leaves the canvas."""
    factor = "gantryViewers[0].zoom.axes[2].factor"
    at_point = "gantryViewers[0].panes[0].indexAt(%f, %f)"
    box = b.evaluate("(() => { const r = gantryViewers[0].panes[0].canvas.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] })()")
    x, y = place(b, 2, 14, 9)
    px, py = x - box[0], y - box[1]
    for _ in range(6):
        b.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120, modifiers=2)
        b.frame()
    i, j = b.evaluate(at_point % (px, py))
    near(i, 14, 0.02, "column under the pointer after Ctrl and wheel")
    near(j, 9, 0.02, "row under the pointer after Ctrl and wheel")
    zoomed = b.evaluate(factor)
    near(zoomed, math.exp(1.5), 0.01, "factor of six turns of the wheel")
    check(index(b)[2] == b.evaluate("gantryViewers[0].panes[0].index") and "times enlarged" in b.evaluate("gantryViewers[0].panes[0].caption.textContent"),
          "the caption does not state the zoom")
    b.mouse("mouseMoved", x, y)
    b.frame()
    near(readout(b), at(values, 14, 9, index(b)[2]), 0.1, "value under the pointer of a zoomed plane")
    b.key("m")
    b.drag(x, y, x + 30, y - 20)
    i, j = b.evaluate(at_point % (px + 30, py - 20))
    near(i, 14, 0.02, "column under the pointer after a drag")
    near(j, 9, 0.02, "row under the pointer after a drag")
    b.drag(x, y, x + 5000, y + 5000)
    p = b.evaluate("gantryViewers[0].panes[0].place()")
    check(abs(p["x"]) < 1e-6 and abs(p["y"]) < 1e-6, f"a drag moved the image off the canvas: {p}")
    b.key("0", 48)
    check(b.evaluate(factor) == 1 and b.evaluate("gantryViewers[0].fitButton.disabled"), "0 does not fit")
    b.evaluate("gantryViewers[0].panes[0].canvas.focus()")
    b.key("+")
    near(b.evaluate(factor), 1.25, 1e-9, "the key +")
    b.key("-")
    check(b.evaluate(factor) == 1, "the key - does not lead back")
    b.evaluate("document.querySelector('[aria-label=\"zoom in\"]').click()")
    near(b.evaluate(factor), 1.5, 1e-9, "the button +")
    b.frame()
    b.evaluate("gantryViewers[0].fitButton.click()")
    check(b.evaluate(factor) == 1, "the button does not fit")
    fingers = lambda kind, *points: b.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": p, "y": q, "id": k} for k, (p, q) in enumerate(points)])
    measure = b.evaluate("gantryViewers[0].state.measure")
    fingers("touchStart", (x - 20, y))
    fingers("touchStart", (x - 20, y), (x + 20, y))
    fingers("touchMove", (x - 60, y), (x + 60, y))
    fingers("touchEnd")
    b.frame()
    near(b.evaluate(factor), 3, 0.05, "two fingers at three times the distance")
    near(b.evaluate(at_point % (px, py))[0], 14, 1, "column between two fingers, where the edge of the image stays at the canvas")
    check(b.evaluate("gantryViewers[0].state.measure") == measure, "two fingers changed the measurement")
    b.key("0", 48)
    b.key("p")


def units(b, values):
    """A window in HU switches the unit; lengths of small voxels are in micrometres; titles name the files."""
    b.evaluate("(v => { v.unitChoice[1].value = 'mm-1'; v.unitChoice[1].dispatchEvent(new Event('change')) })(gantryViewers[0])")
    b.frame()
    check("mm⁻¹" in b.evaluate("gantryViewers[0].readout.textContent"), "the unit mm-1 cannot be chosen")
    b.evaluate("document.querySelector('[data-preset=brain]').click()")
    b.frame()
    check(b.evaluate("[gantryViewers[0].state.unit, gantryViewers[0].unitChoice[1].value, gantryViewers[0].level.value]") == ["HU", "HU", "40"],
          "a window in HU leaves the unit")
    bare = b.evaluate("[...document.querySelectorAll('.bar button')].filter(e => !e.title).map(e => e.textContent)")
    check(bare == [], f"buttons without a tooltip: {bare}")
    write("small.mha", (9, 8, 7), (0.0015, 0.0015, 0.002), (0, 0, 0), [0.001 * i for i in range(504)], "Comment = gantry unit=mm-1 water=0.02 position=HFS\n")
    run("view", "small.mha", "a.mha", "-o", "small.html")
    show(b, "small.html")
    check(b.evaluate("document.title") == "small.mha, a.mha", f"title: {b.evaluate('document.title')}")
    run("view", "small.mha", "-o", "small.html")
    show(b, "small.html")
    check(b.evaluate("gantryViewers[0].state.unit") == "HU", "HU are not first where water is known")
    check("z 6.00 µm" in b.evaluate("gantryViewers[0].readout.textContent"), f"lengths: {b.evaluate('gantryViewers[0].readout.textContent')}")
    check("z = 6.00 µm" in b.evaluate("gantryViewers[0].panes[0].caption.textContent"), "the caption is not in micrometres")


def phone(b):
    """The image has most of the screen of a phone, and comes first."""
    b.size(390, 844)
    for name in ("a.html", "scan.html"):
        show(b, name)
        r = b.evaluate("(() => { scrollTo(0, 0); const r = gantryViewers[0].panes[0].canvas.getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom] })()")
        area = (min(r[2], 390) - max(r[0], 0)) * (min(r[3], 844) - max(r[1], 0)) / (390 * 844)
        check(area >= 0.6, f"{name}: the image has {area:.3f} of the screen of a phone, expected 0.6")
    b.size(1400, 1000)


def choose(b, label, value):
    b.evaluate(f"(() => {{ const s = [...document.querySelectorAll('label')].find(l => l.textContent.startsWith('{label}')).querySelector('select');"
               f" s.value = '{value}'; s.dispatchEvent(new Event('change')) }})()")
    b.frame()


def projections_of_slices(b, values):
    choose(b, "show", "maximum")
    b.until("gantryViewers[0].panes[0].drawn[0].plane")
    found = b.evaluate("(() => { const s = gantryViewers[0].sources[0], p = s.plane(2, 0, 'maximum', 0, 8); return p.offset + p.scale * p.data[5 * 23 + 6] })()")
    water = b.evaluate("gantryViewers[0].water")
    near(found * 1000 / water - 1000, max(at(values, 6, 5, k) for k in range(N[2])), 0.1, "maximum projection")
    choose(b, "show", "slice")


def beside(b):
    """Two volumes stand beside each other in a window, within its height, and one above the other on a phone; Enter makes the same plane of both large."""
    boxes = "gantryViewers[0].panes.map(p => { const r = p.canvas.getBoundingClientRect(); return [r.left, r.top + scrollY, r.right, r.bottom + scrollY] })"
    b.size(1280, 800)
    b.frame()
    axial = [b.evaluate(boxes)[k] for k in (0, 3)]
    check(axial[0][1] == axial[1][1] and axial[0][2] < axial[1][0] and axial[0][3] <= 800, f"two volumes at 1280x800: {axial}")
    b.evaluate("gantryViewers[0].panes[3].canvas.focus()")
    b.key("Enter", 13)
    large = b.evaluate("gantryViewers[0].panes.map(p => p.canvas.clientHeight)")
    check(large[0] == large[3] > 500 and large[1] == large[2] == large[4] == large[5] == 0, f"heights after Enter: {large}")
    b.key("Enter", 13)
    b.size(390, 844)
    b.frame()
    axial = [b.evaluate(boxes)[k] for k in (0, 3)]
    check(axial[0][3] < axial[1][1] and axial[0][0] == axial[1][0], f"two volumes on a phone: {axial}")
    b.size(1400, 1000)
    b.frame()


def two(b, values, other):
    run("view", "a.mha", "b.mha", "-o", "two.html")
    show(b, "two.html")
    beside(b)
    b.drag(*place(b, 2, 4, 4), *place(b, 2, 9, 12))
    near(readout(b, 1), at(values, 9, 12, 4), 0.1, "first of two")
    near(readout(b, 2), at(other, 9, 12, 4), 0.1, "second of two")
    choose(b, "two volumes", "difference")
    near(readout(b, 3), at(values, 9, 12, 4) - at(other, 9, 12, 4), 0.2, "difference")
    choose(b, "two volumes", "swipe")
    x, y = place(b, 2, 11, 8)
    b.drag(x, y, x + 30, y)
    check(b.evaluate("gantryViewers[0].state.swipe") > 0.5, "the divider is not dragged")
    # Interpolation reproduces a ramp on its own grid.
    n, pitch, first = (9, 9, 5), (5.0, 5.0, 6.0), (-25.0, 0.0, 3.0)
    write("ramp.mha", n, pitch, first, [first[0] + i * pitch[0] + 2 * (first[1] + j * pitch[1]) + 3 * (first[2] + k * pitch[2])
                                         for k in range(n[2]) for j in range(n[1]) for i in range(n[0])])
    run("view", "a.mha", "ramp.mha", "-o", "other.html")
    show(b, "other.html")
    choose(b, "two volumes", "difference")
    found = b.evaluate("(() => { const p = gantryViewers[0].panes[0], d = p.source.plane(2, 4, 'slice', 4, 4), w = gantryViewers[0].water;"
                       " return 1000 * d.data[6 * 23 + 5] / w })()")
    x, y, z = (FIRST[a] + (5, 6, 4)[a] * PITCH[a] for a in range(3))
    near(found, at(values, 5, 6, 4) - (x + 2 * y + 3 * z), 0.2, "difference to another grid")
    check("interpolated" in b.evaluate("document.querySelector('h3').textContent"), "nothing says that the second is interpolated")


def scales(b):
    """Volumes of other sizes stand beside each other at one scale in mm, or say that they do not; planes of thin ones have their own shape."""
    write("part.mha", (6, 4, 3), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), range(72))
    run("view", "a.mha", "part.mha", "-o", "scales.html")
    show(b, "scales.html")
    scale = "gantryViewers[0].panes.map(p => p.place().mm)"
    axial, coronal, sagittal, *second = b.evaluate(scale)
    check(second == [axial, coronal, sagittal], f"side by side at other scales: {second}, expected {[axial, coronal, sagittal]}")
    box = "[...document.querySelectorAll('label')].find(l => l.textContent.includes('same scale')).querySelector('input')"
    b.evaluate(f"{box}.click()")
    b.frame()
    found = b.evaluate(scale)
    names = b.evaluate("[...document.querySelectorAll('h3')].map(h => h.textContent)")
    check(found[3] > 1.5 * found[0] and all(n.endswith(", at a scale of its own") for n in names), f"scales of their own: {found}, {names}")
    show(b, "two.html")
    check(b.evaluate(f"{box}.closest('label').hidden"), "volumes of one size offer a scale")
    write("thin.mha", (40, 40, 3), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), range(4800))
    run("view", "thin.mha", "-o", "thin.html")
    for width, height in ((1400, 1000), (390, 844)):
        b.size(width, height)
        show(b, "thin.html")
        first, *others = b.evaluate("gantryViewers[0].panes.map(p => p.canvas.clientHeight)")
        check(first > 250 and all(60 < h < 130 for h in others), f"a thin volume in a window of {width}: heights {first}, {others}")
    b.size(1400, 1000)


def odd(b):
    shapes = {"constant": ((5, 4, 3), [12.5] * 60), "voxel": ((1, 1, 1), [-3.25]), "slice": ((6, 4, 1), [float(i - 9) for i in range(24)]),
              "negative": ((4, 4, 4), [-1000.0 - i for i in range(64)])}
    for name, (n, values) in shapes.items():
        write(name + ".mha", n, (1, 1, 1), (0, 0, 0), values)
        run("view", name + ".mha", "-o", name + ".html")
        show(b, name + ".html")
        i = index(b)
        near(readout(b), values[(i[2] * n[1] + i[1]) * n[0] + i[0]], 0.01, name)


def unitless(b):
    """Without the attenuation of water there are neither HU nor windows in HU."""
    write("unitless.mha", (5, 4, 3), (1, 1, 1), (0, 0, 0), [0.001 * i for i in range(60)], "")
    run("view", "unitless.mha", "-o", "unitless.html")
    show(b, "unitless.html")
    i = index(b)
    # Without our comment reversed axes are flipped: both, in this file.
    near(readout(b), 0.001 * ((i[2] * 4 + 3 - i[1]) * 5 + 4 - i[0]), 1e-6, "a value without HU")
    check("HU" not in b.evaluate("document.querySelector('.bar').textContent"), "HU are offered without water")
    check(b.evaluate("document.querySelector('[data-preset=bone]')") is None, "a window in HU is offered without water")


def evil(b):
    write(EVIL, (4, 4, 3), (1, 1, 1), (0, 0, 0), [float(i) for i in range(48)])
    run("view", EVIL, "-o", "evil.html", "--title", EVIL)
    show(b, "evil.html")
    check(b.evaluate("window.pwned") is None, "a name ran as a script")
    check(b.evaluate("document.querySelectorAll('img').length") == 0, "a name became an element")
    check(b.evaluate("document.querySelector('h1').textContent") == EVIL, "the title is not the name")
    check(b.evaluate("document.querySelector('h3').textContent") == EVIL, "the heading is not the name")


def cut_off(b):
    """A page of which the end is missing shows what there is, and says so."""
    write("long.mha", (40, 40, 120), (1, 1, 1), (0, 0, 0), [random.random() for _ in range(40 * 40 * 120)])
    run("view", "long.mha", "-o", "long.html")
    whole = (folder / "long.html").read_bytes()
    (folder / "cut.html").write_bytes(whole[: whole.index(b'id="s0-70"') + 1000])
    show(b, "cut.html", "document.querySelector('.status').textContent.startsWith('The page is cut off: 50 of 120')")


def slowly(b):
    """A page that comes in pieces, each of which ends in the midst of a slice: slices are shown as they come, and each is taken up whole."""
    n = (40, 40, 60)
    values = write("slow.mha", n, (1, 1, 1), (0, 0, 0), [random.random() for _ in range(n[0] * n[1] * n[2])])
    run("view", "slow.mha", "-o", "slow.html")
    page = (folder / "slow.html").read_bytes()
    cuts = [page.index(b'id="s0-%d"' % z) + 700 for z in (4, 30, 31, 59)]
    seen, go = [], threading.Semaphore(0)

    class Slow(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            for begin, end in zip([0, *cuts], [*cuts, len(page)]):
                self.wfile.write(page[begin:end])
                self.wfile.flush()
                go.acquire(timeout=600)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        b.open(f"http://127.0.0.1:{server.server_port}/")
        left = "gantryViewers[0].sources[0].left"
        for z in (4, 30, 31, 59):       # what is there whole; the one that has begun would be decoded in this time as well
            b.until(f"window.gantryViewers && gantryViewers.length && {left} === {n[2] - z} && document.getElementById('s0-{z}')?.textContent")
            time.sleep(0.1)
            seen.append(b.evaluate(f"document.readyState === 'loading' && {left} === {n[2] - z}"))
            go.release()
        go.release()
        b.until(READY)
        check(seen == [True] * 4, f"slices of a page that comes in pieces: {seen}")
        check(b.complaints() == [] and "cut off" not in b.evaluate("document.querySelector('.status').textContent"), "a page that comes in pieces complains")
        got = b.evaluate("(() => { const s = gantryViewers[0].sources[0], [w, h, d] = s.item.n, o = []; for (let k = 0; k < d; k++) for (let j = 0; j < h; j++)"
                         " for (let i = 0; i < w; i++) o.push(s.value(i, j, k) * 1000 / s.item.water - 1000); return o })()")
        worst = max(abs(a - v) if a is not None else math.inf for a, v in zip(got, values))
        check(worst < 0.1, f"a page that comes in pieces: {worst} HU off")
    finally:
        server.shutdown()
        server.server_close()


def request(port, text):
    with socket.create_connection(("127.0.0.1", port), timeout=600) as s:
        s.sendall(text if isinstance(text, bytes) else text.encode())
        answer = b""
        while True:
            try:
                more = s.recv(65536)
            except ConnectionError:
                break
            if not more:
                break
            answer += more
    return answer


def served(b, values):
    server = subprocess.Popen([gantry, "view", "a.mha", "b.mha", "--serve"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    try:
        port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", address).groups()
        port, host = int(port), f"Host: 127.0.0.1:{port}\r\n"
        hostile = {
            "wrong token": (404, f"GET /{'0' * 32}/ HTTP/1.1\r\n{host}\r\n"), "no token": (404, f"GET / HTTP/1.1\r\n{host}\r\n"),
            "short token": (404, f"GET /{token[:-1]}/ HTTP/1.1\r\n{host}\r\n"),
            "another host": (403, f"GET /{token}/ HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n"), "no host": (403, f"GET /{token}/ HTTP/1.1\r\n\r\n"),
            "two hosts": (403, f"GET /{token}/ HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n"),
            "POST": (405, f"POST /{token}/ HTTP/1.1\r\n{host}\r\n"), "a path": (404, f"GET /{token}/../../etc/passwd HTTP/1.1\r\n{host}\r\n"),
            "outside": (404, f"GET /{token}/plane/0/2/9/9/slice HTTP/1.1\r\n{host}\r\n"),
            "no item": (404, f"GET /{token}/plane/2/2/0/0/slice HTTP/1.1\r\n{host}\r\n"),
            "overflow": (404, f"GET /{token}/plane/0/2/18446744073709551616/0/slice HTTP/1.1\r\n{host}\r\n"),
            "negative": (404, f"GET /{token}/plane/0/2/-1/0/slice HTTP/1.1\r\n{host}\r\n"),
            "long": (405, b"GET /" + b"a" * 9000), "zeros": (405, b"\0" * 100 + b"\r\n\r\n"), "long path": (400, f"GET /{token}/{'a' * 300} HTTP/1.1\r\n{host}\r\n"),
            "no version": (400, f"GET /{token}/\r\n{host}\r\n"),
        }
        for name, (code, text) in hostile.items():
            answer = request(port, text)
            check(answer.startswith(b"HTTP/1.1 %d " % code), f"{name}: {answer[:60]}, expected {code}")
            check(token.encode() not in answer and len(answer) < 600, f"{name}: the answer says too much")
        for _ in range(3):      # a browser that leaves
            s = socket.create_connection(("127.0.0.1", port))
            s.sendall(f"GET /{token}/plane/0/2/0/0/slice HTTP/1.1\r\n{host}\r\n".encode())
            s.close()
        waiting = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]   # says nothing, and keeps nobody out
        plane = request(port, f"GET /{token}/plane/0/2/4/4/slice HTTP/1.1\r\n{host}\r\n").split(b"\r\n\r\n", 1)[1]
        for s in waiting:
            s.close()
        got, water = array.array("f", plane), None
        b.open(address)
        b.until("document.readyState === 'complete'")
        b.until("gantryViewers[0].panes[0].drawn[0].plane")
        check(b.complaints() == [], f"served: {b.complaints()}")
        water = b.evaluate("gantryViewers[0].water")
        worst = max(abs(1000 * v / water - 1000 - at(values, i % N[0], i // N[0], 4)) for i, v in enumerate(got))
        check(len(got) == N[0] * N[1] and worst < 1e-3, f"a served plane is {worst} HU off")
        b.mouse("mouseMoved", *place(b, 2, 3, 14))
        b.frame()
        near(readout(b), at(values, 3, 14, index(b)[2]), 2e-3, "served value under the pointer")
        check(run("view", "a.mha", "--serve", "--port", str(port), code=1).find("is taken") > 0, "a port that is taken is not named")
        if pictures:
            b.picture(pictures / "served.png")
    finally:
        server.send_signal(signal.SIGINT)
        check(server.wait(600) == 0, f"Ctrl-C ended the server with {server.returncode}")


def opened():
    """Without -o, a terminal gets the address, and the browser named in $BROWSER opens it."""
    (folder / "browser.sh").write_text("#!/bin/sh\necho \"$1\" >address.tmp && mv address.tmp address.txt\n")
    (folder / "browser.sh").chmod(0o755)
    master, slave = os.openpty()
    command = subprocess.Popen([gantry, "view", "a.mha"], cwd=folder, stdout=slave, stderr=subprocess.DEVNULL, env={**os.environ, "BROWSER": "./browser.sh"})
    try:
        until = time.monotonic() + 600
        while not (folder / "address.txt").exists() and command.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        printed = os.read(master, 1000).decode().strip()
        check((folder / "address.txt").exists() and (folder / "address.txt").read_text().strip() == printed, f"the browser did not open {printed}")
        check(re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", printed) is not None, f"no address: {printed}")
    finally:
        command.send_signal(signal.SIGINT)
        check(command.wait(600) == 0, f"Ctrl-C ended the server with {command.returncode}")
        os.close(slave)
        os.close(master)


def looks(b, name):
    """Names for all controls, contrast of texts, no sideways scrolling, at two sizes of the window."""
    bare = b.evaluate("""[...document.querySelectorAll('button, input, select, canvas')].filter(e => !(e.ariaLabel || e.textContent.trim() ||
        e.closest('label')?.textContent.trim())).map(e => e.outerHTML)""")
    check(bare == [], f"{name}: without a name: {bare}")
    contrast = b.evaluate("""(() => {
        const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b };
        const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } return 'rgb(0,0,0)' };
        return Math.min(...[...document.querySelectorAll('body *')].filter(e => e.tagName !== 'SCRIPT' && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
            .map(e => { const a = light(getComputedStyle(e).color), b = light(ground(e)); return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) })) })()""")
    check(contrast >= 4.5, f"{name}: a contrast of {contrast:.2f}, expected 4.5")
    for width, height in ((1400, 1000), (400, 800)):
        b.size(width, height)
        b.frame()
        b.frame()
        check(b.evaluate("document.documentElement.scrollWidth") <= width, f"{name}: wider than a window of {width}")
        if pictures:
            b.picture(pictures / f"{name}-{width}.png", whole=True)
    b.size(1400, 1000)


def projections(b):
    run("simulate", "--phantom", "water-cylinder", "--reduce", "32", "-o", "s.nc", "-q")
    run("simulate", "--phantom", "water-cylinder", "--reduce", "32", "--geometry-only", "-o", "geo.nc", "-q")
    run("view", "s.nc", "a.mha", "-o", "scan.html")
    show(b, "scan.html")
    check(b.evaluate("gantryViewers.length") == 2, "a volume and a scan are not two viewers")
    before = b.evaluate("gantryViewers[1].state.at[2]")
    b.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    b.evaluate("gantryViewers[1].play(true)")
    b.until(f"gantryViewers[1].state.at[2] !== {before}")
    b.evaluate("gantryViewers[1].play(false)")
    drawn = b.evaluate("(() => { const c = gantryViewers[1].scanCanvas; return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v) })()")
    check(drawn, "the geometry is not drawn")
    looks(b, "scan")
    run("view", "geo.nc", "-o", "geo.html")
    show(b, "geo.html", "document.querySelector('.scan')")
    looks(b, "geometry")


def main():
    random.seed(7)
    values = write("a.mha", N, PITCH, FIRST, [200 * math.sin(i / 3) + random.gauss(40, 30) for i in range(N[0] * N[1] * N[2])])
    other = write("b.mha", N, PITCH, FIRST, [random.uniform(-900, 900) for _ in range(N[0] * N[1] * N[2])])
    run("view", "a.mha", "-o", "a.html")
    b = browser.Browser(browser.find())
    try:
        b.size(1400, 1000)
        show(b, "a.html")
        half = b.evaluate("gantryViewers[0].items[0].step * 500 / gantryViewers[0].water")
        for step in (lambda: read_out(b, values, half), lambda: moves(b), lambda: windows(b, values), lambda: measures(b, values, half), lambda: zooms(b, values),
                     lambda: projections_of_slices(b, values), lambda: looks(b, "volume"), lambda: two(b, values, other), lambda: looks(b, "two"), lambda: scales(b),
                     lambda: odd(b), lambda: unitless(b), lambda: evil(b), lambda: cut_off(b), lambda: slowly(b), lambda: projections(b), lambda: phone(b), lambda: show(b, "a.html"), lambda: units(b, values), opened, lambda: served(b, values)):
            step()
    finally:
        b.close()
    sys.exit(bool(failures))


main()
