#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's own self-tests of tracefs, unmodified, on a root of the sample program
# that stands where the machine's tracefs is.  docs/CONFORMANCE.md has the score and
# says of each test that does not pass why; both must be so.
#
# SELFTESTS='test.d/event ...' runs some of them only, and compares nothing.
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

# Types on the sample program's console what the shell does.
build_machine() {
	gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC \
		-o "$MACHINE/machine.so" "$here/machine.c" || fail "machine.c"
	: >"$MACHINE/lock"
	echo "none /sys/kernel/tracing tracefs rw 0 0" >"$MACHINE/mounts"
	ln -s /sys/kernel/tracing/stack_tracer_enabled "$MACHINE/stack_tracer"
	cat /proc/"$pid"/task/"$console"/stat >"$MACHINE/stat" || fail "no console"
}

# Modules that the tests load, as the kernel has them, and the commands for it.
build_modules() {
	gcc $flags -Wno-unused-parameter -O2 -shared -fPIC -I"$here/module" \
		-fpatchable-function-entry=5 -o "$MACHINE/trace_printk.so" \
		"$linux/samples/trace_printk/trace-printk.c" $libs || fail "trace-printk.c"
	mkdir "$MACHINE/bin"
	for name in modprobe rmmod; do
		cp "$here/modprobe" "$MACHINE/bin/$name"
		chmod +x "$MACHINE/bin/$name"
	done
	PATH=$MACHINE/bin:$PATH
}

# The table of the page, of those results.
print_score() {
	echo "| directory | passed | failed | unresolved | untested | unsupported |"
	echo "|---|---|---|---|---|---|"
	sed 's,/[^/ ]* , ,' "$TMPDIR/results" | awk '
		function row(name,	i) {
			printf "| %s |", name
			for (i = 1; i <= 5; i++)
				printf " %d |", n[name, kinds[i]]
			print ""
		}
		BEGIN { split("pass fail unresolved untested unsupported", kinds) }
		!seen[$1]++ { order[++nr] = $1 }
		{ n[$1, $2]++; n["all", $2]++ }
		END { for (i = 1; i <= nr; i++) row(order[i]); row("all") }'
}

# Each that does not pass has a reason, a row `| PATTERN | RESULT | WHY |' of the page,
# and each reason has one that does not.
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
# With another version of the package there may be more tests.
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

# What those that fail have said last.
show_failures() {
	sed -n 's,^\(.*/\)*\(.*\) fail$,\2,p' "$TMPDIR/results" | sort -u |
	while read -r test; do
		tail -n 12 "$logs"/*-"$test"-log.*
	done
}

wrong=
start_console
build_machine
build_modules
run_selftests "LD_PRELOAD='$MACHINE/machine.so'"
show_failures
print_score >"$TMPDIR/score"
cat "$TMPDIR/score"
echo "logs: $logs"
[ -n "${SELFTESTS-}" ] || { compare_reasons; compare_score; }
[ -z "$wrong" ] || exit 1
sed -n '$s,^| all | \(.*\) | \(.*\) | \(.*\) | \(.*\) | \(.*\) |$,score: \1 passed \2 failed \3 unresolved \4 untested \5 unsupported,p' "$TMPDIR/score"
