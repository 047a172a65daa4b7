#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both root runs most tests as an ordinary user
# tests/run shows progress, lists the slowest tests and ends with its counts.  Root runs as root
# only the tests that need it, and the others as an ordinary user, even in a clone that this user
# cannot reach.  An ordinary user skips tests that need root, with their reason.  Tests run side by
# side unless one must be alone; more of them run while CPUs are idle.  The slowest tests start
# first.  A signal ends all tests.
set -u
fail() { echo "FAIL: $*"; exit 1; }

tree=$TMPDIR/closed/clone
mkdir -p -m 700 "$TMPDIR/closed" && mkdir -p "$tree/tests/cli" "$tree/src" "$tree/build" &&
	cp "$ULF_SRC/tests/run" "$tree/tests/" || exit 1
echo source >"$tree/src/part"
echo object >"$tree/build/part.o"
printf '#!/bin/sh\n' >"$tree/build/ulf"
chmod +x "$tree/build/ulf"

# until_true COMMAND...: wait until the command succeeds.
until_true() {
	for _ in $(seq 6000); do
		"$@" 2>/dev/null && return
		sleep 0.02
	done
	fail "not true after two minutes: $*"
}

# results FILE: print FILE without times, and without the lines of a failed test.
results() { sed -E '/^ /d; s, \([0-9.]+s\),,' "$1"; }

# add NAME STATUS HEADER: add a test that prints which user runs it, and its files.
add() {
	cat >"$tree/tests/cli/$1.sh" <<-END
	# $3
	[ "\$(cat src/part "\$ULF_SRC/src/part" "\$ULF_BUILD/part.o" | xargs)" = \
		"source source object" ] || exit 9
	touch "\$ULF_CACHE/\$\$" "\$ULF_DIR/file" "\$TMPDIR/file" || exit 8
	[ "\$(command -v ulf)" = "\$ULF_BUILD/ulf" ] || exit 7
	[ "\$(id -u)" = 0 ] || [ "\$(ulimit -l)" -le 8192 ] || exit 6
	echo "user \$(id -u)"
	exit $2
	END
}
add both 0 "user: both a part of it needs root"
add fails 3 "timeout: 20"
add ordinary 0 "timeout: 20"
add root 0 "user: root it needs root"
add skips 77 "timeout: 20"
# a program, and the file that the program is made of
mkdir -p "$tree/tests/unit" "$tree/build/tests"
echo "/* timeout: 20 */" >"$tree/tests/unit/test_program.c"
{ echo '#!/bin/sh'; cat "$tree/tests/cli/ordinary.sh"; } >"$tree/build/tests/unit-test_program"
chmod +x "$tree/build/tests/unit-test_program"

"$tree/tests/run" -b "$tree/build" -j 1 >"$TMPDIR/out"
[ $? = 1 ] || fail "status $? though one fails"
cat "$TMPDIR/out"
user=$(id -u)
if [ "$user" = 0 ]; then
	user=$(id -u ulftest) || fail "no user ulftest"
	cat >"$TMPDIR/expected" <<-END
	[1/7] PASS cli/both.sh
	[2/7] PASS cli/both.sh@root
	[3/7] FAIL cli/fails.sh exit status 3
	[4/7] PASS cli/ordinary.sh
	[5/7] PASS cli/root.sh@root
	[6/7] SKIP cli/skips.sh user $user
	[7/7] PASS unit/test_program.c
	failed: cli/fails.sh
	5 passed, 1 failed, 1 skipped
	END
	runs="both.sh:$user both.sh@root:0 ordinary.sh:$user root.sh@root:0"
else
	cat >"$TMPDIR/expected" <<-END
	[1/6] PASS cli/both.sh
	[2/6] FAIL cli/fails.sh exit status 3
	[3/6] PASS cli/ordinary.sh
	[4/6] SKIP cli/root.sh needs root: it needs root
	[5/6] SKIP cli/skips.sh user $user
	[6/6] PASS unit/test_program.c
	failed: cli/fails.sh
	3 passed, 1 failed, 2 skipped
	END
	runs="both.sh:$user ordinary.sh:$user"
