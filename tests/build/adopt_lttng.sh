#!/bin/sh
# SPDX-License-Identifier: MIT
# A provider header of LTTng-UST with each kind of field, in the names of LTTng-UST 2.13 and in
# the older ones, makes events of ulf, in C and C++, and their records print as expected.
# timeout: 300
# no-sanitize: address it builds programs of its own, without the sanitizer
# no-sanitize: thread it builds programs of its own, without the sanitizer
set -u
fail() { echo "FAIL: $*"; exit 1; }

cd "$TMPDIR" || exit 1
cat >zoo.h <<'END'
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER zoo
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./zoo.h"
#if !defined(ZOO_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ZOO_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_ENUM(zoo, animal, LTTNG_UST_TP_ENUM_VALUES(
	lttng_ust_field_enum_auto("ant")
	lttng_ust_field_enum_value("bee", -7)
	lttng_ust_field_enum_range("cats", 10, 12)
	lttng_ust_field_enum_auto("dog")
	lttng_ust_field_enum_value("eel", 0xffffffffffffffffULL)))

LTTNG_UST_TRACEPOINT_EVENT(zoo, numbers,
	LTTNG_UST_TP_ARGS(long long, n, unsigned long, u, double, d),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int8_t, i8, (int8_t)n)
		lttng_ust_field_integer_hex(int8_t, x8, (int8_t)n)
		lttng_ust_field_integer_hex(short, x16, (short)n)
		lttng_ust_field_integer_hex(int, x32, (int)n)
		lttng_ust_field_integer(long long, i64, n)
		lttng_ust_field_integer(unsigned long, ulong, u)
		lttng_ust_field_integer(uint64_t, u64, u)
		lttng_ust_field_integer(size_t, size, u)
		lttng_ust_field_integer_hex(unsigned long, x64, u)
		lttng_ust_field_integer_nowrite(int, hidden, (int)n)
		lttng_ust_field_integer_network(uint16_t, net16, (uint16_t)u)
		lttng_ust_field_integer_network_hex(uint32_t, net32, (uint32_t)u)
		lttng_ust_field_float(float, f, (float)d)
		lttng_ust_field_float(double, d, d)
		lttng_ust_field_unused(n)))
LTTNG_UST_TRACEPOINT_LOGLEVEL(zoo, numbers, LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO)
LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(zoo, numbers, "http://example.com/")

LTTNG_UST_TRACEPOINT_EVENT(zoo, arrays,
	LTTNG_UST_TP_ARGS(const char *, text, size_t, len, const uint16_t *, v),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string_nowrite(first, text)
		lttng_ust_field_string(string, text)
		lttng_ust_field_array_text(char, full, text, 4)
		lttng_ust_field_sequence_text(char, some, text, size_t, len)
		lttng_ust_field_array(uint16_t, array, v, 3)
		lttng_ust_field_array_network(uint16_t, netarray, v, 2)
		lttng_ust_field_sequence(uint16_t, seq, v, size_t, len)
		lttng_ust_field_sequence_network_hex(uint16_t, netseq, v, size_t, len)
		lttng_ust_field_sequence(uint16_t, empty, v, size_t, 0)))

LTTNG_UST_TRACEPOINT_EVENT(zoo, enums,
	LTTNG_UST_TP_ARGS(long, n),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_enum(zoo, animal, int, small, (int)n)
		lttng_ust_field_enum(zoo, animal, unsigned long, large,
				     (unsigned long)n)))

LTTNG_UST_TRACEPOINT_EVENT_CLASS(zoo, walk, LTTNG_UST_TP_ARGS(int, legs),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, legs, legs)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(zoo, walk, zoo, walk_in, LTTNG_UST_TP_ARGS(int, legs))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(zoo, walk, zoo, walk_out, LTTNG_UST_TP_ARGS(int, legs))

LTTNG_UST_TRACEPOINT_EVENT(zoo, closed, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())
LTTNG_UST_TRACEPOINT_EVENT(zoo, ten,
	LTTNG_UST_TP_ARGS(int, a, int, b, int, c, int, d, int, e, int, f, int, g, int, h,
			  int, i, int, j),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, a, a)
			    lttng_ust_field_integer(int, j, j)))
#endif
#include <lttng/tracepoint-event.h>
END
# The older names; an event of the same name as one of the other provider.
cat >old.h <<'END'
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER old
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./old.h"
#if !defined(OLD_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define OLD_H
#include <lttng/tracepoint.h>
TRACEPOINT_EVENT_CLASS(old, walk, TP_ARGS(const char *, who),
	TP_FIELDS(ctf_string(who, who)))
