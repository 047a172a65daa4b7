#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Switch tracing of living programs at random, until a file appears.

  toggler.py [-s SEED] [-a PIDS] [-p PROGRESS] [-v] STOP COUNTS

  -s SEED      of the random numbers; printed otherwise
  -a PIDS      a file with the pids of programs to attach to, and to detach from; without it
               the roots that are there are switched
  -p PROGRESS  a file with a number, which must change every three minutes
  -v           print each setting, with its time
  STOP         toggling ends when this file exists
  COUNTS       a file: how often each thing was done, and with which result

Settings are written through the mounted tree, if it can be mounted, and otherwise by `ulf echo`.
An errno that the setting may have is counted.  Anything else ends the program with status 1: a
program that has died, a command of ulf that takes three minutes, a program without progress.
"""
import collections
import errno
import getopt
import os
import random
import re
import signal
import subprocess
import sys
import time

PATIENCE_SECONDS = 180
counts = collections.Counter()
slowest = [0.0, ""]
NAME_BYTES = 40

# Results that a write may have, next to success: the root has ended; a function or thread has
# ended or was never there; a list is being changed; a site is in use; the buffer of a tracer that
# another setting excludes.
EXPECTED = {errno.ENOENT, errno.ENODEV, errno.EINVAL, errno.EBUSY, errno.ESRCH, errno.EEXIST,
	    errno.EIO, errno.ENOTCONN, errno.ESTALE}
# Results that are reported: a thread could not be stopped; the agent got no CPU time.
REPORTED = {errno.EPERM, errno.ETIMEDOUT, errno.EAGAIN}
# Options that change nothing but the text, or that end the recording.
LEFT_OUT = {"disable_on_free", "block", "bin", "hex", "raw"}


def fail(text):
	print("FAIL:", text, flush=True)
	write_counts()
	sys.exit(1)


def write_counts():
	with open(counts_path + ".new", "w", encoding="utf-8") as file:
		for name, nr in sorted(counts.items()):
			print(f"{nr:8} {name}", file=file)
		print(f"{slowest[0]:8.1f} seconds took {slowest[1]}", file=file)
	os.rename(counts_path + ".new", counts_path)


def ulf(*args):
	"""Run ulf: its status, what it has printed, and its messages."""
	if "-v" in options:
		print("         ulf", *args, flush=True)
	try:
		done = subprocess.run(["ulf", *args], stdin=subprocess.DEVNULL, capture_output=True,
				      text=True, errors="replace", timeout=PATIENCE_SECONDS,
				      check=False)
	except subprocess.TimeoutExpired:
		fail(f"ulf {' '.join(args)}: no end")
	return done.returncode, done.stdout, done.stderr


def living_roots():
	_, text, _ = ulf("ls")
	return [line.split()[0] for line in text.splitlines()[1:] if line.split()[2] == "alive"]


class Root:
	"""The files of one root."""

	def __init__(self, name, mount):
		self.name, self.mount = name, mount
		self.functions = []
		self.options = []

	def read(self, path, limit=4 << 20):
		if not self.mount:
			return ulf("cat", f"{self.name}/{path}")[1][:limit]
		try:
			with open(f"{self.mount}/{self.name}/{path}", "rb") as file:
				return file.read(limit).decode(errors="replace")
		except OSError as error:
			self.count("read", error.errno)
			return ""

	def count(self, what, number):
		if number and number not in EXPECTED:
			print(f"{what} of {self.name}: {os.strerror(number)}:",
			      self.read("error_log")[-300:], flush=True)
			if number not in REPORTED:
				fail("the file should not answer so")
		counts[f"{what}: {errno.errorcode[number] if number else 'ok'}"] += 1

	def write(self, path, text, is_append=False):
		start = time.monotonic()
		self.do_write(path, text, is_append)
		seconds = time.monotonic() - start
		if seconds > slowest[0]:
			slowest[:] = seconds, f"{text[:60]!r} > {path}"
		if "-v" in options:
			print(f"{seconds:8.3f} {text[:60]!r} > {path}", flush=True)

	def do_write(self, path, text, is_append):
		what = re.sub(r"instances/\w+", "instances/*", path)
		if not self.mount:
			status, _, _ = ulf("echo", *(["-a"] if is_append else []), text,
					   f"{self.name}/{path}")
			counts[f"{what}: {'refused' if status else 'ok'}"] += 1
			return
		number = 0
		try:
			fd = os.open(f"{self.mount}/{self.name}/{path}",
				     os.O_WRONLY | (os.O_APPEND if is_append else os.O_TRUNC))
			try:
				os.write(fd, text.encode() + b"\n")
			finally:
				os.close(fd)
		except OSError as error:
			number = error.errno
		self.count(what, number)

	def some_functions(self):
		"""A text for set_ftrace_filter: names, globs, whole objects."""
		kind = random.randrange(6)
		if kind == 0:
			return random.choice("abcdefghijklmnopqrstuvwxyz_") + "*"
		if kind == 1:
			return f"*{random.choice('abcdefghijklmnopqrstuvwxyz')}" \
			       f"{random.choice('aeiou')}*"
		if kind == 2:
			return "*:mod:" + random.choice(("libc", "libcrypto", "libm", "lib*", "!libc"))
		if kind == 3:
			return "*"
		if not self.functions:
			self.functions = [line.split()[0] for line in
					  self.read("available_filter_functions").splitlines()]
		if not self.functions:
			return "m*"
		return " ".join(name[:NAME_BYTES * 4] for name in
				random.sample(self.functions,
					      min(len(self.functions), random.choice((1, 5, 60)))))

	def some_option(self):
		if not self.options:
			self.options = [re.sub("^no", "", line)
					for line in self.read("trace_options").split()]
			self.options = [name for name in self.options if name not in LEFT_OUT]
		return random.choice(self.options or ["all-objects"])

	def buffer(self):
		"""The top instance, or another one."""
		if not self.mount or random.random() < 0.6:
			return ""
		path = f"instances/t{random.randrange(3)}"
		try:
			os.mkdir(f"{self.mount}/{self.name}/{path}")
		except OSError as error:
			self.count("mkdir", error.errno)
			return path + "/" if error.errno == errno.EEXIST else ""
		self.count("mkdir", 0)
		return path + "/"

	def remove_buffer(self):
		try:
			os.rmdir(f"{self.mount}/{self.name}/instances/t{random.randrange(3)}")
		except OSError as error:
			self.count("rmdir", error.errno)
			return
		self.count("rmdir", 0)


def switch_tracer(root):
	root.write(root.buffer() + "current_tracer",
		   random.choice(("function", "function_graph", "function_graph", "nop")))


def switch_filter(root):
	root.write(root.buffer() + "set_ftrace_filter",
		   random.choice((root.some_functions(), root.some_functions(), "")),
		   random.random() < 0.2)


def switch_others(root):
	name = random.choice(("set_ftrace_notrace", "set_graph_function", "set_graph_notrace"))
	root.write(root.buffer() + name,
		   random.choice((root.some_functions(), "", "")), random.random() < 0.2)


def switch_option(root):
	option = random.choice((root.some_option(), "all-objects"))
	root.write(root.buffer() + "trace_options", random.choice(("", "no")) + option)


def switch_all_objects(root):
	root.write("trace_options", "all-objects")
	root.write("set_ftrace_filter", "")
	root.write("current_tracer", random.choice(("function", "function_graph")))


def switch_number(root):
	name, texts = random.choice((
		("max_graph_depth", "01235"), ("tracing_on", "0111"),
		("function_profile_enabled", "01"), ("stack_tracer_enabled", "01"),
		("buffer_size_kb", ("64", "500", "1408", "4096")),
		("tracing_thresh", ("0", "10", "1000")),
		("trace_clock", ("local", "mono", "boot", "counter")),
		("trace", ("",)), ("snapshot", "012")))
	root.write(name, random.choice(texts))


def switch_command(root):
	function = random.choice(root.some_functions().split())
	if "*" in function:
		function = "m*"
	command = f"{function}:{random.choice(('traceoff', 'traceon', 'snapshot', 'stacktrace'))}"
	root.write("set_ftrace_filter", random.choice(("", "!")) + command +
		   random.choice(("", ":3", ":100")), True)


def switch_off(root):
	root.write("current_tracer", "nop")
	for name in "set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_graph_notrace":
		root.write(name, "")
	root.write("tracing_on", "1")


def read_something(root):
	name = random.choice(("trace", "trace", "enabled_functions", "trace_stat/function0",
			      "stack_trace", "per_cpu/cpu0/stats", "untraceable_functions"))
	text = root.read(name, 1 << 20)
	counts[f"read {name}"] += 1
	counts[f"lines of {name}"] += text.count("\n")


SWITCHES = ([switch_tracer] * 6 + [switch_filter] * 6 + [switch_others] * 2 + [switch_option] * 2 +
	    [switch_all_objects] * 4 + [switch_number] * 4 + [switch_command] * 2 +
	    [switch_off] * 2 + [read_something] * 2 + [Root.remove_buffer])


class Watch:
	"""Whether the program makes progress."""

	def __init__(self, path):
		self.path, self.text, self.since = path, "", time.monotonic()

	def look(self):
		if not self.path or not os.path.exists(self.path):
			return
		with open(self.path, encoding="ascii") as file:
			text = file.read()
		now = time.monotonic()
		if text != self.text:
			self.text, self.since = text, now
		elif now - self.since > PATIENCE_SECONDS:
			fail(f"no progress since {text.strip()}")


def is_alive(pid):
	try:
		with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
			return file.read().rpartition(")")[2].split()[0] not in "ZX"
	except OSError:
		return False


class Attached:
	"""The programs that are attached to."""

	def __init__(self, path):
		self.path, self.roots = path, {}

	def pids(self):
		if not self.path:
			return []
		try:
			with open(self.path, encoding="ascii") as file:
				return file.read().split()
		except OSError:
			return []

	def attach_or_detach(self, pid):
		if not is_alive(pid):
			fail(f"process {pid} has died")
		if pid in self.roots and random.random() < 0.7:
			status, _, text = ulf("detach", pid)
			counts["ulf detach: " + ("ok" if not status else text.strip()[:120])] += 1
			del self.roots[pid]
			return
		status, name, text = ulf("attach", pid)
		if not status:
			self.roots[pid] = name.split()[0]
		counts["ulf attach: " + ("ok" if not status else text.strip()[:120])] += 1


def main():
	global counts_path, options
	pairs, (stop, counts_path) = getopt.getopt(sys.argv[1:], "a:p:s:v")
	options = dict(pairs)
	seed = int(options.get("-s", time.time_ns() % 1000000))
	print(f"seed {seed}", flush=True)
	random.seed(seed)
	signal.signal(signal.SIGALRM, lambda *_: fail("a file of the tree: no answer"))
	status, mount, _ = ulf("mount")
	mount = mount.strip() if not status else ""
	attached, watch = Attached(options.get("-a")), Watch(options.get("-p"))
	known = {}
	while not os.path.exists(stop):
		pids = attached.pids()
		if pids and random.random() < 0.03 or "-a" in options and not attached.roots:
			if pids:
				attached.attach_or_detach(random.choice(pids))
			else:
				time.sleep(0.05)
		names = list(attached.roots.values()) if "-a" in options else living_roots()
		if not names:
			time.sleep(0.02)
			continue
		name = random.choice(names)
		root = known.setdefault(name, Root(name, mount))
		signal.alarm(PATIENCE_SECONDS)
		switch = random.choice(SWITCHES)
		if mount or switch != Root.remove_buffer:
			switch(root)
		signal.alarm(0)
		counts["switches"] += 1
		for pid in pids:
			if not is_alive(pid):
				fail(f"process {pid} has died")
		watch.look()
		if counts["switches"] % 20 == 0:
			write_counts()
	write_counts()


main()