fi
results "$TMPDIR/out" | diff "$TMPDIR/expected" - || fail "the output"
for run in $runs; do
	said=$(cat "$tree/build/test-logs/cli/${run%:*}.log")
	[ "$said" = "user ${run#*:}" ] || fail "${run%:*}: $said, not ${run#*:}"
done

# Three tests wait for each other: they pass only if all three run at the same time.  A test that
# must be alone sees none of them.  Tests meet in a directory that each user may write to.
rm -r "$tree/tests/cli" "$tree/tests/unit"
mkdir "$tree/tests/cli" "$TMPDIR/meet"
chmod 755 "$TMPDIR"
chmod 1777 "$TMPDIR/meet"
meet=$TMPDIR/meet
for name in a b c; do
	cat >"$tree/tests/cli/$name.sh" <<-END
	touch $meet/$name
	for _ in \$(seq 3000); do
		[ -e $meet/a ] && [ -e $meet/b ] && [ -e $meet/c ] && exit 0
		sleep 0.02
	done
	exit 1
	END
done
cat >"$tree/tests/cli/alone.sh" <<END
# alone: it looks at all processes
[ -e $meet/a ] && [ -e $meet/b ] && [ -e $meet/c ] && rm $meet/?
END
"$tree/tests/run" -b "$tree/build" -j 3 >"$TMPDIR/out" || fail "side by side: $(cat "$TMPDIR/out")"
tail -n 2 "$TMPDIR/out" | results - | diff - /dev/fd/3 3<<END || fail "alone: $(cat "$TMPDIR/out")"
[4/4] PASS cli/alone.sh
4 passed, 0 failed
END

# Without -j, one more test starts each time that CPUs were idle, and none while they are busy.
# ULF_TESTS_STAT is a file that stands for /proc/stat.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
run_on_one_cpu() {
	ULF_TESTS_STAT=$TMPDIR/stat taskset -c "$cpu" "$tree/tests/run" -b "$tree/build" \
		>"$TMPDIR/out"
}
rm "$tree/tests/cli/alone.sh"
for ticks in $(seq 100000); do
	echo "cpu$cpu 0 0 0 $ticks 0 0 0 0 0 0" >"$TMPDIR/stat.new"
	mv "$TMPDIR/stat.new" "$TMPDIR/stat"
	sleep 0.02
done &
until_true test -e "$TMPDIR/stat"
run_on_one_cpu || fail "idle CPUs: $(cat "$TMPDIR/out")"
kill $!
wait $! 2>/dev/null
rm "$meet"/?
echo "cpu$cpu 100 0 0 0 0 0 0 0 0 0" >"$TMPDIR/stat"
for name in a b c; do
	cat >"$tree/tests/cli/$name.sh" <<-END
	mkdir $meet/one && sleep 0.6 && rmdir $meet/one
	END
done
run_on_one_cpu || fail "busy CPUs: $(cat "$TMPDIR/out")"

