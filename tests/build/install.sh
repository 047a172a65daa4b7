# SPDX-License-Identifier: MIT
# no-sanitize: address programs that are built here would need it, too
# no-sanitize: thread programs that are built here would need it, too
# timeout: 600
# `make install` compiles what it installs, once, and nothing else.  `make uninstall` removes all
# installed files and nothing else.  The installed files are enough to build and run a traced
# program with pkg-config alone: shared and static, C and C++.
set -eux

# The caller's environment must not choose compiler, flags, directories or caches.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEFILES GNUMAKEFLAGS BUILD PREFIX DESTDIR T V CC CXX LD AR \
	CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LIBRARY_PATH LD_LIBRARY_PATH LD_PRELOAD LD_RUN_PATH CPATH \
	C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR \
	PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS \
	MESON_ROOT_CMD NINJA NINJA_STATUS SOURCE_DATE_EPOCH ULF_TRACE ULF_DISABLE
export LC_ALL=C CCACHE_DISABLE=1
umask 022
# Install into a directory whose path has a space, and neither links nor //.
top=$(realpath "$TMPDIR") root="$(realpath "$TMPDIR")/the root" build=$(realpath "$TMPDIR")/build
date
df -h "$top" "$ULF_SRC"

fail() { echo "FAIL: $*"; date; df -h "$top"; exit 1; }
# expect WHAT WANTED GOT: fail if GOT differs from WANTED.
expect() { [ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"; }
make_ulf() { make -C "$ULF_SRC" BUILD="$build" DESTDIR="$root" CC="$top/known/cc" "$@"; }
# refuses TEXT ARGS...: make ARGS fails, and its output contains TEXT.
refuses() {
	text=$1
	shift
	if make_ulf "$@" >"$top/err" 2>&1; then
		fail "make $* did not fail: $(cat "$top/err")"
	fi
	cat "$top/err"
	grep -F -e "$text" "$top/err" || fail "make $*: no '$text'"
}
# files: list the installed files except those in /opt.
files() { (cd "$root" && find . -path ./opt -prune -o ! -type d -print | sort); }
# compile WHAT MIN MAX ARGS...: make ARGS compiles MIN to MAX files.  The number comes from
# ninja's log, because time stamps of files depend on clocks, which may be coarse or set.
compile() {
	what=$1 min=$2 max=$3
	shift 3
	: >>"$build.old"
	make_ulf "$@" || fail "$what: status $?"
	objects >"$build.new"
	nr=$(comm -13 "$build.old" "$build.new" | wc -l)
	if [ "$nr" -lt "$min" ] || [ "$nr" -gt "$max" ]; then
		comm -13 "$build.old" "$build.new"
		ninja -C "$build" -n -d explain installed | tail -n 20
		find "$ULF_SRC/src" "$ULF_SRC/meson.build" -newer "$build/build.ninja"
		fail "$what: $nr files were compiled, not $min to $max"
	fi
	mv "$build.new" "$build.old"
}
# objects: print a line for each compilation: start, end, time stamp and name.
objects() { grep -a '\.[cS]\.o	' "$build/.ninja_log" | sort -u; }

. tests/build/known_compiler
make_known_compiler "$top/known"
compile "the first time" 100 1000 install
expect "objects of tests" "" \
	"$(find "$build/tests" "$build/bench" "$build/examples" -name '*.o' 2>/dev/null)"
files >"$top/first"
[ -s "$top/first" ] || fail "nothing is installed: $(find "$root")"
compile "nothing has changed" 0 0 install
files | diff "$top/first" - || fail "other files than at first"

# The shells find completion, and man finds the pages.
share=$root/usr/local/share
for file in bash-completion/completions/ulf zsh/site-functions/_ulf \
	fish/vendor_completions.d/ulf.fish; do
	[ -s "$share/$file" ] || fail "$file is not installed"
done
for page in "$ULF_SRC"/docs/man/*; do
	[ -s "$share/man/man${page##*.}/${page##*/}" ] || fail "${page##*/} is not installed"
done

# systemd mounts /run/ulf at every boot: the link in the directory of units enables the unit.
units=$root/usr/local/lib/systemd/system
expect "the link that enables the mount" ../run-ulf.mount \
	"$(readlink "$units/local-fs.target.wants/run-ulf.mount")"
expect "the unit that it leads to" "$(realpath "$units/run-ulf.mount")" \
	"$(realpath -e "$units/local-fs.target.wants/run-ulf.mount")"
if command -v systemd-analyze; then
	# The status is 0 even for a misspelt key.  Lines without "run-ulf" are about this
	# machine.
	systemd-analyze verify --man=no "$units/run-ulf.mount" >"$top/verify" 2>&1 || :
	if grep run-ulf "$top/verify"; then
		fail "systemd-analyze verify run-ulf.mount"
	fi
fi

# A unit with which a user has the server supervised.
grep -x "ExecStart=/usr/local/bin/ulf server" "$root/usr/local/lib/systemd/user/ulf.service"

# Install with another prefix, which two files name.  Each prefix has a list of its own.
compile "another prefix" 0 2 install PREFIX=/opt/ulf
library=$(find "$root/opt/ulf" -name libulf.so)
grep -a -q /opt/ulf/bin "$library" || fail "$library does not name its prefix"
echo mine >"$root/opt/ulf/include/mine"
echo "/opt/ulf/bin/of_an_older_version" >>"$root/opt/ulf/share/ulf/installed"
touch "$root/opt/ulf/bin/of_an_older_version"
make_ulf install PREFIX=/opt/ulf >"$top/said"
[ ! -e "$root/opt/ulf/bin/of_an_older_version" ] || fail "of an older version"
# The command that make install prints removes what was installed there.
command=$(sed -n 's/^installed in .*; \(make uninstall.*\) removes it$/\1/p' "$top/said")
expect "the command that removes it" "make uninstall PREFIX='/opt/ulf' DESTDIR='$root'" "$command"
(cd "$ULF_SRC" && eval "$command")
expect "files that stay" "$root/opt/ulf/include/mine" "$(find "$root/opt" ! -type d)"
expect "directories that stay" "$root/opt $root/opt/ulf $root/opt/ulf/include" \
	"$(find "$root/opt" -type d | sort | tr '\n' : | sed 's/:$//; s/:/ /g')"
refuses "no ulf is installed in $root/opt/ulf" uninstall PREFIX=/opt/ulf
files | diff "$top/first" - || fail "a file of the other prefix"

# A relative DESTDIR is relative to the directory in which make runs.
expect "a relative DESTDIR" "$ULF_SRC/no/such" \
	"$(tools/install --uninstall /usr/local no/such 2>&1 | sed -n 's,.*installed in \(.*\)/usr/local:.*,\1,p')"

# If the list names a file that ulf has not installed, nothing at all is removed.
mkdir -p "$root/hostile/share/ulf"
for path in /usr/local/bin/ulf /hostile/../usr/local/bin/ulf /usr/local/empty/; do
	mkdir -p "$root/usr/local/empty"
	touch "$root/hostile/ours"
	printf '%s\n' /hostile/ours "$path" >"$root/hostile/share/ulf/installed"
	refuses "so nothing is removed" uninstall PREFIX=/hostile
	[ -e "$root/usr/local/bin/ulf" ] || fail "$path: /usr/local/bin/ulf was removed"
	[ -e "$root/hostile/ours" ] || fail "$path: removed before the list was checked"
	[ -d "$root/usr/local/empty" ] || fail "$path: a directory was removed"
done
rm -r "$root/hostile" "$root/opt" "$root/usr/local/empty"

# A PREFIX that could not be uninstalled is refused before anything is compiled.
refuses "absolute path" uninstall PREFIX=opt
for prefix in /opt//u /opt/./u /opt/u/../v opt; do
	refuses "PREFIX must" install PREFIX=$prefix
done
compile "the first prefix again" 0 2 install

# pkg-config and the users of its output split paths at spaces.
ln -s "$root" "$top/root"
root=$top/root
pc=$(find "$root/" -name ulf.pc)
libdir=${pc%/pkgconfig/ulf.pc}
prefix=$(pkg-config --variable=prefix "$pc")
"$root$prefix/bin/ulf" --help >/dev/null
expect "the link libulf.so" libulf.so.0 "$(readlink "$libdir/libulf.so")"
config="pkg-config --define-variable=prefix=$root$prefix"
cflags=$($config --cflags "$pc")
libs=$($config --libs "$pc")
echo " $cflags " | grep -F " -isystem $root$prefix/include/ulf " || fail "cflags: $cflags"

cd "$top"
cat >sample_trace.h <<'EOF'
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sample
#if !defined(SAMPLE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SAMPLE_TRACE_H
#include <linux/tracepoint.h>
TRACE_EVENT(sample_tick,
	TP_PROTO(int count),
	TP_ARGS(count),
	TP_STRUCT__entry(__field(int, count)),
	TP_fast_assign(__entry->count = count;),
	TP_printk("count=%d", __entry->count));
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE sample_trace
#include <trace/define_trace.h>
EOF
cat >points.c <<'EOF'
#define CREATE_TRACE_POINTS
#include "sample_trace.h"
EOF
cat >main.c <<'EOF'
#include "sample_trace.h"
int main(void)
{
	for (int i = 0; i < 1000; i++)
		trace_sample_tick(i);
	return trace_sample_tick_enabled();
}
EOF
cp main.c main.cpp

gcc -Wall -Wextra -Werror -O2 -I. $cflags main.c points.c -o shared $libs
gcc -c -Wall -Wextra -Werror -O2 -I. $cflags points.c -o points.o
g++ -Wall -Wextra -Werror -O2 -I. $cflags main.cpp points.o -o cxx $libs
gcc -Wall -Wextra -Werror -O2 -I. $cflags main.c points.c -o static \
	"$libdir/libulf.a" $($config --static --libs-only-other "$pc")

LD_LIBRARY_PATH=$libdir ./shared
LD_LIBRARY_PATH=$libdir ./cxx
./static
LD_LIBRARY_PATH=$libdir ldd ./shared | grep "libulf.so.0 => $libdir/"
if ldd ./static | grep libulf; then fail "a static program needs libulf.so"; fi

# Build a program whose functions are traced, with the flag that pkg-config prints.  The bodies of
# the graph tracer are in libulf.so, or in the program.
cat >functions.c <<'END'
#include <linux/ftrace.h>
static volatile int calls, returns;
static int entry(struct ftrace_graph_ent *ent, struct fgraph_ops *ops)
{
	return ent && ops && ++calls;
}
static void left(struct ftrace_graph_ret *ret, struct fgraph_ops *ops)
{
	returns += ret && ops;
}
static __attribute__((noinline)) int traced(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}
int main(void)
{
	struct fgraph_ops ops = { .entryfunc = entry, .retfunc = left };

	if (ftrace_set_filter_ip(&ops.ops, (unsigned long)traced, 0, 0) ||
	    register_ftrace_graph(&ops))
		return 1;
	for (int i = 0; i < 100; i++)
		if (traced(i) != i + 1)
			return 2;
	unregister_ftrace_graph(&ops);
	return calls == 100 && returns == 100 && traced(1) == 2 ? 0 : 3;
}
END
flags="$cflags $(pkg-config --variable=ftrace_cflags "$pc")"
gcc -Wall -Wextra -Werror -O2 $flags functions.c -o functions $libs
gcc -Wall -Wextra -Werror -O2 $flags -no-pie functions.c -o functions_static \
	"$libdir/libulf.a" $($config --static --libs-only-other "$pc")
LD_LIBRARY_PATH=$libdir ./functions
./functions_static

# A program that refers to no symbol of libulf is linked with it, too.
echo 'int main(void) { return 0; }' >plain.c
for ld in bfd gold lld; do
	command -v "ld.$ld" || continue
	gcc -fuse-ld=$ld -Wl,--as-needed -O2 plain.c -o plain $libs
	readelf -d plain | grep 'NEEDED.*libulf.so.0'
	expect "libraries with ld.$ld" 2 "$(readelf -d plain | grep -c NEEDED)"
done
gcc -O2 $flags -static functions.c -o functions_static \
	-Wl,--whole-archive "$libdir/libulf.a" -Wl,--no-whole-archive
./functions_static

cd "$ULF_SRC"
root=$(realpath "$root")
make_ulf uninstall
expect "what uninstall leaves" "" "$(find "$root" -mindepth 1)"
