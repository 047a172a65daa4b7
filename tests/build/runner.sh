#!/bin/sh
# SPDX-License-Identifier: MIT
# user: both root runs most tests as an ordinary user
# tests/run shows progress and ends with its counts.  Root runs only tests that need it as
# root, the others as an ordinary user, also from a clone which that user cannot reach; an
# ordinary user skips those that need root, with their reason.
set -u
fail() { echo "FAIL: $*"; exit 1; }

tree=$TMPDIR/closed/clone
mkdir -p -m 700 "$TMPDIR/closed" && mkdir -p "$tree/tests/cli" "$tree/src" "$tree/build" &&
	cp "$ULF_SRC/tests/run" "$tree/tests/" || exit 1
echo source >"$tree/src/part"
echo object >"$tree/build/part.o"
printf '#!/bin/sh\n' >"$tree/build/ulf"
chmod +x "$tree/build/ulf"

# add NAME STATUS HEADER: a test that says who runs it, and with what
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
# a program, and the file that it is made of
mkdir -p "$tree/tests/unit" "$tree/build/tests"
echo "/* timeout: 20 */" >"$tree/tests/unit/test_program.c"
{ echo '#!/bin/sh'; cat "$tree/tests/cli/ordinary.sh"; } >"$tree/build/tests/unit-test_program"
chmod +x "$tree/build/tests/unit-test_program"

"$tree/tests/run" -b "$tree/build" >"$TMPDIR/out"
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
sed -E '/^ /d; s, \([0-9.]+s\),,' "$TMPDIR/out" | diff "$TMPDIR/expected" - || fail "the output"
for run in $runs; do
	said=$(cat "$tree/build/test-logs/cli/${run%:*}.log")
	[ "$said" = "user ${run#*:}" ] || fail "${run%:*}: $said, not ${run#*:}"
done
exit 0