# Without -j, a test that mostly waits runs next to as many other tests as there are CPUs.  Only
# the comment at the top counts.
rm "$tree"/tests/cli/*
for name in a b; do
	cat >"$tree/tests/cli/$name.sh" <<-END
	touch $meet/$name
	for _ in \$(seq 3000); do
		[ -e $meet/a ] && [ -e $meet/b ] && exit 0
		sleep 0.02
	done
	exit 1
	# alone: not at the top
	END
done
sed -i '1i # waits: for the other one' "$tree/tests/cli/b.sh"
run_on_one_cpu || fail "waits: $(cat "$TMPDIR/out")"
rm "$meet"/?

# If there are times of an earlier run, and one test runs at a time, the slowest test is first.
rm "$tree"/tests/cli/*
for name in 1 2 3 4 5 6 7 8 9 10 11; do
	echo exit 0 >"$tree/tests/cli/$name.sh"
done
printf '1.00 0.10 cli/3.sh\n2.00 0.10 cli/7.sh\n' >"$tree/build/test-times"
"$tree/tests/run" -b "$tree/build" -j 1 >"$TMPDIR/out" || fail "$(cat "$TMPDIR/out")"
results "$TMPDIR/out" | head -n 2 | diff - /dev/fd/3 3<<END || fail "order: $(cat "$TMPDIR/out")"
[ 1/11] PASS cli/7.sh
[ 2/11] PASS cli/3.sh
END
# A new build has no times: the order comes from tests/times.
rm "$tree/build/test-times"
printf '# comment\n1.00 0.10 cli/4.sh\n2.00 0.10 cli/8.sh\n' >"$tree/tests/times"
"$tree/tests/run" -b "$tree/build" -j 1 >"$TMPDIR/out" || fail "$(cat "$TMPDIR/out")"
results "$TMPDIR/out" | head -n 2 | diff - /dev/fd/3 3<<END || fail "order: $(cat "$TMPDIR/out")"
[ 1/11] PASS cli/8.sh
[ 2/11] PASS cli/4.sh
END
sed '1,/^slowest:$/d' "$TMPDIR/out" | grep -cE '^ +[0-9.]+s \(CPU [0-9.]+s\) cli/' |
	grep -qx 10 || fail "the slowest: $(cat "$TMPDIR/out")"

# A test that does not end is ended, and fails.  While many threads share the CPUs the limit is
# longer.  ULF_TESTS_LOADAVG is a file that stands for /proc/loadavg.
rm "$tree"/tests/cli/*
printf '# timeout: 1\ntrap : TERM\nsleep 1000\nsleep 1000\n' >"$tree/tests/cli/hangs.sh"
printf '# timeout: 1\nsleep 3\n' >"$tree/tests/cli/slow.sh"
echo "0.00 0.00 0.00 1/100 1" >"$TMPDIR/loadavg"
ULF_TESTS_LOADAVG=$TMPDIR/loadavg "$tree/tests/run" -b "$tree/build" -j 2 >"$TMPDIR/out"
results "$TMPDIR/out" | sort | diff - /dev/fd/3 3<<END || fail "late: $(cat "$TMPDIR/out")"
0 passed, 2 failed
[1/2] FAIL cli/slow.sh no end after 1 s
[2/2] FAIL cli/hangs.sh no end after 1 s
failed: cli/hangs.sh cli/slow.sh
END
rm "$tree/tests/cli/hangs.sh"
echo "0.00 0.00 0.00 1000/2000 1" >"$TMPDIR/loadavg"
ULF_TESTS_LOADAVG=$TMPDIR/loadavg "$tree/tests/run" -b "$tree/build" -j 2 >"$TMPDIR/out" ||
	fail "a busy machine: $(cat "$TMPDIR/out")"

# An interrupt ends the tests and the processes that they started, and leaves no directory.
rm "$tree"/tests/cli/*
for name in a b; do
	cat >"$tree/tests/cli/$name.sh" <<-END
	setsid sleep 1000 &
	echo "\$! \$ULF_DIR \$TMPDIR" >$meet/$name.new
	mv $meet/$name.new $meet/$name
	sleep 1000
	END
done
"$tree/tests/run" -b "$tree/build" -j 2 >"$TMPDIR/out" 2>&1 &
until_true test -e "$meet/a" -a -e "$meet/b"
kill -TERM $!
wait $!
[ $? = 130 ] || fail "interrupted: status $?, $(cat "$TMPDIR/out")"
for name in a b; do
	read -r child ulf_dir tmp <"$meet/$name"
	! [ -e "$ulf_dir" ] || fail "$ulf_dir is left"
	! [ -e "${tmp%/*}" ] || fail "${tmp%/*} is left"
	! grep -qs '^State:	[^ZX]' "/proc/$child/status" || fail "process $child is left"
done
! grep passed "$TMPDIR/out" || fail "counts of a run that was interrupted"
exit 0
