# SPDX-License-Identifier: MIT
# no-sanitize: address it adds names of its own
# libulf.so is a guest in other people's programs.  It needs libc alone, exports only the
# functions that its headers declare, with the versions of libulf.map, is never unloaded, binds at
# start, and has no executable stack and no segment that is writable and executable. libulf.a
# starts the runtime in a program that uses any of its functions.
set -eu

lib=$ULF_BUILD/libulf.so
status=0

check() {
	if [ -n "$2" ]; then
		echo "$1: $2"
		status=1
	fi
}

if [ -z "$ULF_SANITIZER" ]; then
	check "needs more than libc" "$(readelf -dW "$lib" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		grep -v -e '^libc\.so\.6$' -e '^ld-linux-x86-64\.so\.2$' || :)"
fi
readelf -dW "$lib" | grep -q 'SONAME.*\[libulf\.so\.0\]' ||
	check "soname" "not libulf.so.0"
readelf -dW "$lib" | grep -q 'FLAGS_1.*NOW.*NODELETE' ||
	check "flags" "not NOW NODELETE"
check "segments" "$(readelf -lW "$lib" | grep -E ' RWE | WE ' || :)"

# The exported symbols are those of the version map, each with its version, and the symbols below
# without a version, which replace functions of libc, of linkers and of compilers.  The dynamic
# linker binds a program's vfork@GLIBC_2.2.5 to a vfork without a version, but not to
# vfork@@ULF_0.1.
unversioned='dlclose mlockall pthread_create vfork __vfork __register_atfork
	setuid seteuid setreuid setresuid __gmon_start__ __fentry__
	execve execv execvp execvpe execl execlp execle fexecve execveat posix_spawn posix_spawnp'
mapped=$(awk '/^ULF_[0-9.]+ \{$/ { node = $1 }
	/^\t[a-z_]+;$/ { sub(";", ""); print $1 "@@" node }' \
	"$ULF_SRC/src/runtime/libulf.map")
[ -n "$mapped" ] || check "libulf.map" "no symbol found"
# nm also lists each version node, as the absolute symbol ULF_0.1.
printf '%s\n' $mapped $unversioned | sort >"$TMPDIR/promised"
nm -D --defined-only "$lib" | sed -n '/ A ULF_[0-9.]*/!s/^.* //p' | sort >"$TMPDIR/exported"
check "exported, but not listed so" "$(comm -13 "$TMPDIR/promised" "$TMPDIR/exported")"
check "listed in libulf.map or here, but not exported so" "$(comm -23 "$TMPDIR/promised" "$TMPDIR/exported")"
for symbol in $mapped; do
	grep -rqw -e "${symbol%@@*}" "$ULF_SRC/include" ||
		check "exported but in no header" "$symbol"
done

# A program that uses any one function of libulf.a also gets the code that starts the runtime.
for call in tracing_on __fentry__ ulf_thread_attach; do
	[ -z "$ULF_SANITIZER" ] || break
	echo "void $call(void); int main(void) { $call(); return 0; }" >"$TMPDIR/one.c"
	gcc -o "$TMPDIR/one" "$TMPDIR/one.c" "$ULF_BUILD/libulf.a" -pthread
	nm "$TMPDIR/one" | grep -q ' t library_coming$' ||
		check "libulf.a with $call()" "does not start the runtime"
done

# To move a slot from one entry of ftrace.S to another, libulf changes only the second byte of the
# address.  So all entries must agree in the other bytes.
entries=$(nm "$lib" | sed -n 's/^\([0-9a-f]*\) t ftrace_entry\(_function\|_graph[0-3]\)\{0,1\}$/\1/p')
check "entries" "$(echo "$entries" | sed 's/..\(..\)$/ \1/' | sort -u | tail -n +2)"
[ "$(echo "$entries" | sort -u | wc -l)" -eq 6 ] || check "entries" "$entries"
exit $status
