#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# Programs of Debian give right answers under load while they are attached to and detached from,
# and everything that can be traced in them is switched at random.  No system call of theirs ends
# with EINTR.
#
#   tests/proof/toggle.sh SECONDS [PROGRAM...]    by hand; the programs: tests/proof/loads
#
# `make proof' toggles each program for PROOF_SECONDS (120).
if [ -z "${ULF_BUILD-}" ]; then
	cd "$(dirname "$0")/../.." || exit 1
	PROOF_SECONDS=${1:?SECONDS} || exit 1
	shift
	PROOF_PROGRAMS=$*
	export PROOF_SECONDS PROOF_PROGRAMS
	exec tests/run -b "${BUILD:-build}" -l '^proof/toggle.sh$'
fi
. tests/proof/common
. tests/proof/loads
command -v python3 >/dev/null || skip "no python3"
seconds=2
! is_long || seconds=${PROOF_SECONDS:-120}
programs=$(is_long && echo "${PROOF_PROGRAMS-}")
programs=${programs:-$all_loads}

# word N: the Nth of the two words in the file of counts of EINTR
word() { od -An -tu8 -j$((8 * $1 - 8)) -N8 "$eintr" | tr -d ' '; }
# toggle PROGRAM: run the load, and the toggler
toggle() {
	rm -f "$stop" "$progress" "$attach_to" "$eintr" "$TMPDIR/clients" "$TMPDIR/switches"
	"load_$1"
	pids="$pids $servers $clients"
	start_toggler ${PROOF_VERBOSE:+-v} ${PROOF_SEED:+-s $PROOF_SEED} -a "$attach_to" -p "$progress"
	end=$(($(date +%s) + seconds))
	while [ "$(date +%s)" -lt $end ]; do
		for pid in $servers $clients $toggler; do
			is_gone "$pid" || continue
			fail "$1: a process has ended: $(tail -n 30 "$TMPDIR/toggler" \
				"$TMPDIR/clients" "$TMPDIR/$1.log" "$TMPDIR/switches" 2>&1)"
		done
		sleep 1
	done
	end_toggler
	# Functions that are traced now may make the last requests slow.
	for pid in $(cat "$attach_to"); do
		! ulf ls | grep -q " $pid  *alive" || ulf detach "$pid" >/dev/null ||
			fail "$1: ulf detach $pid"
	done
	touch "$stop"
	for pid in $clients; do
		wait "$pid" || fail "$1: $(tail -n 30 "$TMPDIR/clients" "$TMPDIR/$1.log" 2>&1)"
	done
	"end_$1"
	nr_answers=$(cat "$progress")
	[ "$nr_answers" -gt 0 ] || fail "$1: no answer"
	[ -n "${eintr_is_usual-}" ] || expect "$1: calls that ended with EINTR" 0 "$(word 2)"
	result="$1: $nr_answers right answers$switched, EINTR at $(word 2) of $(word 1) calls"
	echo "$result"
	score="$score; $result"
}

score= left_out=
for program in $programs; do
	reason=$("can_$program" | head -n 1)
	if [ -n "$reason" ]; then
		left_out="$left_out; $program: $reason"
	else
		eintr_is_usual=
		toggle "$program"
	fi
done
[ -n "$score" ] || skip "no program to toggle$left_out"
echo "score: $seconds seconds each$score${left_out:+; left out$left_out}"
