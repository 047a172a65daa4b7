#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the documents work where gcc is a compiler cache, which searches PATH for the
# next gcc: the commands that stand for compilers in a document do not call themselves.
. tests/docs/common

# This cache stands for ccache.  It counts its calls, and refuses the fourth: gcc and g++ may
# call it once each.
mkdir "$TMPDIR/cache"
cat >"$TMPDIR/cache/gcc" <<'END'
#!/bin/sh
echo "$0" >>"$TMPDIR/calls"
[ "$(wc -l <"$TMPDIR/calls")" -le 3 ] || exit 1
name=${0##*/} dirs=$PATH:
while [ -n "$dirs" ]; do
	dir=${dirs%%:*} dirs=${dirs#*:}
	if [ "$dir/$name" != "$0" ] && [ -x "$dir/$name" ]; then
		exec "$dir/$name" "$@"
	fi
done
exit 1
END
chmod +x "$TMPDIR/cache/gcc"
cp "$TMPDIR/cache/gcc" "$TMPDIR/cache/g++"
# Real caches are not in PATH: two caches call each other.
PATH=$TMPDIR/cache:/usr/local/bin:/usr/bin:/bin
make_compilers
echo 'int main() { return 0; }' >"$TMPDIR/one.cpp"
for compiler in gcc g++; do
	$compiler -o "$TMPDIR/one" "$TMPDIR/one.cpp" || fail "$compiler: $(cat "$TMPDIR/calls")"
	"$TMPDIR/one" || fail "the program of $compiler"
done
[ "$(wc -l <"$TMPDIR/calls")" = 2 ] || fail "calls of the cache: $(cat "$TMPDIR/calls")"
exit 0
