# SPDX-License-Identifier: MIT
# no-sanitize: address it replaces FORTIFY
# no-sanitize: thread it replaces FORTIFY
# ulf and libulf.so are hardened as docs/design/trust.md says, which also says why libulf is
# hardened less.
set -u
ulf=$ULF_BUILD/ulf lib=$ULF_BUILD/libulf.so
status=0

# option NAME: print the value of the option NAME in this build.
option() {
	meson introspect --buildoptions "$ULF_BUILD" | tr '{' '\n' |
		sed -n "s/.*\"name\": \"$1\", \"value\": \"\{0,1\}\([a-z0-9]*\).*/\1/p"
}
[ "$(option harden)" != false ] || { echo "a build with -Dharden=false"; exit 77; }

# has WHAT FILE PATTERN COMMAND...: the output of COMMAND for FILE matches PATTERN.
has() {
	what=$1 file=$2 pattern=$3
	shift 3
	"$@" "$file" | grep -Eq "$pattern" || {
		echo "${file##*/}: no $what"
		status=1
	}
}
# has_not WHAT FILE PATTERN COMMAND...: the output of COMMAND for FILE does not match PATTERN.
has_not() {
	what=$1 file=$2 pattern=$3
	shift 3
	! "$@" "$file" | grep -E "$pattern" || {
		echo "${file##*/}: has $what"
		status=1
	}
}

has "PIE" "$ulf" '\(FLAGS_1\).* PIE' readelf -dW
for file in "$ulf" "$lib"; do
	has "RELRO" "$file" ' GNU_RELRO ' readelf -lW
	has "BIND_NOW" "$file" '\(FLAGS_1\).* NOW' readelf -dW
	has "stack that is not executable" "$file" ' GNU_STACK .* RW  ' readelf -lW
	has "stack protector" "$file" ' __stack_chk_fail' nm -D
	case $(option optimization) in
	0 | plain) ;;
	*) has "FORTIFY" "$file" ' __(snprintf|memcpy)_chk' nm -D ;;
	esac
done

# CET.  The linker keeps IBT only if the start code of libc has it.
has "shadow stack note" "$ulf" 'feature:.* SHSTK' readelf -nW
if readelf -nW "$(${CC:-gcc} -print-file-name=Scrt1.o)" | grep -q 'feature:.*IBT'; then
	has "IBT note" "$ulf" 'feature:.* IBT' readelf -nW
fi
for file in "$ULF_BUILD"/ulf.p/*.o "$ULF_BUILD"/libulf_server.a.p/*.o \
	    "$ULF_BUILD"/libulf_core.a.p/*.o; do
	has "CET note" "$file" 'feature: IBT, SHSTK' readelf -nW
done
# libulf replaces return addresses and enters functions after their first instruction.
has_not "a CET note, which is not true" "$lib" 'feature:.*(IBT|SHSTK)' readelf -nW

# Code that runs for each event contains no checks by the compiler.
for file in "$ULF_BUILD"/libulf_event.a.p/*.o "$ULF_BUILD"/libulf_hit.a.p/*.o; do
	has_not "a check on the path of events" "$file" ' __[a-z_]*chk(_fail)?$' nm
done
exit $status
