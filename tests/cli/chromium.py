# SPDX-License-Identifier: MIT
"""
Use headless Chromium through its DevTools protocol, over a pipe.

    with Browser("page.html") as page:
        page.until("document.title == 'x'")
        page.press("w")
        page.screenshot("page.png")
"""
import base64, json, os, select, signal, tempfile, time

SECONDS = 300           # for a browser that never answers
MODIFIERS = {"alt": 1, "ctrl": 2, "shift": 8}


class Browser:
    def __init__(self, path, width=1280, height=720, is_dark=False):
        self.directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command_read, self.out = os.pipe()
        self.inp, answer_write = os.pipe()
        self.log = os.path.join(self.directory.name, "log")
        self.pid = os.fork()
        if not self.pid:
            self.start(command_read, answer_write, width, height)
        os.close(command_read)
        os.close(answer_write)
        self.text, self.number, self.session, self.messages = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Network.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))

    # In the child: Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
    def start(self, command_read, answer_write, width, height):
        try:
            os.setsid()
            log = os.open(self.log, os.O_WRONLY | os.O_CREAT)
            high = [os.dup(fd) for fd in (command_read, answer_write)]
            high = [fd if fd > 9 else os.dup2(fd, 100 + fd) for fd in high]
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
            os.closerange(5, 256)
            os.environ["HOME"] = self.directory.name
            os.execvp("chromium", [
                "chromium", "--headless", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                "--disable-background-networking", "--hide-scrollbars",
                "--window-size=%d,%d" % (width, height), "--remote-debugging-pipe",
                "--user-data-dir=" + os.path.join(self.directory.name, "data"), "about:blank"])
        finally:
            os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        self.directory.cleanup()

    def read(self):
        while b"\0" not in self.text:
            ready, _, _ = select.select([self.inp], [], [], SECONDS)
            data = os.read(self.inp, 1 << 20) if ready else b""
            if not data:
                raise EOFError("chromium has ended: " + open(self.log, errors="replace").read()[-2000:])
            self.text += data
        message, self.text = self.text.split(b"\0", 1)
        return json.loads(message)

    # Call a method of the protocol.  What the page reports meanwhile goes to self.messages.
    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self.messages.append(answer)

    # Return the value of an expression of JavaScript.
    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in answer, (expression, answer)
        return answer["result"].get("value")

    # Wait until the expression is true.  A page that is being loaded has no elements yet.
    def until(self, expression):
        limit = time.monotonic() + SECONDS
        while not self.value("(() => { try { return %s } catch { return false } })()" % expression):
            assert time.monotonic() < limit, "never true: " + expression
            time.sleep(0.02)

    # Wait until the page has drawn what it must draw now.
    def settle(self):
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, key, *modifiers):
        params = {"key": key, "modifiers": sum(MODIFIERS[name] for name in modifiers)}
        if len(key) == 1:
            params["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)
        self.settle()

    def mouse(self, kind, x, y, **params):
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **params)

    def click(self, x, y, count=1):
        for kind in ("Pressed", "Released"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=count)
        self.settle()

    def drag(self, x, y, to_x, to_y, *modifiers):
        flags = {"modifiers": sum(MODIFIERS[name] for name in modifiers)}
        self.mouse("Pressed", x, y, button="left", buttons=1, clickCount=1, **flags)
        for step in range(1, 5):
            self.mouse("Moved", x + (to_x - x) * step / 4, y + (to_y - y) * step / 4,
                       button="left", buttons=1, **flags)
        self.mouse("Released", to_x, to_y, button="left", clickCount=1, **flags)
        self.settle()

    def wheel(self, x, y, delta):
        self.mouse("Wheel", x, y, deltaX=0, deltaY=delta)
        self.settle()

    def screenshot(self, path):
        self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    # Errors of scripts, and requests for other addresses than that of the page.
    def problems(self):
        found = []
        for message in self.messages:
            params = message.get("params", {})
            if message.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(params)[:1000])
            url = params.get("request", {}).get("url", "file:")
            if message.get("method") == "Network.requestWillBeSent" and not url.startswith("file:"):
                found.append(url)
        return found
