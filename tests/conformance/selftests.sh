#!/bin/sh
# SPDX-License-Identifier: MIT
# Run the kernel's own self-tests of tracefs, unmodified, on a root of the sample program,
# which covers the machine's tracefs.  docs/CONFORMANCE.md has the score, and the reason for
# each test that does not pass; both must be right.
#
# SELFTESTS='test.d/event ...' runs only these tests, SELFTESTS_DIR=/.../selftests/ftrace runs
# those of another kernel.  Both compare nothing.
#
# timeout: 600
# no-sanitize: address it preloads a library of its own into the shell
# no-sanitize: thread it preloads a library of its own into the shell
. tests/conformance/common
. tests/tracefs/common
. tests/conformance/ftracetest

logs=$ULF_CACHE/selftests
MACHINE=$TMPDIR
export MACHINE

# Build the library that repeats the shell's actions on the console of the sample program.
build_machine() {
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC \
		-o "$MACHINE/machine.so" "$here/machine.c" || fail "machine.c"
	: >"$MACHINE/lock"
	echo "none /sys/kernel/tracing tracefs rw 0 0" >"$MACHINE/mounts"
	ln -s /sys/kernel/tracing/stack_tracer_enabled "$MACHINE/stack_tracer"
	cat /proc/"$pid"/task/"$console"/stat >"$MACHINE/stat" || fail "no console"
	echo console >"$MACHINE/comm"
}

# Make the commands that must run in the program, and build the modules that the tests load from
# the kernel's sources.
build_commands() {
	gcc $flags -Wno-unused-parameter -O2 -shared -fPIC -I"$here/module" \
		-fpatchable-function-entry=5 -o "$MACHINE/trace_printk.so" \
		"$linux/samples/trace_printk/trace-printk.c" $libs || fail "trace-printk.c"
	mkdir "$MACHINE/bin"
	for name in modprobe rmmod ping ls; do
		cp "$here/command" "$MACHINE/bin/$name"
		chmod +x "$MACHINE/bin/$name"
	done
	PATH=$MACHINE/bin:$PATH
}

# Print the table of the page from the results.
print_score() {
	echo "| directory | passed | failed | unresolved | untested | unsupported | xfailed |"
	echo "|---|---|---|---|---|---|---|"
	sed 's,/[^/ ]* , ,' "$TMPDIR/results" | awk '
		function row(name,	i) {
			printf "| %s |", name
			for (i = 1; i <= 6; i++)
				printf " %d |", n[name, kinds[i]]
			print ""
		}
		BEGIN { split("pass fail unresolved untested unsupported xfail", kinds) }
		!seen[$1]++ { order[++nr] = $1 }
		{ n[$1, $2]++; n["all", $2]++ }
		END { for (i = 1; i <= nr; i++) row(order[i]); row("all") }'
}

# Each test that does not pass must have a reason, a row `| PATTERN | RESULT | WHY |' of the
# page, and each reason must match a test that does not pass.
compare_reasons() {
	sed -n 's,^| `\([^`]*\.tc\)` | \([a-z]*\) | [^|][^|]*|$,\1 \2,p' "$page" |
		LC_ALL=C sort -u >"$TMPDIR/reasons"
	while read -r test result; do
		[ "$result" != pass ] || continue
		found=
		while read -r pattern expected; do
			case "$test $result" in $pattern\ $expected)
				found=1
				echo "$pattern $expected" >&3 ;;
			esac
		done <"$TMPDIR/reasons"
		[ -n "$found" ] || blame "$test: $result, and no reason is given"
	done <"$TMPDIR/results" 3>"$TMPDIR/used"
	LC_ALL=C sort -u "$TMPDIR/used" | LC_ALL=C comm -13 - "$TMPDIR/reasons" >"$TMPDIR/unused"
	while read -r reason; do
		blame "no test is so any more: $reason"
	done <"$TMPDIR/unused"
}
# Do not compare with another version of the package, which may have more tests.
compare_score() {
	version=$(dpkg-query -W -f '${Version}' linux-source-6.1 2>/dev/null)
	grep -qF "linux-source-6.1 $version." "$page" || return 0
	while read -r row; do
		grep -qxF "$row" "$page" || blame "no such row: $row"
	done <"$TMPDIR/score"
}
blame() {
	echo "$page: $*"
	wrong=1
}

# Show the last lines of the logs of tests that fail.
show_failures() {
	sed -n 's,^\(.*/\)*\(.*\) fail$,\2,p' "$TMPDIR/results" | sort -u |
	while read -r test; do
		tail -n 12 "$logs"/*-"$test"-log.*
	done
}

wrong=
# Event probes of the tests follow numbers as addresses.
ULF_READ_MEMORY=1
export ULF_READ_MEMORY
start_console
build_machine
build_commands
run_selftests "LD_PRELOAD='$MACHINE/machine.so' TRACEFS='$T'"
show_failures
print_score >"$TMPDIR/score"
cat "$TMPDIR/score"
echo "logs: $logs"
[ -n "${SELFTESTS-}${SELFTESTS_DIR-}" ] || { compare_reasons; compare_score; }
[ -z "$wrong" ] || exit 1
sed -n '$s,^| all | \(.*\) | \(.*\) | \(.*\) | \(.*\) | \(.*\) | \(.*\) |$,score: \1 passed \2 failed \3 unresolved \4 untested \5 unsupported \6 xfailed,p' "$TMPDIR/score"
