#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# timeout: 1200
# python3.11 passes its own tests, those of its C modules among them, while all functions of it
# and of all libraries are traced, and while tracing is switched at random.
. tests/proof/common
need python3.11
find_tests() {
	for top in "$packages" ''; do
		[ ! -e "$top/usr/lib/python3.11/test/test_grammar.py" ] ||
			{ echo "$top/usr/lib/python3.11/test"; return; }
	done
	return 1
}
tests=$(find_tests) || skip "no libpython3.11-testsuite: make proof gets it (tools/setup --proof)"

# Left out: tests of the network and of gigabytes of memory, and those that take minutes.
items='test_json test_generators'
! is_long || items='test_abc test_array test_ast test_asyncgen test_audit test_base64 test_bigmem
	test_binascii test_bisect test_bool test_buffer test_bufio test_builtin test_bytes test_bz2
	test_call test_capi test_class test_cmath test_codecs test_collections test_compile
	test_complex test_contextlib test_copy test_coroutines test_crypt test_csv test_ctypes
	test_dataclasses test_datetime test_deque test_descr test_dict test_dis test_enum test_epoll
	test_exceptions test_fcntl test_file test_fileio test_float test_fork1 test_format
	test_fractions test_frame test_fstring test_functools test_gc test_generators test_grammar
	test_gzip test_hashlib test_heapq test_hmac test_importlib test_inspect test_int test_io
	test_iter test_itertools test_json test_list test_locale test_long test_lzma test_marshal
	test_math test_memoryio test_memoryview test_minidom test_mmap test_opcodes test_operator
	test_ordered_dict test_os test_pickle test_poll test_posix test_pyexpat test_queue
	test_random test_range test_re test_resource test_scope test_select test_set test_shelve
	test_signal test_slice test_sort test_sqlite3 test_statistics test_str test_struct
	test_subprocess test_super test_sys test_syslog test_tarfile test_tempfile test_thread
	test_threading test_threading_local test_time test_traceback test_tuple test_types
	test_unicode test_wait3 test_wait4 test_weakref test_with test_xml_etree test_xml_etree_c
	test_zipfile test_zlib test_faulthandler'
items=${PROOF_UNITS:-$items}

mkdir -p "$TMPDIR/bin" "$TMPDIR/lib/test" || fail mkdir
cp -rs /usr/lib/python3.11/test/. "$TMPDIR/lib/test" 2>/dev/null
cp -rsf "$tests/." "$TMPDIR/lib/test" || fail cp
wrap python3.11 "$TMPDIR/bin/python3"
cat >"$TMPDIR/results.py" <<'END'
import sys
import xml.etree.ElementTree

for case in sorted(xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"),
		   key=lambda case: case.get("name")):
	kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
	print(case.get("name"), *(kinds or ["ok"]))
END
# run_module NAME: print the result of each of its tests
run_module() {
	PYTHONPATH=$TMPDIR/lib PYTHONDONTWRITEBYTECODE=1 timeout 900 "$TMPDIR/bin/python3" -m test \
		--junit-xml "$TMPDIR/xml" "$1" >"$TMPDIR/log" 2>&1
	status=$?
	echo "status $status"
	/usr/bin/python3 "$TMPDIR/results.py" "$TMPDIR/xml"
	[ $status = 0 ] || tail -n 40 "$TMPDIR/log" >"$TMPDIR/log.$phase.$1"
	rm -f "$TMPDIR/xml"
}
in_phases run_module "$(echo $items)"
echo "score: python3 $score"
