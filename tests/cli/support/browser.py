"""A Chromium without a window, driven by the DevTools protocol over a pipe: pages, pointer, keys, pictures, traces."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# s, timeout of an answer: a hanging browser never answers, and a loaded machine is slow.
PATIENCE = 600
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    """The path of a Chromium: $GT_CHROMIUM, else one of the usual names; None where there is none."""
    named = os.environ.get("GT_CHROMIUM")
    return named if named else next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="gantry-browser-")
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()

        def connect():
            os.dup2(to_child, 13)
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "about:blank"],
            pass_fds=(3, 4), preexec_fn=connect, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.read], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.read, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, wait=PATIENCE, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data, until = json.dumps(message).encode() + b"\0", time.monotonic() + wait
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, event, wait=PATIENCE):
        until = time.monotonic() + wait
        while True:
            for i, e in enumerate(self.events):
                if e["method"] == event:
                    del self.events[: i + 1]
                    return e["params"]
            answer = self.receive(until)
            if "method" in answer:
                self.events.append(answer)

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, wait=PATIENCE):
        """Waits until the expression is true, and gives the seconds that took."""
        begin = time.monotonic()
        while time.monotonic() < begin + wait:
            if self.evaluate(f"Boolean({expression})"):
                return time.monotonic() - begin
            time.sleep(0.02)
        raise TimeoutError(f"never true: {expression}")

    def frame(self):
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def mouse(self, kind, x, y, button="none", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons={"none": 0, "left": 1, "right": 2}[button], **more)

    def drag(self, x0, y0, x1, y1, button="left"):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button, clickCount=1)
        for i in range(1, 5):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4, button)
        self.mouse("mouseReleased", x1, y1, button, clickCount=1)
        self.frame()

    def wheel(self, x, y, dy):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=dy)
        self.frame()

    def key(self, key, code=0):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.frame()

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def complaints(self):
        """What the page's scripts or its policy complained about."""
        self.evaluate("1")
        out = [e["params"]["exceptionDetails"].get("exception", {}).get("description", "an exception") for e in self.events
               if e["method"] == "Runtime.exceptionThrown"]
        out += [e["params"]["entry"]["text"] for e in self.events if e["method"] == "Log.entryAdded" and e["params"]["entry"]["level"] == "error"]
        return out

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", wait=60)
            self.process.wait(60)
        except (OSError, EOFError, TimeoutError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.folder, ignore_errors=True)
