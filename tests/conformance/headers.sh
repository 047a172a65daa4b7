#!/bin/sh
# SPDX-License-Identifier: MIT
# Compile all trace headers of Linux 6.1, unmodified, with the types in stubs/.  The score
# says how many compile, and how many of their `format` files equal the kernel's byte by byte,
# without the ID.
#
# timeout: 600
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
. tests/conformance/common

# The test fails if there are fewer than these.
headers_min=156
formats_min=474

work=$ULF_CACHE/conformance
mkdir -p "$work" && cd "$work" || exit 1

# included_before HEADER: print the flag for a HEADER whose .c file includes another trace
# header first.
included_before() {
	case $1 in
	events/cachefiles.h) echo "-DBEFORE='<trace/events/netfs.h>'" ;;
	events/osnoise.h) echo "-DBEFORE='<trace/events/irq.h>'" ;;
	events/tcp.h) echo "-DBEFORE='<trace/events/sock.h>'" ;;
	esac
}

object_of() { echo "$1" | sed 's,/,-,; s,h$,o,'; }

# Objects of an earlier run are used again if nothing has changed.
write_ninja() {
	cat <<-END
	rule header
	  command = rm -f \$out && gcc $(echo $flags $stub_flags) -O0 $
	    -MD -MF \$out.d -DHEADER='<trace/\$header>' \$before $
	    -c -o \$out \$in >\$out.log 2>&1
	  depfile = \$out.d
	  deps = gcc
	END
	for header in $headers; do
		echo "build $(object_of $header): header $here/header.c"
		echo "  header = $header"
		echo "  before = $(included_before $header)"
	done
}

# The functions that the stubs declare are defined nowhere, because nothing calls them.
link_formats() {
	gcc $flags -no-pie -I"$ULF_SRC/tests" -I"$ULF_SRC/src" \
		-o formats "$here/formats.c" $objects \
		"$ULF_BUILD/tests/libhelpers.a" "$ULF_BUILD/libulf_core.a" \
		$libs -Wl,--unresolved-symbols=ignore-all
}

# formats-6.1.tar.gz has events/SYSTEM/EVENT/format.
unpack_formats() {
	rm -rf kernel ours
	mkdir kernel ours
	tar -xzf "$ULF_SRC/tests/data/formats-6.1.tar.gz" -C kernel ./events
	find kernel -name format -exec sed -i '/^ID: [0-9]*$/d' {} +
}

headers=$(cd "$linux/include/trace" && echo events/*.h misc/*.h)
make_empty_includes
write_ninja >build.ninja
ninja -k 0 >ninja.log
nr_headers=0 nr_compiled=0 objects=
for header in $headers; do
	object=$(object_of $header)
	nr_headers=$((nr_headers + 1))
	if [ -e "$object" ]; then
		nr_compiled=$((nr_compiled + 1))
		objects="$objects $object"
	else
		echo "$header does not compile: $(grep -m 1 error: "$object.log")"
	fi
done

link_formats || fail "the headers cannot be linked"
unpack_formats
./formats ours || fail "the program with all events does not run"

nr_compared=0 nr_equal=0 different=
for format in ours/*/*; do
	event=${format#ours/}
	theirs=kernel/events/$event/format
	[ -e "$theirs" ] || continue
	nr_compared=$((nr_compared + 1))
	if diff -U 0 "$theirs" "$format"; then
		nr_equal=$((nr_equal + 1))
	else
		different="$different $event"
	fi
done
[ -z "$different" ] || echo "different:$different"

# If a header of a system compiles, all events of this system must be there.
missing=
for system in ours/*; do
	for theirs in kernel/events/"${system#ours/}"/*/format; do
		event=${theirs#kernel/events/} event=${event%/format}
		[ ! -e "$theirs" ] || [ -e "ours/$event" ] ||
			missing="$missing $event"
	done
done
[ -z "$missing" ] || echo "missing:$missing"

echo "score: headers compiled $nr_compiled / $nr_headers," \
	"formats equal $nr_equal / compared $nr_compared"
[ $nr_compiled -ge $headers_min ] && [ $nr_equal -ge $formats_min ] &&
	[ -z "$missing" ]
