# SPDX-License-Identifier: MIT
# timeout: 600
# Everything compiles with clang too, without a warning, and what depends on the
# compiler works: the unit tests, the runtime and the language (but for the tests
# of that which choose their compilers themselves).
set -u

if grep -q '"clang"' "$ULF_BUILD/meson-info/intro-targets.json"; then
	echo "this is a build with clang already"
	exit 77
fi
build=$TMPDIR/build
CC=clang CXX=clang++ meson setup "$build" "$ULF_SRC" -Dwerror=true \
	>"$TMPDIR/log" 2>&1 && ninja -k 0 -C "$build" >>"$TMPDIR/log" 2>&1 || {
	grep -E "error:|ERROR|undefined" "$TMPDIR/log"
	exit 1
}
exec "$ULF_SRC/tests/run" -b "$build" '^(unit/|runtime/|lang/[^.]*$)'
