#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# timeout: 1200
# PostgreSQL passes its own regression tests, with a process for each connection, while all
# functions of all its processes and libraries are traced, and while tracing is switched at random.
. tests/proof/common
. tests/proof/loads
reason=$(can_postgres | head -n 1)
[ -z "$reason" ] || skip "$reason (tools/setup --proof)"
need_source postgresql
regress=$(find_program pg_regress /usr/lib/postgresql/15/lib/pgxs/src/test/regress) ||
	skip "no pg_regress (tools/setup --proof)"
[ "$(id -u)" != 0 ] || skip "PostgreSQL does not run as root"
groups=$(is_long && echo "${PROOF_GROUPS:-9}" || echo 2)
make_postgres_programs

# The library of C functions that the tests call.
include=$(dirname "$regress" | sed 's|/lib/postgresql/15/lib/.*|/include/postgresql/15/server|')
lib=$(dirname "$postgres" | sed 's|/bin$|/lib|')
mkdir "$TMPDIR/lib"
cp "$lib/autoinc.so" "$lib/refint.so" "$TMPDIR/lib" || fail cp
gcc -w -O1 -fPIC -shared -I"$include" -I"${include%/postgresql/15/server}" \
	-o "$TMPDIR/lib/regress.so" \
	"$source/src/test/regress/regress.c" || fail "gcc regress.c"
grep '^test:' "$source/src/test/regress/parallel_schedule" | head -n "$groups" >"$TMPDIR/schedule"

# run_groups: print the result of each test
run_groups() {
	mkdir results
	LD_LIBRARY_PATH=$(libraries_of "$regress") timeout 1000 "$regress" \
		--inputdir="$source/src/test/regress" --outputdir="$PWD" \
		--bindir="$TMPDIR/pgbin" --dlpath="$TMPDIR/lib" --temp-instance="$PWD/data" \
		--port="$(free_port)" --max-connections=4 --schedule="$TMPDIR/schedule" --no-locale \
		--encoding=UTF8 >"$TMPDIR/log" 2>&1
	status=$?
	echo "status $status"
	sed -n 's/^\(test\)* *\([a-z0-9_]*\) *\.\.\. *\([^ ]*\).*/\2 \3/p' "$TMPDIR/log" | sort
	[ $status = 0 ] ||
		cat "$TMPDIR/log" log/postmaster.log regression.diffs >"$TMPDIR/failed.$phase" 2>&1
	grep 'PANIC\|terminated by signal' log/postmaster.log
}
in_phases run_groups regress
echo "score: postgres $score"
