"""Pages beside those of `gantry view`: studies, reports, a reconstruction that goes on; letters of the patient's sides; and what axe-core says of every
kind of page, where it is to be had. Usage: more_pages.py GANTRY FOLDER AXE [PICTURES]; AXE: the path of axe.min.js, or - where there is none."""

import array
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import browser

gantry, folder, axe = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
pictures = Path(sys.argv[4]) if len(sys.argv) > 4 else None
failures, started = [], []
READY = "gantryViewers.every(v => v.root.dataset.ready === 'true')"
SIZES = ((1280, 800), (390, 844))


def check(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


def run(*arguments):
    done = subprocess.run([gantry, *arguments], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, f"gantry {arguments} gave {done.returncode}: {done.stderr}")


def show(b, name):
    b.open("file://" + str(folder / name))
    b.until("document.readyState === 'complete' && window.gantryViewers")
    b.until(READY)
    b.frame()


# Short words in first columns of tables that take more than a line.
BROKEN = """[...document.querySelectorAll("table:not(.many) td:first-child:not(:last-child), table:not(.many) th:first-child:not(:last-child)")].filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return /^[a-z]{2,12}$/.test(cell.textContent) && new Set([...range.getClientRects()].map(r => r.top)).size > 1;
}).map(cell => cell.textContent).join(", ")"""


# Words of settings, paths and sentences that break though they would fit into one line.
WITHIN = """[...document.querySelectorAll("table:not(.many) td, table:not(.many) th")].flatMap(cell => {
    const found = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node; (node = texts.nextNode());)
        for (const word of node.data.matchAll(/[^\\s,:;/-]+/g)) {
            const range = document.createRange();
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            if (word[0].length < 24 && new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1)
                found.push(word[0]);
        }
    return found;
}).join(" ")"""


def audit(b, name):
    """No complaint, no sideways scrolling, and nothing serious of axe-core, at two sizes of the window."""
    check(b.complaints() == [], f"{name}: {b.complaints()}")
    b.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    for width, height in SIZES:
        b.size(width, height)
        b.frame()
        b.frame()
        check(b.evaluate("document.documentElement.scrollWidth") <= width, f"{name}: wider than a window of {width}")
        broken = b.evaluate(BROKEN)
        check(not broken, f"{name}, {width}: words of first columns broken within: {broken}")
        within = b.evaluate(WITHIN)
        check(not within, f"{name}, {width}: broken within: {within}")
        if pictures:
            b.picture(pictures / f"{name}-{width}.png", whole=True)
        if axe == "-":
            continue
        if not b.evaluate("Boolean(window.axe)"):
            b.evaluate(Path(axe).read_text() + ";0")
        found = b.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(v => "
                           "[v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | ')]))")
        for impact, rule, where in found:
            if impact in ("serious", "critical"):
                check(False, f"{name}, {width}: {impact}: {rule}: {where}")
            else:
                print(f"{name}, {width}: {impact}: {rule}: {where}")
    b.size(*SIZES[0])


def study(b):
    run("study", "quality", "-o", "study", "--quick", "--backend", "cpu", "-q")
    show(b, "study/report.html")
    table = "[...document.querySelectorAll('table.sorted')].find(t => t.tHead.rows[0].cells[3].textContent.includes('all [HU]'))"
    column = f"{table}.tBodies[0].rows"
    values = f"[...{column}].map(r => +r.cells[3].textContent)"
    button = f"{table}.tHead.rows[0].cells[3]"
    before = b.evaluate(values)
    b.evaluate(f"{button}.querySelector('button').click()")
    check(b.evaluate(values) == sorted(before) and b.evaluate(f"{button}.ariaSort") == "ascending", f"sorted: {b.evaluate(values)}")
    b.evaluate(f"{button}.querySelector('button').focus()")
    b.key(" ", 32)
    check(b.evaluate(values) == sorted(before, reverse=True), f"sorted downwards: {b.evaluate(values)}")
    check(b.evaluate("[...document.querySelectorAll('img')].every(i => i.alt.length > 20 && i.naturalWidth > 100)"), "a figure has no text or no picture")
    links = b.evaluate("[...document.querySelectorAll('nav a')].map(a => document.querySelector(a.getAttribute('href')) !== null)")
    check(len(links) >= 4 and all(links), f"the list of headings leads nowhere: {links}")
    # The pictures equal the arrays, in HU, and two of them are compared.
    truth = array.array("f", (folder / "study/arrays/head-1e5-truth.f32").read_bytes())
    preset = array.array("f", (folder / "study/arrays/head-1e5-1.f32").read_bytes())
    read = "(s => Array.from({ length: %d }, (_, i) => 1000 * s.value(i %% s.item.n[0], Math.floor(i / s.item.n[0]), 0) / s.item.water - 1000))"
    for which, wanted in ((0, truth), (2, preset)):
        got = b.evaluate(read % len(wanted) + f"(gantryViewers[0].sources[{which}])")
        worst = max(abs(a - w) for a, w in zip(got, wanted))
        check(len(got) == len(wanted) and worst < 0.1, f"picture {which} of the study is {worst} HU off")
    b.evaluate("(v => { v.state.pair = [2, 0]; v.state.layout = 'difference'; v.arrange() })(gantryViewers[0])")
    b.frame()
    i = max(range(len(truth)), key=lambda k: abs(preset[k] - truth[k]))
    got = b.evaluate(f"(v => 1000 * v.panes[0].source.plane(2, 0, 'slice', 0, 0).data[{i}] / v.water)(gantryViewers[0])")
    check(abs(got - (preset[i] - truth[i])) < 0.2, f"the difference of two pictures is {got}, expected {preset[i] - truth[i]}")
    check(b.evaluate("document.querySelector('h3').textContent") == "preset iterative less truth", "the heading names another pair")
    b.evaluate("(v => { v.state.layout = 'side by side'; v.arrange() })(gantryViewers[0])")
    audit(b, "study")


def letters(b):
    run("convert", "truth.nc", "-o", "unknown.mha")
    run("convert", "truth.nc", "-o", "prone.mha", "--position", "HFP")
    run("convert", "prone.mha", "-o", "prone.nii")
    for name, wanted in (("truth.nc", None), ("unknown.mha", None), ("prone.mha", ["RL", "AP", "FH"]), ("prone.nii", ["RL", "AP", "FH"])):
        run("view", name, "-o", "letters.html")
        show(b, "letters.html")
        found = b.evaluate("gantryViewers[0].items[0].letters || null")
        known = b.evaluate("gantryViewers[0].items[0].facts.find(f => f[0] === 'position of the patient')[1]")
        if wanted is None:
            check(found is None and known.startswith("not known"), f"{name}: letters {found} that nobody knows; {known}")
        else:
            check(found is not None and {f[0] for f in found} | {f[1] for f in found} == set("RLAPHF"), f"{name}: letters {found}")
            said = b.evaluate("gantryViewers[0].panes[0].canvas.ariaLabel")
            check(f"left {found[0][0]}, right {found[0][1]}" in said, f"{name}: {said}")
    audit(b, "letters")


def report(b):
    run("recon", "scan.nc", "-o", "out.nc", "--like", "truth.nc", "--solver", "os-sqs:iterations=6,subsets=3", "--penalty", "huber:strength=100,delta=10HU",
        "--report", "page", "-q")
    show(b, "page/report.html")
    audit(b, "report")
    run("view", "out.nc", "truth.nc", "scan.nc", "-o", "view.html")
    show(b, "view.html")
    audit(b, "view")


def begin(*more):
    # A shell lets background processes ignore Ctrl-C.
    command = subprocess.Popen([gantry, "recon", "scan.nc", "-o", "watched.nc", "--solver", "os-sart:iterations=1000000,subsets=4", "--watch", "-q", *more],
                               cwd=folder, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    started.append(command)
    address = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", command.stderr.readline())
    check(address is not None, "no address to watch")
    return command, address.group(0) if address else "about:blank"


def ticks(b):
    """Of curves: 1, 2 or 5 times a power of ten or multiples of that, decades where there are many; an axis is logarithmic where values span a decade."""
    for call, wanted in (("roundTicks(0, 137)", [0, 50, 100]), ("roundTicks(35.02, 51.6)", [40, 45, 50]), ("roundTicks(-0.0031, 0.0042)", [-0.002, 0, 0.002, 0.004]),
                         ("roundTicks(123456.781, 123456.802)", [123456.785, 123456.79, 123456.795, 123456.8]), ("roundTicks(0, 6, 10)", [0, 1, 2, 3, 4, 5, 6]),
                         ("decadeTicks(Math.log10(0.05), Math.log10(44))", [0.1, 1, 10]), ("decadeTicks(Math.log10(3), Math.log10(120))", [5, 10, 20, 50, 100]),
                         ("decadeTicks(Math.log10(12), Math.log10(31))", [15, 20, 25, 30]), ("decadeTicks(-9.5, 5.5)", [1e-7, 1e-4, 0.1, 100, 1e5]),
                         ("[1e-4, 0.25, 0, -2e7, 5e-324, 1e6].map(tickText)", ["1e-4", "0.25", "0", "-2e7", "5e-324", "1e6"]),
                         ("[[5, 51], [5, 49], [0, 51], [-1, 99], []].map(s => spansDecades(s.map(v => [1, v, v]), 1))", [True, False, False, False, False])):
        found = b.evaluate("with (gantryAxes) " + call)
        check(found == wanted, f"{call}: {found}, expected {wanted}")


def watch(b):
    command, address = begin("--checkpoint", "w.ck")
    b.open(address)
    b.until("window.gantryLive && gantryLive.version > 1 && gantryLive.points.length > 3")
    ticks(b)
    b.until("gantryLive.curves[1].canvas.ticks && gantryLive.curves[1].heading.textContent.includes('(logarithmic)')")
    shown = b.evaluate("gantryLive.curves[1].canvas.ticks")
    check(len(shown) > 1 and all(f"{v:e}"[0] in "125" for v in shown), f"ticks of the change: {shown}")
    shown = b.evaluate("(v => v.sources[0].planes.map(p => p.data.some(x => x > 0.01)))(gantryLive.viewer)")
    check(shown == [True, True, True], f"slices without anything: {shown}")
    check(b.evaluate("gantryLive.points.every((p, i) => p[0] === i + 1)"), "the points of the curves are not one for each iteration")
    check(b.evaluate("gantryLive.bar.value > 0 && /iteration \\d+ of 1000000 .* left/.test(gantryLive.numbers.textContent)"),
          f"progress: {b.evaluate('gantryLive.numbers.textContent')}")
    audit(b, "watch")
    command.send_signal(signal.SIGINT)
    text = command.stderr.read()
    check(command.wait(600) == 1 and "stopped after" in text, f"Ctrl-C gave {command.returncode}: {text}")
    check((folder / "w.ck").exists() and (folder / "watched.nc").exists(), "no checkpoint or no volume after Ctrl-C")
    b.until("gantryLive.ended")
    check("stopped after" in b.evaluate("gantryLive.state.textContent"), f"the page says {b.evaluate('gantryLive.state.textContent')}")
    # A browser that leaves, and none at all.
    command, address = begin()
    b.open(address)
    b.until("window.gantryLive && gantryLive.version > 0")
    b.open("about:blank")
    time.sleep(0.5)
    check(command.poll() is None, "the command ended when the browser left")
    command.send_signal(signal.SIGINT)
    check(command.wait(600) == 1, "a browser that left changes the end")


def main():
    run("simulate", "--scanner", "ge-ct750hd", "--reduce", "16", "--phantom", "forbild-head", "--photons", "1e5", "--seed", "2", "-o", "scan.nc", "--truth", "truth.nc",
        "--grid", "24x20x6@10x12x8", "-q")
    b = browser.Browser(browser.find())
    try:
        b.size(*SIZES[0])
        for step in (study, letters, report, watch):
            step(b)
    finally:
        b.close()
        for command in started:
            command.kill()
    sys.exit(bool(failures))


main()
