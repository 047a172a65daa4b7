#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the records of programs that have ended, and remove their roots, until a file appears.

  collect.py STOP COUNTS

COUNTS gets three numbers: roots, roots without records, records.
"""
import os
import re
import subprocess
import sys
import time

stop, path = sys.argv[1:]
nr_roots = nr_empty = nr_records = 0


def ulf(*args):
	return subprocess.run(["ulf", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
			      stderr=subprocess.DEVNULL, text=True, check=False).stdout


cpus = sorted(os.sched_getaffinity(0))
while True:
	is_last = os.path.exists(stop)
	lines = [line.split() for line in ulf("ls").splitlines()[1:]]
	for name in [line[0] for line in lines if len(line) > 2 and line[2] == "dead"]:
		stats = ulf("cat", *(f"{name}/per_cpu/cpu{cpu}/stats" for cpu in cpus))
		nr = sum(map(int, re.findall(r"^(?:entries|overrun|read events): (\d+)", stats, re.M)))
		nr_roots += 1
		nr_empty += not nr
		nr_records += nr
		ulf("rm", name)
	with open(path, "w", encoding="ascii") as file:
		print(nr_roots, nr_empty, nr_records, file=file)
	if is_last:
		break
	time.sleep(0.2)
