# SPDX-License-Identifier: MIT
# no-sanitize: address it adds names of its own
# The shape of libulf.so, a guest in other people's programs: needs libc alone,
# exports only what its headers declare, is not unloaded, binds at start, has no
# executable stack and no segment that is writable and executable.
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

symbols=$(nm -D --defined-only "$lib" | sed 's/^.* //; s/@.*//')
[ -n "$symbols" ] || check "exports" "nothing at all"
for symbol in $symbols; do
	case $symbol in
	dlclose | mlockall | pthread_create | vfork | __vfork) continue ;;	# libc's, see src/runtime
	setuid | seteuid | setreuid | setresuid) continue ;;	# so are these, see setuid.c
	__fentry__) continue ;;		# compilers', see src/arch/x86_64/fcall.c
	__register_atfork) continue ;;	# libc's as well, see src/runtime/libc/atfork.c
	__gmon_start__) continue ;;	# linkers', see src/runtime/libc/dlopen.c
	esac
	grep -rqw -e "$symbol" "$ULF_SRC/include" ||
		check "exported but in no header" "$symbol"
done

# Slots change from one entry of ftrace.S to another by one byte, the second.
entries=$(nm "$lib" | sed -n 's/^\([0-9a-f]*\) t ftrace_entry\(_function\|_graph[0-3]\)\{0,1\}$/\1/p')
check "entries" "$(echo "$entries" | sed 's/..\(..\)$/ \1/' | sort -u | tail -n +2)"
[ "$(echo "$entries" | sort -u | wc -l)" -eq 6 ] || check "entries" "$entries"
exit $status
