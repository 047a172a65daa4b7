#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# redis-server, redis-cli, redis-benchmark and the redis-check programs pass the tests of redis
# while all functions of theirs and of their libraries are traced, and while tracing is switched
# at random.
. tests/proof/common
need redis-server
need redis-benchmark
tclsh=$(find_program tclsh8.6) || skip "no tclsh8.6 (tools/setup --proof)"
need_source redis

# Units without tests of speed; the servers of replication and cluster units are many processes.
units='unit/protocol unit/type/hash'
! is_long || units='unit/printver unit/dump unit/auth unit/protocol unit/keyspace unit/scan
	unit/info unit/info-command unit/type/string unit/type/incr unit/type/list unit/type/list-3
	unit/type/set unit/type/zset unit/type/hash unit/type/stream unit/type/stream-cgroups
	unit/sort unit/expire unit/other unit/multi unit/quit unit/aofrw unit/acl unit/acl-v2
	unit/pubsub unit/pubsubshard unit/slowlog unit/scripting unit/functions
	unit/introspection-2 unit/limits unit/bitops unit/bitfield unit/geo unit/hyperloglog
	unit/lazyfree unit/wait unit/pause unit/tracking unit/networking unit/replybufsize
	unit/cluster-scripting integration/aof integration/aof-multi-part integration/rdb
	integration/logging integration/redis-cli integration/redis-benchmark
	integration/convert-zipmap-hash-on-load integration/convert-ziplist-hash-on-load
	integration/convert-ziplist-zset-on-load integration/replication-buffer'
units=${PROOF_UNITS:-$units}

mkdir -p "$TMPDIR/redis/src" "$TMPDIR/bin" || fail mkdir
cp -r "$source/tests" "$TMPDIR/redis" || fail cp
for name in redis-server redis-cli redis-benchmark redis-check-aof redis-check-rdb; do
	wrap $name "$TMPDIR/redis/src/$name"
done
# tclsh is not traced: redis is.
cat >"$TMPDIR/bin/tclsh" <<END
#!/bin/sh
export TCL_LIBRARY="$(dirname "$tclsh")/../share/tcltk/tcl8.6"
LD_LIBRARY_PATH="$(libraries_of "$tclsh")" exec "$tclsh" "\$@"
END
chmod +x "$TMPDIR/bin/tclsh"
baseport=$((20000 + $$ % 300 * 100))

# run_unit UNIT: print the results of its tests, without times
run_unit() {
	(cd "$TMPDIR/redis" && exec "$TMPDIR/bin/tclsh" tests/test_helper.tcl --clients 1 \
		--no-latency --tags '-slow -large-memory' --timeout 1200 \
		--baseport $baseport --portcount 3000 --single "$(echo "$1" | tr , /)") \
		>"$TMPDIR/log" 2>&1
	echo "status $?"
	# Colours are in the way.
	sed 's/\x1b\[[0-9;]*m//g' "$TMPDIR/log" |
		sed -n 's/^\[\(ok\|err\|exception\|skip\|ignore\|timeout\)\]: /\1 /p' |
		sed 's/ ([0-9]* ms)$//; s/ in tests\/.*//; s/ [0-9.]* \(seconds\|ms\).*//
			s/[0-9a-f]\{40\}/ID/; s/127.0.0.1:[0-9]*/PORT/'
	grep -q 'All tests passed' "$TMPDIR/log" || tail -n 30 "$TMPDIR/log"
}
in_phases run_unit "$(echo $units | tr / ,)"
echo "score: redis $score"
