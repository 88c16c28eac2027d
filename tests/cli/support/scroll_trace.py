"""Scrolling through the slices of a page, or zooming with Ctrl and the wheel, by the browser's own trace: the times between frames that were shown, and
those from a turn of the wheel to its frame. Usage: scroll_trace.py PAGE [STEPS] [zoom]"""

import sys
import time
from pathlib import Path

import browser

READY = "window.gantryViewers && gantryViewers.length && gantryViewers.every(v => v.root.dataset.ready === 'true')"
PLACE = "[0, 1, 2].map(a => gantryViewers[0].indexOf(gantryViewers[0].items[0], a))"
CATEGORIES = ["cc", "benchmark", "input", "latencyInfo", "viz", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"]


# A turn of the wheel with Ctrl in each frame, 8 in and 8 out: input as fast as the display, which the protocol is not. Gives the zoom factors.
ZOOM = """new Promise(done => {
    const canvas = gantryViewers[0].panes[0].canvas, r = canvas.getBoundingClientRect(), factors = new Set();
    let k = 0;
    const step = () => {
        canvas.dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY: k %% 16 < 8 ? -25 : 25, clientX: r.x + r.width / 3, clientY: r.y + r.height / 3,
            bubbles: true, cancelable: true }));
        factors.add(gantryViewers[0].zoom.axes[2].factor.toFixed(3));
        ++k < %d ? requestAnimationFrame(step) : done([...factors]);
    };
    requestAnimationFrame(step);
})"""


def trace(b, work):
    """The events of the trace while work() goes on."""
    session, b.session = b.session, None
    b.call("Tracing.start", traceConfig={"includedCategories": CATEGORIES}, transferMode="ReportEvents")
    b.session = session
    work()
    session, b.session = b.session, None
    b.call("Tracing.end")
    events, until = [], time.time() + 120
    while True:
        pending, b.events = b.events, []
        for e in pending:
            if e["method"] == "Tracing.dataCollected":
                events += e["params"]["value"]
            if e["method"] == "Tracing.tracingComplete":
                b.session = session
                return events
        message = b.receive(until)
        if "method" in message:
            b.events.append(message)


def spans(events, name):
    """(begin, end, arguments) of asynchronous events, in ms."""
    begun, out = {}, []
    for e in sorted((e for e in events if e.get("name") == name), key=lambda e: (e["ts"], e["ph"] == "e")):
        key = (e["pid"], str(e.get("id2", e.get("id"))))
        if e["ph"] == "b":
            begun[key] = e
        elif e["ph"] == "e" and key in begun:
            b = begun.pop(key)
            out.append((b["ts"] / 1000, e["ts"] / 1000, b.get("args", {})))
    return out


def told(name, times):
    times = sorted(times)
    if not times:
        return print(f"{name}: none")
    print(f"{name}: {len(times)}, median {times[len(times) // 2]:.1f} ms, 95 % {times[int(0.95 * (len(times) - 1))]:.1f} ms, most {times[-1]:.1f} ms")


def main():
    zooms = "zoom" in sys.argv
    page, steps = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 240
    b = browser.Browser(browser.find())
    try:
        b.size(1280, 800)
        begin = time.time()
        b.open(f"file://{page}")
        b.until("window.gantryViewers && gantryViewers.length", 120)
        try:
            b.until(READY, 40)
        except TimeoutError:
            sys.exit(f"the page is not ready: {b.evaluate('gantryViewers[0].status.textContent')}; {b.complaints()}")
        b.frame()
        print(f"all slices read: {time.time() - begin:.2f} s")
        boxes = b.evaluate("gantryViewers[0].panes.map(p => { const r = p.canvas.getBoundingClientRect(); return [r.x + r.width / 3, r.y + r.height / 3] })")
        scrolled, slices = [], set()

        def scroll():
            for i in range(steps):
                x, y = boxes[3 * i // steps]
                sent = time.time()
                b.mouse("mouseWheel", x, y, deltaX=0, deltaY=40 if i % 80 < 40 else -40)
                scrolled.append(1000 * (time.time() - sent))
                slices.add(str(b.evaluate(PLACE)))
            b.frame()

        events = trace(b, (lambda: slices.update(b.evaluate(ZOOM % steps))) if zooms else scroll)
        shown = sorted(end for _, end, a in spans(events, "PipelineReporter")
                       if a.get("chrome_frame_reporter", a.get("frame_reporter", {})).get("state", "").startswith("STATE_PRESENTED_ALL"))
        told("between frames that were shown", [b - a for a, b in zip(shown, shown[1:])])
        told("from the wheel to its frame", [end - begin for begin, end, a in spans(events, "EventLatency")
                                             if a.get("event_latency", {}).get("event_type") == "MOUSE_WHEEL" and "display_trace_id" in a["event_latency"]])
        told("from the wheel to the browser's answer", scrolled)
        print(f"{'zoom factors' if zooms else 'points come to'}: {len(slices)}")
    finally:
        b.close()


main()
