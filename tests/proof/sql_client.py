#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Send SQL to a shell of SQLite, and compare the rows with those of SQLite in this process.
sql_client.py SQL ROWS STOP PROGRESS; SQL and ROWS are FIFOs."""
import os
import random
import sqlite3
import sys

sql, rows, stop, progress = sys.argv[1:]
right = sqlite3.connect(":memory:", isolation_level=None)
nr = 0


def command():
	i, n = random.randrange(5000), random.randrange(1, 60)
	return random.choice((
		f"INSERT OR REPLACE INTO t VALUES({i}, 'text{n}', {i * n})",
		f"UPDATE t SET n = n + {n}, s = s || '{n}' WHERE i % {n} = {i % n}",
		f"DELETE FROM t WHERE i BETWEEN {i} AND {i + n}",
		f"SELECT count(*), sum(n), max(s) FROM t WHERE i > {i}",
		f"SELECT i, substr(s, 1, 40) FROM t WHERE n > {n} ORDER BY s, i LIMIT 20",
		"SELECT a.i, count(*) FROM t a JOIN t b ON a.i = b.i + 1 GROUP BY a.s, a.i "
		"ORDER BY 2, 1 LIMIT 30",
		"WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 2000) "
		f"SELECT sum(x * {n}) FROM c",
		"UPDATE t SET s = substr(s, 1, 30)"))


with open(sql, "w", encoding="ascii") as to, open(rows, encoding="utf-8") as answers:
	def compare(text):
		wanted = ["|".join("" if value is None else str(value) for value in row)
			  for row in right.execute(text)]
		to.write(text + ";\nSELECT 'end of answer';\n")
		to.flush()
		got = []
		while True:
			line = answers.readline()
			if not line:
				print(f"wrong: no answer to {text}")
				sys.exit(1)
			if line == "end of answer\n":
				break
			got.append(line[:-1])
		if got != wanted:
			print(f"wrong: {text}: {got} instead of {wanted}")
			sys.exit(1)

	compare("CREATE TABLE t(i INTEGER PRIMARY KEY, s TEXT, n INT)")
	compare("CREATE INDEX t_s ON t(s)")
	right.execute("PRAGMA synchronous = OFF")
	to.write("PRAGMA synchronous = OFF;\n")
	while not os.path.exists(stop):
		compare(command())
		nr += 1
		with open(progress + ".new", "w", encoding="ascii") as file:
			print(nr, file=file)
		os.rename(progress + ".new", progress)
