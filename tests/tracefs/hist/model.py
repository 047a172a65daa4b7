#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares random histograms with a plain computation from the recorded events.

  model.py ROOT SEED ROUNDS EVENTS WRITERS

ROOT is the mounted root of the program modeled.c, whose standard input is descriptor 3 and
whose output is the standard input.  Each of its WRITERS hits EVENTS events in each round.
"""
import collections
import glob
import os
import random
import re
import struct
import sys

MASK = (1 << 64) - 1
PAGE = 4096
MISSED = 1 << 31
SIGNED = ["sb", "sh", "si", "sl", "who"]
NUMBERS = SIGNED + ["ub", "uh", "ui", "ul"]
STRINGS = ["name", "dyn", "rel"]
EVENTS = ["model_start", "model_end"]


def die(*words):
	print("model.py:", *words, file=sys.stderr)
	sys.exit(1)


# ---- the recorded events ----

def text_at(data, start, size):
	return bytes(data[start:start + size]).split(b"\0")[0].decode()


class Format:
	"""Where the fields of an event are, by its file `format`."""

	def __init__(self, root, name):
		with open(f"{root}/events/model/{name}/format", encoding="ascii") as file:
			text = file.read()
		self.name = name
		self.id = int(re.search(r"^ID: (\d+)", text, re.M)[1])
		self.fields = {}
		for line in re.findall(r"\tfield:(.*)", text):
			name = re.search(r"(\w+)(\[\d*\])?;", line)[1]
			numbers = re.findall(r"(?:offset|size|signed):(\d+)", line)
			self.fields[name] = tuple(map(int, numbers))

	def number(self, data, name):
		"""The value as 64 bits, as histograms have it."""
		offset, size, is_signed = self.fields[name]
		return int.from_bytes(data[offset:offset + size], "little",
				      signed=bool(is_signed)) & MASK

	def event(self, data):
		event = {name: self.number(data, name)
			 for name in ["common_pid", "who", "seq"] + NUMBERS}
		event["event"] = self.name
		offset, size, _ = self.fields["name"]
		event["name"] = text_at(data, offset, size)
		for name in "dyn", "rel":
			word = self.number(data, name) & 0xffffffff
			start = word & 0xffff
			if name == "rel":
				start += self.fields[name][0] + 4
			event[name] = text_at(data, start, word >> 16)
		return event


def records_of(page):
	"""The payloads of the records of a page of trace_pipe_raw."""
	commit = struct.unpack_from("<Q", page, 8)[0]
	if commit & MISSED:
		die("the instance has lost events: its buffer is too small")
	at, end = 16, 16 + (commit & 0xfffff)
	while at < end:
		word = struct.unpack_from("<I", page, at)[0]
		kind = word & 31
		if kind > 29:
			at += 8
			continue
		if kind == 29:
			size = struct.unpack_from("<I", page, at + 4)[0]
			at += 4 + size
			continue
		if kind:
			start, size = at + 4, 4 * kind
		else:
			start, size = at + 8, struct.unpack_from("<I", page, at + 4)[0] - 4
		yield memoryview(page)[start:start + size]
		at = start + size


def pages_of(path):
	fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
	try:
		while True:
			page = os.read(fd, PAGE)
			if not page:
				return
			yield page
	except BlockingIOError:
		pass
	finally:
		os.close(fd)


def read_events(instance, formats):
	"""All recorded events, for each writer in the order of its hits."""
	events = []
	for path in glob.glob(instance + "/per_cpu/cpu*/trace_pipe_raw"):
		for page in pages_of(path):
			for data in records_of(page):
				number = struct.unpack_from("<H", data)[0]
				if number in formats:
					events.append(formats[number].event(data))
	events.sort(key=lambda event: (event["who"], event["seq"]))
	return events


# ---- keys, values, filters ----

def log2(value):
	return (value - 1).bit_length() if value > 1 else 0


def log2_range(value, bits):
	top = value.bit_length() - 1 if value else 0
	if top <= bits:
		return f"~ {value}-{value}"
	low = value >> (top - bits) << (top - bits)
	return f"~ {low}-{low + (1 << (top - bits)) - 1}"


def bucket(value, size):
	low = value - value % size
	return f"~ {low}-{low + size - 1 & MASK}"


def random_key(dice, field):
	"""The text of a key, and a function from an event to what is printed."""
	if field in STRINGS:
		return field, lambda e: e[field]
	if field == "common_pid":
		return field + ".execname", \
			lambda e: f"modeled/{e['who']:<8}[{e[field]:11}]".replace(" ", "")
	kind = dice.choice(["plain", "hex", "log2", "sublog2", "buckets"])
	if kind == "hex":
		return field + ".hex", lambda e: f"{e[field]:x}"
	if kind == "log2":
		return field + ".log2", lambda e: f"~ 2^{log2(e[field])}"
	if kind == "sublog2":
		bits = dice.randrange(1, 6)
		return f"{field}.log2={bits}", lambda e: log2_range(e[field], bits)
	if kind == "buckets":
		size = dice.choice([1, 2, 3, 10, 100, 1000, 12345])
		return f"{field}.buckets={size}", lambda e: bucket(e[field], size)
	return field, lambda e: str(e[field])


def random_filter(dice):
	"""The text of a filter, and a function from an event to bool."""
	def signed(event, field):
		value = event[field]
		if field in SIGNED and value >> 63:
			value -= 1 << 64
		return value

	kind = dice.randrange(4)
	if kind == 0:
		field, limit = dice.choice(["si", "sl", "sh"]), dice.randrange(-20, 50)
		return f"{field} > {limit}", lambda e: signed(e, field) > limit
	if kind == 1:
		field, limit = dice.choice(["ui", "ul", "uh", "ub"]), dice.randrange(50)
		return f"{field} <= {limit}", lambda e: e[field] <= limit
	field = dice.choice(STRINGS)
	if kind == 2:
		return f'{field} == "ab"', lambda e: e[field] == "ab"
	number = dice.randrange(50)
	return f'{field} ~ "*b*" || ui != {number}', lambda e: "b" in e[field] or e["ui"] != number


# ---- the printed histograms ----

Table = collections.namedtuple("Table", "trigger entries hits nr_entries dropped")


def parse_value(text):
	text = text.strip()
	if "[" in text:
		return text.replace(" ", "")
	return re.sub(r"\s+", " ", text)


def parse_entry(line):
	keys, values = re.match(r"\{ (.*?) \} (.*)$", line).groups()
	key = tuple(parse_value(part.split(":", 1)[1]) for part in keys.split(", "))
	return key, {name: value for name, value in re.findall(r"(\w+): +(\w+)", values)}


def parse(path):
	"""The histograms of a file `hist`, by their trigger."""
	with open(path, encoding="ascii") as file:
		text = file.read()
	tables = {}
	for part in text.split("# event histogram\n")[1:]:
		trigger = re.search(r"^# trigger info: (.*) \[active\]$", part, re.M)[1]
		totals = [int(n) for n in re.findall(r"^    \w+: (\d+)", part, re.M)]
		entries = {}
		for line in re.sub(r"\n\t", " ", part).splitlines():
			if line.startswith("{"):
				key, values = parse_entry(line)
				if key in entries:
					die("twice:", line)
				entries[key] = values
		tables[trigger] = Table(trigger, entries, *totals)
	return tables


# ---- histograms ----

class Histogram:
	"""A random histogram of an event."""

	def __init__(self, dice, event):
		self.event = event
		fields = dice.sample(NUMBERS + STRINGS + ["common_pid"], dice.randrange(1, 4))
		self.keys = [random_key(dice, field) for field in fields]
		self.values = dice.sample(NUMBERS, dice.randrange(0, 5))
		self.keeps = None
		self.size = dice.choice([128, 2048, 16384, 131072])
		self.text = "hist:keys=" + ",".join(text for text, _ in self.keys)
		self.text += ":vals=hitcount" + "".join("," + value for value in self.values)
		self.text += f":sort=hitcount:size={self.size}"
		if dice.randrange(3) == 0:
			text, self.keeps = random_filter(dice)
			self.text += " if " + text

	def compute(self, events):
		entries = {}
		for event in events:
			if event["event"] != self.event or self.keeps and not self.keeps(event):
				continue
			key = tuple(show(event) for _, show in self.keys)
			sums = entries.setdefault(key, [0] * (1 + len(self.values)))
			sums[0] += 1
			for i, value in enumerate(self.values):
				sums[1 + i] += event[value]
		return {key: {"hitcount": str(sums[0]), **{
			value: str(sums[1 + i] & MASK) for i, value in enumerate(self.values)}}
			for key, sums in entries.items()}

	def check(self, table, events):
		compare(table, self.compute(events), self.size)


def compare(table, wanted, size):
	hits = sum(int(values["hitcount"]) for values in table.entries.values())
	wanted_hits = sum(int(values["hitcount"]) for values in wanted.values())
	if table.hits != hits or table.nr_entries != len(table.entries):
		die(table.trigger, "totals:", table[2:], "of", hits, len(table.entries))
	if table.hits + table.dropped != wanted_hits:
		die(table.trigger, "hits:", table[2:], "of", wanted_hits)
	if len(wanted) <= size:
		if table.dropped:
			die(table.trigger, table.dropped, "dropped")
		if table.entries != wanted:
			for key in sorted(set(wanted) | set(table.entries)):
				if wanted.get(key) != table.entries.get(key):
					print(key, "is", table.entries.get(key), "not", wanted.get(key))
			die(table.trigger, "entries differ")
		return
	# Full: a thread may have missed an entry that another one was about to insert.
	if len(table.entries) != size:
		die(table.trigger, len(table.entries), "entries")
	for key, values in table.entries.items():
		if key not in wanted or int(values["hitcount"]) > int(wanted[key]["hitcount"]):
			die(table.trigger, "entry", key, values, "of", wanted.get(key))


class Pairs:
	"""A variable, a synthetic event, and its histogram."""

	def __init__(self, dice, number):
		field = dice.choice(["ul", "ui", "uh", "sl"])
		self.name = f"model_synth{number}"
		self.var = f"v{number}"
		expression, self.compute_value = dice.choice([
			(f"ul-${self.var}", lambda e, v: e["ul"] - v),
			(f"ul+ui-${self.var}", lambda e, v: e["ul"] + e["ui"] - v),
			(f"ul*3-${self.var}", lambda e, v: e["ul"] * 3 - v),
			(f"ul/7-${self.var}", lambda e, v: e["ul"] // 7 - v),
		])
		self.field = field
		self.start = f"hist:keys=who:{self.var}={field}"
		self.end = f"hist:keys=who:x{number}={expression}:onmatch(model.model_start)." \
			f"{self.name}(who,$x{number},dyn)"
		self.synth = "hist:keys=who,x.log2,text:vals=hitcount,x:sort=hitcount:size=65536"
		self.definition = f"{self.name} int who; u64 x; char text[]"

	def compute(self, events):
		values, entries = {}, {}
		for event in events:
			who = event["who"]
			if event["event"] == "model_start":
				values[who] = event[self.field]
			elif who in values:
				x = self.compute_value(event, values.pop(who)) & MASK
				key = (str(who), f"~ 2^{log2(x)}", event["dyn"])
				sums = entries.setdefault(key, [0, 0])
				sums[0] += 1
				sums[1] += x
		return {key: {"hitcount": str(nr), "x": str(x & MASK)}
			for key, (nr, x) in entries.items()}


class Greatest:
	"""onmax() and save()."""

	text = "hist:keys=who:vals=hitcount:m=ui:sort=hitcount:size=2048:onmax($m).save(sl,ul,dyn)"

	def check(self, table, events):
		best = {}
		for event in events:
			if event["event"] == "model_start":
				old = best.get(str(event["who"]))
				if event["ui"] > (old["ui"] if old else 0):
					best[str(event["who"])] = event
		for (who,), values in table.entries.items():
			event = best[who]
			wanted = {"max": event["ui"], "sl": event["sl"], "ul": event["ul"]}
			for name, number in wanted.items():
				if values.get(name) != str(number):
					die(self.text, who, name, "is", values.get(name), "not", number)


# ---- rounds ----

def append(path, text):
	fd = os.open(path, os.O_WRONLY | os.O_APPEND)
	try:
		os.write(fd, text.encode() + b"\n")
	except OSError as error:
		die("cannot write", text, "to", path, error)
	finally:
		os.close(fd)


def clear(path):
	with open(path, "w", encoding="ascii"):
		pass


class Model:
	def __init__(self, root, nr_events, nr_writers):
		self.root = root
		self.nr_events, self.nr_writers = nr_events, nr_writers
		self.instance = root + "/instances/model"
		os.mkdir(self.instance)
		self.formats = {}
		for name in EVENTS:
			made = Format(root, name)
			self.formats[made.id] = made
		kb = nr_events * nr_writers // 1000 * 220 + 1024
		append(self.instance + "/buffer_size_kb", str(kb))
		append(self.instance + "/events/model/enable", "1")

	def file(self, event, name):
		system = "synthetic" if event.startswith("model_synth") else "model"
		return f"{self.root}/events/{system}/{event}/{name}"

	def hit_all(self, seed):
		os.write(3, f"{seed} {self.nr_events}\n".encode())
		if sys.stdin.readline() != "done\n":
			die("the program has ended")
		events = read_events(self.instance, self.formats)
		if len(events) != self.nr_events * self.nr_writers:
			die(len(events), "events are recorded")
		return events

	def add(self, histograms, pairs, greatest):
		for histogram in histograms:
			append(self.file(histogram.event, "trigger"), histogram.text)
		if greatest:
			append(self.file("model_start", "trigger"), greatest.text)
		if pairs:
			append(self.root + "/synthetic_events", pairs.definition)
			append(self.file("model_start", "trigger"), pairs.start)
			append(self.file("model_end", "trigger"), pairs.end)
			append(self.file(pairs.name, "trigger"), pairs.synth)

	def check(self, events, histograms, pairs, greatest):
		tables = {event: parse(self.file(event, "hist")) for event in EVENTS}
		for histogram in histograms:
			table = tables[histogram.event].get(histogram.text)
			if not table:
				die("no", histogram.text, "in", *tables[histogram.event])
			histogram.check(table, events)
		if greatest:
			greatest.check(tables["model_start"][greatest.text], events)
		if pairs:
			table = parse(self.file(pairs.name, "hist"))[pairs.synth]
			compare(table, pairs.compute(events), 65536)

	def remove(self, pairs):
		if pairs:
			append(self.file(pairs.name, "trigger"), "!" + pairs.synth)
		for event in "model_end", "model_start":
			clear(self.file(event, "trigger"))
		if pairs:
			append(self.root + "/synthetic_events", "!" + pairs.name)

	def round(self, dice, number):
		histograms = [Histogram(dice, dice.choice(EVENTS))
			      for _ in range(dice.randrange(1, 6))]
		pairs = Pairs(dice, number) if dice.randrange(3) else None
		greatest = Greatest() if dice.randrange(2) else None
		self.add(histograms, pairs, greatest)
		events = self.hit_all(dice.randrange(1 << 30))
		self.check(events, histograms, pairs, greatest)
		self.remove(pairs)
		return len(events), len(histograms)


def main():
	root, seed, nr_rounds, nr_events, nr_writers = sys.argv[1], *map(int, sys.argv[2:])
	model = Model(root, nr_events, nr_writers)
	dice = random.Random(seed)
	totals = [model.round(dice, number) for number in range(nr_rounds)]
	print(f"score: {sum(t[0] for t in totals)} events, {sum(t[1] for t in totals)} histograms")


main()
