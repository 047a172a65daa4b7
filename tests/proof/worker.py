# SPDX-License-Identifier: MIT
"""A load for python: threads that compute, allocate, compress, raise, fork and call C, with
results that are known.  worker.py STOP PROGRESS; ends with status 5, and with 3 if a result is
wrong."""
import ctypes
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import zlib

stop, progress = sys.argv[1:]
NR_THREADS = 4
counts = [0] * NR_THREADS
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
libc = ctypes.CDLL(None)


def check(name, value, right):
	if value != right:
		print(f"wrong: {name}: {value!r}", flush=True)
		os._exit(3)


def generate(n):
	for i in range(n):
		try:
			if i % 3 == 0:
				raise KeyError(i)
			yield i
		except KeyError as error:
			yield error.args[0] * 2


def one_round():
	check("sum", sum(generate(3000)), 5997000)
	data = json.dumps([{"a": i, "b": "x" * (i % 50)} for i in range(300)])
	check("json", json.loads(data)[77], {"a": 77, "b": "x" * 27})
	check("sha256", hashlib.sha256(data.encode()).hexdigest(), SHA)
	check("zlib", zlib.decompress(zlib.compress(data.encode())), data.encode())
	check("re", len(re.findall(r'"a": \d*7,', data)), 30)
	numbers = (ctypes.c_int * 200)(*[(i * 7919) % 211 for i in range(200)])
	libc.qsort(numbers, 200, 4, COMPARE(lambda a, b: a[0] - b[0]))
	check("qsort", list(numbers), sorted((i * 7919) % 211 for i in range(200)))
	db = sqlite3.connect(":memory:")
	db.execute("CREATE TABLE t(i)")
	db.executemany("INSERT INTO t VALUES(?)", [(i,) for i in range(500)])
	check("sqlite", db.execute("SELECT sum(i) FROM t").fetchone(), (124750,))
	check("int", pow(3, 20000, 10 ** 40 + 7), POWER)


def run(number):
	while not os.path.exists(stop):
		one_round()
		counts[number] += 1
		if number == 0 and counts[0] % 10 == 0:
			check("child", subprocess.run(["echo", "hi"], stdout=subprocess.PIPE,
						      check=False).stdout, b"hi\n")


SHA = hashlib.sha256(json.dumps([{"a": i, "b": "x" * (i % 50)}
				 for i in range(300)]).encode()).hexdigest()
POWER = pow(3, 20000, 10 ** 40 + 7)
threads = [threading.Thread(target=run, args=(i,)) for i in range(NR_THREADS)]
for thread in threads:
	thread.start()
while any(thread.is_alive() for thread in threads):
	with open(progress + ".new", "w", encoding="ascii") as file:
		print(sum(counts), file=file)
	os.rename(progress + ".new", progress)
	threads[0].join(0.5)
sys.exit(5)
