#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients that check every answer of a server.

  clients.py redis SOCKET STOP PROGRESS      commands on keys of their own, of all types
  clients.py http URL DIRECTORY STOP PROGRESS    the files below DIRECTORY
  clients.py https URL DIRECTORY STOP PROGRESS   so, and a handshake for each file

Clients run until the file STOP exists.  The file PROGRESS has the number of right answers so
far.  A wrong answer, or none for two minutes, ends the program with status 1.
"""
import os
import random
import re
import socket
import ssl
import sys
import threading
import time
import urllib.request

NR_CLIENTS = 4
PATIENCE_SECONDS = 120
counts = [0] * NR_CLIENTS


def fail(text):
	print("wrong:", text, flush=True)
	os._exit(1)


class Connection:
	def __init__(self, path):
		self.socket = socket.socket(socket.AF_UNIX)
		self.socket.settimeout(PATIENCE_SECONDS)
		self.socket.connect(path)
		self.file = self.socket.makefile("rb")

	def send(self, commands):
		data = b""
		for words in commands:
			words = [str(word).encode() for word in words]
			data += b"*%d\r\n" % len(words)
			data += b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
		self.socket.sendall(data)

	def answer(self):
		line = self.file.readline()
		kind, text = line[:1], line[1:-2].decode()
		if kind in (b"+", b"-"):
			return text
		if kind == b":":
			return int(text)
		if kind == b"$":
			if text == "-1":
				return None
			return self.file.read(int(text) + 2)[:-2].decode()
		if kind == b"*":
			return [self.answer() for _ in range(int(text))]
		fail(f"answer {line!r}")


class Keys:
	"""A model of the keys of one client: each command with the answer that is right."""

	def __init__(self, name):
		self.name = name
		self.texts, self.numbers, self.lists, self.tables, self.ranks = {}, {}, {}, {}, {}

	def command(self):
		n = random.randrange(300)
		key = f"{self.name}:{n}"
		kind = random.randrange(12)
		if kind == 0:
			text = "x" * random.choice((1, 10, 100, 5000)) + str(random.random())
			self.texts[n] = text
			return ("SET", "s" + key, text), "OK"
		if kind == 1:
			return ("GET", "s" + key), self.texts.get(n)
		if kind == 2:
			self.texts[n] = self.texts.get(n, "") + "y"
			return ("APPEND", "s" + key, "y"), len(self.texts[n])
		if kind == 3:
			self.numbers[n] = self.numbers.get(n, 0) + n
			return ("INCRBY", "n" + key, n), self.numbers[n]
		if kind == 4:
			self.lists.setdefault(n, []).append(str(n * 7))
			return ("RPUSH", "l" + key, n * 7), len(self.lists[n])
		if kind == 5:
			items = self.lists.get(n)
			return ("LPOP", "l" + key), items.pop(0) if items else None
		if kind == 6:
			return ("LRANGE", "l" + key, 0, -1), list(self.lists.get(n, []))
		if kind == 7:
			field = str(random.randrange(50))
			is_new = field not in self.tables.setdefault(n, {})
			self.tables[n][field] = key
			return ("HSET", "h" + key, field, key), int(is_new)
		if kind == 8:
			field = str(random.randrange(50))
			return ("HGET", "h" + key, field), self.tables.get(n, {}).get(field)
		if kind == 9:
			member, rank = f"m{random.randrange(50):02}", random.randrange(1000)
			is_new = member not in self.ranks.setdefault(n, {})
			self.ranks[n][member] = rank
			return ("ZADD", "z" + key, rank, member), int(is_new)
		if kind == 10:
			ranks = self.ranks.get(n, {})
			return (("ZRANGE", "z" + key, 0, -1),
				sorted(ranks, key=lambda member: (ranks[member], member)))
		return (("EVAL", "local s = 0 for i = 1, ARGV[1] do s = s + i end "
			 "return {s, redis.call('get', KEYS[1])}", 1, "s" + key, n),
			[n * (n + 1) // 2, self.texts.get(n)])


def redis_client(number, path, stop):
	connection, keys = Connection(path), Keys(f"c{number}")
	saved = time.monotonic()
	while not os.path.exists(stop):
		pairs = [keys.command() for _ in range(random.choice((1, 8, 32)))]
		connection.send([command for command, _ in pairs])
		for command, right in pairs:
			answer = connection.answer()
			if answer != right:
				fail(f"{command}: {answer!r} instead of {right!r}")
			counts[number] += 1
		if number == 0 and time.monotonic() > saved + 20:	# redis forks
			saved = time.monotonic()
			connection.send([("INFO", "persistence"), ("BGSAVE", "SCHEDULE")])
			info = connection.answer()
			connection.answer()
			seconds = int(re.search(r"rdb_current_bgsave_time_sec:(-?\d+)", info)[1])
			if seconds > PATIENCE_SECONDS:
				fail(f"a child of redis saves since {seconds} seconds")
			if "last_bgsave_status:ok" not in info:
				fail(f"a child of redis has failed: {info}")


def http_client(number, url, directory, stop):
	context = ssl._create_unverified_context() if url.startswith("https") else None
	files = {}
	for name in os.listdir(directory):
		with open(os.path.join(directory, name), "rb") as file:
			files[name] = file.read()
	while not os.path.exists(stop):
		name = random.choice(list(files))
		data = urllib.request.urlopen(f"{url}/{name}", timeout=PATIENCE_SECONDS,
					      context=context).read()
		if data != files[name]:
			fail(f"{name}: {len(data)} bytes differ")
		counts[number] += 1


def write_progress(path):
	with open(path + ".new", "w", encoding="ascii") as file:
		print(sum(counts), file=file)
	os.rename(path + ".new", path)


def run_client(function, number, *args):
	try:
		function(number, *args)
	except Exception as error:	# any failure of a client fails the test
		fail(f"client {number}: {error!r}")


def main():
	kind, *args, progress = sys.argv[1:]
	function = redis_client if kind == "redis" else http_client
	threads = [threading.Thread(target=run_client, args=(function, number, *args))
		   for number in range(NR_CLIENTS)]
	for thread in threads:
		thread.start()
	while any(thread.is_alive() for thread in threads):
		write_progress(progress)
		time.sleep(0.5)
	write_progress(progress)


main()
