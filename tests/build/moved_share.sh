# SPDX-License-Identifier: MIT
# Nearly all functions of programs and libraries can be moved, as Debian ships them.  Each line has
# a file and the least share in per mille.  Prints the shares.
set -u
. tests/cli/common

libs=/usr/lib/x86_64-linux-gnu
shares= missing=

while read -r file least; do
	for path in "$file" "$ULF_BUILD/sources/packages$file" "$ULF_BUILD/proof/packages$file"; do
		[ ! -r "$path" ] || break
	done
	if [ ! -r "$path" ]; then
		missing="$missing ${file##*/}"
		continue
	fi
	numbers=$("$ULF_BUILD/tests/build-count_moved" "$path") || fail "$path: $numbers"
	share=$(echo "$numbers" | cut -d' ' -f3)
	echo "$path: $numbers"
	[ "$share" -ge "$least" ] ||
		fail "$path: $share per mille of the functions can be moved, not $least"
	shares="$shares ${file##*/} $((share / 10)).$((share % 10))%"
done <<-END
	/usr/bin/redis-check-rdb 950
	/usr/sbin/nginx 990
	$libs/libsqlite3.so.0 990
	$libs/libc.so.6 990
	$libs/libcrypto.so.3 990
	$libs/libstdc++.so.6 990
	/usr/bin/bash 990
	/usr/bin/python3.11 980
END
[ -n "$shares" ] || skip "none of$missing is here"
[ -z "$missing" ] || echo "not here, tools/setup --sources $ULF_BUILD/sources gets them:$missing"
echo "score:$shares${missing:+, without$missing}"