TRACEPOINT_EVENT_INSTANCE(old, walk, walk_in, TP_ARGS(const char *, who))
TRACEPOINT_LOGLEVEL(old, walk_in, TRACE_WARNING)
TRACEPOINT_EVENT(old, closed, TP_ARGS(void), TP_FIELDS())
#endif
#include <lttng/tracepoint-event.h>
END
cat >probes.c <<'END'
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "zoo.h"
#define TRACEPOINT_CREATE_PROBES
#include "old.h"
END
cat >main.c <<'END'
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "zoo.h"
#include "old.h"
#include <lttng/tracelog.h>

static int calls;
static int call(void) { return ++calls; }

int main(int argc, char **argv)
{
	static const uint16_t v[] = { 1, 0x1234, 0xffff };
	const long animals[] = { 0, -7, 9, 10, 12, 13, -1 };

	(void)argc;
	(void)argv;
	lttng_ust_tracepoint(zoo, numbers, -2, 0xfffffffffffffffeul, 0.5);
	lttng_ust_tracepoint(zoo, arrays, "abcdef", 3, v);
	lttng_ust_tracepoint(zoo, arrays, "abcd", 0, v);
	for (unsigned int i = 0; i < sizeof(animals) / sizeof(animals[0]); i++)
		lttng_ust_tracepoint(zoo, enums, animals[i]);
	if (tracepoint_enabled(zoo, walk_in))
		do_tracepoint(zoo, walk_in, call());
	lttng_ust_tracepoint(zoo, walk_out, call());
	lttng_ust_tracepoint(zoo, closed);
	lttng_ust_tracepoint(zoo, ten, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	tracepoint(old, walk_in, "me");
	tracepoint(old, closed);
	tracelog(TRACE_ERR, "%d calls", calls);
	return calls;
}
END
cat >wanted <<'END'
numbers: i8=-2 x8=0xfe x16=0xfffe x32=0xfffffffe i64=-2 ulong=18446744073709551614 u64=18446744073709551614 size=18446744073709551614 x64=0xfffffffffffffffe net16=65279 net32=0xfeffffff f=0.5 d=0.5
arrays: string=abcdef full=abcd some=abc array={0x1,0x1234,0xffff} netarray={0x100,0x3412} seq={0x1,0x1234,0xffff} netseq={0x100,0x3412,0xffff} empty={}
arrays: string=abcd full=abcd some= array={0x1,0x1234,0xffff} netarray={0x100,0x3412} seq={} netseq={} empty={}
enums: small=ant (0) large=ant (0)
enums: small=bee (-7) large=bee (18446744073709551609)
enums: small=<unknown> (9) large=<unknown> (9)
enums: small=cats (10) large=cats (10)
enums: small=cats (12) large=cats (12)
enums: small=dog (13) large=dog (13)
enums: small=eel (-1) large=eel (18446744073709551615)
walk_in: legs=1
walk_out: legs=2
closed: 
ten: a=1 j=10
walk_in: who=me
closed: 
main: main.c:28: 2 calls
END

flags="-O2 -D_GNU_SOURCE -Wall -Wextra -Werror -isystem $ULF_SRC/include
	-isystem $ULF_SRC/include/adopt -I."
for compiler in 'gcc -std=gnu11' 'clang -std=gnu11' 'g++ -x c++' 'clang++ -x c++'; do
	$compiler $flags -Wpedantic -c probes.c -o probes.o &&
		$compiler $flags -c main.c -o main.o || fail "$compiler: it does not compile"
	gcc main.o probes.o "$ULF_BUILD/libulf.so" -Wl,-rpath,"$ULF_BUILD" -o program ||
		fail "$compiler: it does not link"
	ulf run -e zoo -e old -o trace -- ./program 2>err
	[ $? = 2 ] || fail "$compiler: $(cat err)"
	grep -v '^#' trace | sed 's/^.*[0-9]\.[0-9]*: //' >got
	diff wanted got || fail "$compiler: the records print otherwise"
	# Arguments are not evaluated while the events are off; only walk_in counts here.
	ulf run -e zoo:walk_in -o trace -- ./program 2>err
	[ $? = 1 ] || fail "$compiler: arguments are evaluated while the event is off"
done
ulf record -o t.dat -e zoo -- ./program 2>err
ulf report t.dat >report || fail "ulf report"
grep -q 'small=cats (12)' report || fail "a file has no labels: $(cat report)"

# Without the probes the linker says what is missing.
gcc $flags main.c "$ULF_BUILD/libulf.so" -o missing 2>err && fail "it links without probes"
grep -q 'zoo___walk_in_needs_CREATE_TRACE_POINTS' err || fail "the linker says: $(cat err)"
# A program that gets its probes from a library is traced without it.
sed -i '1i#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE' main.c
gcc $flags main.c "$ULF_BUILD/libulf.so" -Wl,-rpath,"$ULF_BUILD" -o dynamic || fail "dynamic"
ulf run -e zoo -o trace -- ./dynamic 2>err
grep -q 'closed: ' trace || fail "probes of a library: $(cat trace)"
