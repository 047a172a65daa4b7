# SPDX-License-Identifier: MIT
# no-sanitize: address programs that are built here would need it, too
# no-sanitize: thread programs that are built here would need it, too
# timeout: 600
# A project that is built by Meson uses ulf through pkg-config, if ulf is installed, or else builds
# it as a subproject, by a wrap.  -Dtests=false configures only what is installed, and
# -Dcommand=false needs libc only.
set -eux

unset MAKEFLAGS MFLAGS MAKELEVEL BUILD PREFIX DESTDIR CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS \
	LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR ULF_TRACE ULF_DISABLE
export CCACHE_DISABLE=1
top=$(realpath "$TMPDIR")
fail() { echo "FAIL: $*"; exit 1; }
# try COMMAND...: run COMMAND, and print its output if it fails.
try() { "$@" >"$top/log" 2>&1 || { cat "$top/log"; fail "$*"; }; }
# traced PROGRAM: the sample PROGRAM runs, and is traced.
traced() {
	try ulf run -e hello -- "$1"
	grep 'hello_request: count=2 who=carol' "$top/log" || { cat "$top/log"; fail "$1 is not traced"; }
	ulf rm --dead
}

# Only what is installed is configured.
. tests/build/known_compiler
make_known_compiler "$top/known"
try make -C "$ULF_SRC" BUILD="$top/build" DESTDIR="$top/root" CC="$top/known/cc" \
	MESON_FLAGS="-Dwerror=true -Dtests=false" install
meson introspect --targets "$top/build" | python3 -c '
import json, sys
for target in json.load(sys.stdin):
	if target["type"] in ("executable", "shared library", "shared module"):
		if not target["installed"]:
			sys.exit("not installed: " + target["name"])
' || fail "-Dtests=false"

# With pkg-config.  By default Meson passes --as-needed to the linker.
cp -r "$ULF_SRC/examples/hello" "$top/hello"
sed -i 's/count = 0;; count/count = 0; count < 3; count/' "$top/hello/hello.c"
grep 'count < 3' "$top/hello/hello.c"
echo 'int main(void) { return 0; }' >"$top/hello/plain.c"
cat >>"$top/hello/meson.build" <<'END'
executable('plain', 'plain.c', dependencies: dependency('ulf'),
	c_args: dependency('ulf').get_variable('ftrace_cflags'))
END
pc=$(find "$top/root" -name ulf.pc)
sed -i "s,^prefix=.*,prefix=$top/root/usr/local," "$pc"
PKG_CONFIG_PATH=${pc%/*} try meson setup -Dwerror=true "$top/hello/build" "$top/hello"
try ninja -C "$top/hello/build"
traced "$top/hello/build/hello"

# As a subproject that a wrap provides, without the command.  pkg-config finds nothing, so no
# library but libc is used.
mkdir "$top/hello/subprojects"
ln -s "$ULF_SRC" "$top/hello/subprojects/ulf"
cp "$ULF_SRC/tools/meson/ulf.wrap" "$top/hello/subprojects"
PKG_CONFIG_LIBDIR=$top try meson setup -Dulf:command=false "$top/hello/sub" "$top/hello"
try ninja -C "$top/hello/sub"
traced "$top/hello/sub/hello"
[ ! -e "$top/hello/sub/subprojects/ulf/ulf" ] || fail "the command was built"

for build in build sub; do
	readelf -d "$top/hello/$build/plain" | grep 'NEEDED.*libulf\.so\.0' ||
		fail "$build/plain: no libulf"
	readelf -SW "$top/hello/$build/plain" | grep patchable ||
		fail "$build/plain: nothing is prepared"
done

# With the command, which the project then finds as a program.
cat >>"$top/hello/meson.build" <<'END'
test('the command', find_program('ulf'), args: '--help')
END
try meson setup "$top/hello/full" "$top/hello"
ninja -C "$top/hello/full" -t targets all >"$top/targets"
grep '^subprojects/ulf/ulf: ' "$top/targets" || fail "no command"
if grep -E '^subprojects/ulf/(tests|bench|examples)/' "$top/targets"; then
	fail "a subproject has tests"
fi

# The tests need the command.
if meson setup -Dcommand=false "$top/contradiction" "$ULF_SRC" >"$top/log" 2>&1; then
	fail "tests without the command"
fi
grep 'the tests need the command' "$top/log"
