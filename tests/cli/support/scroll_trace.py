"""Scrolling through the slices of a page, or zooming with Ctrl and the wheel, by the browser's own trace: the times between frames that were shown, and
those from a turn of the wheel to its frame. Usage: scroll_trace.py PAGE [STEPS] [zoom]"""

import sys
import time
from pathlib import Path

import browser

READY = "window.gantryViewers && gantryViewers.length && gantryViewers.every(v => v.root.dataset.ready === 'true')"
PLACE = "[0, 1, 2].map(a => gantryViewers[0].indexOf(gantryViewers[0].items[0], a))"
CATEGORIES = ["cc", "benchmark", "input", "latencyInfo", "viz", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"]


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
                if zooms:       # in and out, 8 of each
                    b.mouse("mouseWheel", *boxes[0], deltaX=0, deltaY=-25 if i % 16 < 8 else 25, modifiers=2)
                else:
                    b.mouse("mouseWheel", x, y, deltaX=0, deltaY=40 if i % 80 < 40 else -40)
                scrolled.append(1000 * (time.time() - sent))
                slices.add(str(b.evaluate("gantryViewers[0].zoom.axes[2].factor.toFixed(3)" if zooms else PLACE)))
            b.frame()

        events = trace(b, scroll)
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
