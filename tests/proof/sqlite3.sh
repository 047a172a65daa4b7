#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# The shell of SQLite prints the same for large scripts while all functions of it and of its
# libraries are traced, and while tracing is switched at random.
. tests/proof/common
need sqlite3
mkdir "$TMPDIR/bin"
wrap sqlite3 "$TMPDIR/bin/sqlite3"
n=$(is_long && echo 100000 || echo 2000)

series="WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < $n)"
# script NAME: print the SQL
script() {
	case $1 in
	index) cat <<-END ;;
		CREATE TABLE a(i INTEGER PRIMARY KEY, t TEXT, r REAL);
		$series INSERT INTO a SELECT i,
			printf('%06d-%s', (i * 7919) % 65521, hex(i)), i / 7.0 FROM n;
		CREATE INDEX a_t ON a(t); CREATE INDEX a_r ON a(r);
		SELECT count(*), sum(i), min(t), max(t), round(total(r), 3) FROM a;
		SELECT * FROM a WHERE t > '03' ORDER BY t LIMIT 50;
		UPDATE a SET t = t || 'x' WHERE i % 3 = 0; DELETE FROM a WHERE i % 5 = 0;
		SELECT count(*), sum(length(t)) FROM a;
		REINDEX; VACUUM; ANALYZE; PRAGMA integrity_check;
		SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY idx;
		EXPLAIN QUERY PLAN SELECT * FROM a WHERE t = 'y';
		END
	join) cat <<-END ;;
		CREATE TABLE b AS $series SELECT i AS k, (i * 31) % 1009 AS v FROM n;
		SELECT x.v, count(*), sum(y.k) FROM b x JOIN b y ON x.k = y.k + 1
			GROUP BY x.v ORDER BY 1 LIMIT 200;
		SELECT v, k, rank() OVER (PARTITION BY v ORDER BY k),
			sum(k) OVER (ORDER BY k ROWS 3 PRECEDING)
			FROM b ORDER BY k LIMIT 300;
		SELECT v FROM b EXCEPT SELECT k FROM b ORDER BY 1;
		SELECT group_concat(v) FROM (SELECT DISTINCT v FROM b ORDER BY v);
		END
	text) cat <<-END ;;
		CREATE VIRTUAL TABLE f USING fts5(t);
		$series INSERT INTO f SELECT printf('word%d and number%d of %d', i % 97, i, i % 13) FROM n;
		SELECT count(*) FROM f WHERE f MATCH 'word7 AND number7*';
		SELECT highlight(f, 0, '[', ']') FROM f WHERE f MATCH 'word13' ORDER BY rank, rowid LIMIT 20;
		SELECT json_group_array(json_object('a', value)) FROM 
			json_each('[1, 2.5, "x", null, {"b": 3}]');
		SELECT json_extract('{"a": [1, 2, {"c": 7}]}', '\$.a[2].c'), quote(zeroblob(5)), hex('ä');
		END
	transactions) cat <<-END ;;
		PRAGMA journal_mode = WAL; CREATE TABLE c(i INTEGER PRIMARY KEY, s TEXT UNIQUE);
		CREATE TRIGGER c_t AFTER INSERT ON c BEGIN UPDATE c SET s = s || '!' WHERE i = new.i; END;
		BEGIN; $series INSERT INTO c SELECT i, 's' || i FROM n; SAVEPOINT p;
		DELETE FROM c; ROLLBACK TO p; COMMIT; INSERT INTO c VALUES(1, 'again');
		INSERT OR REPLACE INTO c VALUES(1, 'again') RETURNING i, s; SELECT count(*), max(s) FROM c;
		BEGIN; UPDATE c SET s = 'lost'; ROLLBACK; SELECT sum(length(s)) FROM c; PRAGMA wal_checkpoint;
		.dump c
		END
	errors) cat <<-END ;;
		SELECT; SELECT nothing FROM nowhere;
		CREATE TABLE d(x CHECK(x > 5)); INSERT INTO d VALUES(3);
		SELECT abs(-9223372036854775808); SELECT 1/0, 9223372036854775807 + 1;
		SELECT substr('abc', -2), 'a' LIKE 'A';
		.mode box
		SELECT 1 AS one, 'two' AS two; .schema
		END
	esac
}
run_script() {
	script "$1" | "$TMPDIR/bin/sqlite3" test.db
	echo "status $?"
	[ ! -e test.db ] || "$TMPDIR/bin/sqlite3" test.db .dump | cksum
}
in_phases run_script 'index join text transactions errors'
echo "score: sqlite3 $score"
