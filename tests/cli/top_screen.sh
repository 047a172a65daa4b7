# SPDX-License-Identifier: MIT
# ulf top on a terminal: it draws, keys change the view, and the terminal is as before in the
# end, also after ^C and while it is stopped.
. tests/cli/common

start_hello
event=$root/events/hello/hello_request
python3 - "$root" <<'END' || exit 1
import os, pty, re, select, signal, struct, sys, fcntl, termios, time

root = sys.argv[1]
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"

class Top:
    def __init__(self, *args):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvp("ulf", ["ulf", "top", "-d", "0.2", root, "hello_request", *args])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 120, 0, 0))
        self.before = termios.tcgetattr(self.fd)
        self.text = ""

    # Read until the output since the last call has the pattern.
    def expect(self, pattern):
        while not re.search(pattern, self.text, re.S):
            ready, _, _ = select.select([self.fd], [], [], 120)
            assert ready, "no %r in %r" % (pattern, self.text)
            self.text += os.read(self.fd, 65536).decode("utf-8", "replace")
        self.text = self.text[re.search(pattern, self.text, re.S).end():]

    def press(self, key):
        os.write(self.fd, key.encode())

    def end(self):
        while True:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            self.text += data.decode("utf-8", "replace")
        _, status = os.waitpid(self.pid, 0)
        assert LEAVE in self.text, self.text
        # the last figures stay on the terminal
        assert re.search(r"hello_request: .*\n(who|count) ", self.text.split(LEAVE)[1], re.S), self.text
        return os.waitstatus_to_exitcode(status)

top = Top("who", "count")
top.expect(re.escape(ENTER))
top.expect(r"who +\*HITS/S +HITS.*alice .*q quit")
flags = termios.tcgetattr(top.fd)[3]
assert not flags & termios.ICANON and not flags & termios.ECHO
top.press(">")
top.expect(r"who +HITS/S +\*HITS .*q quit")
top.press("k")
top.expect(r"who +HITS/S .*alice .*bob .*carol .*q quit")
top.press("R")
top.expect(r"carol .*bob .*alice .*q quit")
top.press("l")
top.expect(r"count +HITS/S .*\n[0-9]+-[0-9]+ .*q quit")
top.press("b")
top.expect(r"count +HITS/S .*\n[0-9]+-[0-9]+ .*q quit")
top.press("t")
top.expect(r"who +HITS/S .*alice .*q quit")
top.press(" ")
top.expect("paused: press space")
top.press(" ")
top.expect("q quit")
top.press("i")
top.expect(r"interval of [0-9.]+ s.*q quit")
top.press("c")
top.expect("q quit")
fcntl.ioctl(top.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 40, 0, 0))
os.kill(top.pid, signal.SIGWINCH)
top.expect(r"\x1b\[10;1Hq quit  space pause")

# ^Z gives the terminal back.
os.kill(top.pid, signal.SIGTSTP)
top.expect(re.escape(LEAVE))
_, status = os.waitpid(top.pid, os.WUNTRACED)
assert os.WIFSTOPPED(status)
assert termios.tcgetattr(top.fd)[3] == top.before[3]
os.kill(top.pid, signal.SIGCONT)
top.expect(re.escape(ENTER) + ".*alice .*q quit")
top.press("q")
assert top.end() == 0

# ^C of the terminal
top = Top("count.log2")
top.expect(r"count +HITS/S .*[0-9]+-[0-9]+ .*#.*q quit")
top.press("\x03")
assert top.end() == 0
END
expect "histograms left" 0 "$(ulf cat "$event/trigger" | grep -c '^hist:')"
exit 0
