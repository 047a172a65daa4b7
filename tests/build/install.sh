# SPDX-License-Identifier: MIT
# no-sanitize: address programs that are built here would need it, too
# no-sanitize: thread programs that are built here would need it, too
# timeout: 600
# `make install` compiles what it installs, once, and nothing else; `make uninstall` removes
# all of it and nothing else.  What is installed is enough to build and run a traced program
# by pkg-config alone: shared and static, C and C++.
set -eux

root=$TMPDIR/root build=$TMPDIR/build
unset MAKEFLAGS MFLAGS MAKELEVEL
make_ulf() { make -C "$ULF_SRC" BUILD="$build" DESTDIR="$root" "$@"; }
# objects: what was compiled since the last time
objects() {
	find "$build" -name '*.o' -newer "$TMPDIR/stamp" | sort
	sleep 0.01
	touch "$TMPDIR/stamp"
}

touch -d 1970-01-02 "$TMPDIR/stamp"
make_ulf install
[ "$(objects | wc -l)" -gt 100 ]
[ -z "$(find "$build/tests" "$build/bench" "$build/examples" -name '*.o')" ]
mkdir "$TMPDIR/first"
(cd "$root" && find . ! -type d | sort) >"$TMPDIR/first/files"
make_ulf install
[ -z "$(objects)" ]
(cd "$root" && find . ! -type d | sort) | diff "$TMPDIR/first/files" -

# Another prefix: two files name it.  Each place has a list of its own.
make_ulf install PREFIX=/opt/ulf
[ "$(objects | wc -l)" -le 2 ]
grep -q /opt/ulf/bin "$root/opt/ulf/lib/"*/libulf.so
echo mine >"$root/opt/ulf/include/mine"
echo "/opt/ulf/bin/of_an_older_version" >>"$root/opt/ulf/share/ulf/installed"
touch "$root/opt/ulf/bin/of_an_older_version"
make_ulf install PREFIX=/opt/ulf
[ ! -e "$root/opt/ulf/bin/of_an_older_version" ]
make_ulf uninstall PREFIX=/opt/ulf
[ "$(find "$root/opt" ! -type d)" = "$root/opt/ulf/include/mine" ]
[ "$(find "$root/opt" -type d | wc -l)" = 3 ]
! make_ulf uninstall PREFIX=/opt/ulf 2>"$TMPDIR/err"
grep -F "no ulf is installed in $root/opt/ulf" "$TMPDIR/err"
(cd "$root" && find . -path ./opt -prune -o ! -type d -print | sort) | diff "$TMPDIR/first/files" -

# A list that names what is not ours removes nothing of it.
mkdir -p "$root/hostile/share/ulf"
for path in /usr/local/bin/ulf /hostile/../usr/local/bin/ulf; do
	echo "$path" >"$root/hostile/share/ulf/installed"
	! make_ulf uninstall PREFIX=/hostile
	[ -e "$root/usr/local/bin/ulf" ]
done
rm -r "$root/hostile" "$root/opt"

# A relative PREFIX is refused.
! make_ulf uninstall PREFIX=opt 2>"$TMPDIR/err"
grep -F "absolute path" "$TMPDIR/err"

pc=$(find "$root" -name ulf.pc)
libdir=${pc%/pkgconfig/ulf.pc}
prefix=$(pkg-config --variable=prefix "$pc")
config="pkg-config --define-variable=prefix=$root$prefix"
cflags=$($config --cflags "$pc")
libs=$($config --libs "$pc")

echo " $cflags " | grep -qF " -isystem $root$prefix/include/ulf "
"$root$prefix/bin/ulf" --help >/dev/null
[ "$(readlink "$libdir/libulf.so")" = libulf.so.0 ]

cd "$TMPDIR"
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
! ldd ./static | grep libulf

# Functions, with the flag that pkg-config names; the bodies of the graph
# tracer are in libulf.so, or in the program.
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

# A program that refers to nothing of libulf has it, too.
echo 'int main(void) { return 0; }' >plain.c
for ld in bfd gold lld; do
	command -v "ld.$ld" || continue
	gcc -fuse-ld=$ld -Wl,--as-needed -O2 plain.c -o plain $libs
	readelf -d plain | grep 'NEEDED.*libulf.so.0'
	[ "$(readelf -d plain | grep -c NEEDED)" = 2 ]
done
gcc -O2 $flags -static functions.c -o functions_static \
	-Wl,--whole-archive "$libdir/libulf.a" -Wl,--no-whole-archive
./functions_static

make_ulf uninstall
[ -z "$(find "$root" -mindepth 1)" ]
