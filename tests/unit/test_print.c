/* SPDX-License-Identifier: MIT */
/* Print formats: conversions, helpers, and data that is not trusted. */
#include "event_rec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct print_case {
	const char *print_fmt, *text;
};

static int test_symbol(void *ctx, uint64_t addr, enum print_symbol style,
		       struct text *out)
{
	static const char *const styles[] = { "%s", "%s+0x4/0x20", "%s-return" };

	(void)ctx;
	if (addr != 0xffffc90000012340)
		return -ENOENT;
	if (style == PRINT_SYMBOL_NAME)
		text_puts(out, "func");
	else
		text_printf(out, "func%s", styles[style] + 2);
	return 0;
}

static uint64_t test_hash_ptr(void *ctx, uint64_t ptr)
{
	(void)ctx;
	return ptr & 0xffff;
}

static int test_string(void *ctx, uint64_t addr, struct text *out)
{
	(void)ctx;
	if (addr != 0x400000)
		return -ENOENT;
	text_puts(out, "constant");
	return 0;
}

static const struct print_env test_env = {
	.symbol = test_symbol, .hash_ptr = test_hash_ptr, .string = test_string,
};

static void run_cases(const struct print_case *cases, size_t nr,
		      const struct print_env *env)
{
	struct text out;
	struct rec r;

	rec_init(&r);
	for (size_t i = 0; i < nr; i++) {
		rec_print(cases[i].print_fmt, &r, env, &out);
		if (strcmp(text_str(&out), cases[i].text) != 0)
			fail_msg("%s: '%s', expected '%s'", cases[i].print_fmt,
				 text_str(&out), cases[i].text);
		text_done(&out);
	}
}

#define RUN(cases, env) run_cases(cases, sizeof(cases) / sizeof(cases[0]), env)

static void numbers(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%d %u %x %X %o\", REC->i, REC->u, REC->u, REC->u, REC->uh",
		  "-5 3735928559 deadbeef DEADBEEF 141520" },
		{ "\"%i|%ld|%lu|%lx\", REC->i, REC->l, REC->ul, REC->ul",
		  "-5|-1234567890123|18446612716735190648|ffff888812345678" },
		{ "\"%lld %llu %llx %Lu %zu %zd %td\", 1, 2, 3, 4, 5, -6, -7",
		  "1 2 3 4 5 -6 -7" },
		/* an argument is truncated to the size of the conversion */
		{ "\"%d %u %x\", REC->l, REC->l, REC->l",
		  "-1912276171 2382691125 8e04fb35" },
		{ "\"%hd %hu %hhd %hhu %hhx\", REC->u, REC->u, REC->u, REC->u, -1",
		  "-16657 48879 -17 239 ff" },
		{ "\"%ld %lx\", REC->i, REC->i", "-5 fffffffffffffffb" },
		{ "\"%u\", REC->i", "4294967291" },
		{ "\"[%5d][%-5d][%05d][%+d][% d]\", 42, 42, 42, 42, 42",
		  "[   42][42   ][00042][+42][ 42]" },
		{ "\"[%5d][%05d][%-5d][%+d]\", -42, -42, -42, -42",
		  "[  -42][-0042][-42  ][-42]" },
		{ "\"[%8x][%08x][%-8x][%#x][%#10x][%#010x]\", 255, 255, 255, 255, 255, 255",
		  "[      ff][000000ff][ff      ][0xff][      0xff][0x000000ff]" },
		{ "\"%#x %#X %#o %#o\", 0, 255, 8, 0", "0x0 0XFF 010 0" },
		{ "\"[%.3d][%6.3d][%-6.3d][%.0d]\", 5, 5, 5, 0",
		  "[005][   005][005   ][0]" },
		{ "\"[%*d][%-*d][%.*d]\", 5, 42, 5, 42, 4, 42",
		  "[   42][42   ][0042]" },
		{ "\"[%*d][%.*d]\", -5, 42, -1, 42", "[42   ][42]" },
		{ "\"%d%%\", 50", "50%" },
		{ "\"%lu\", 18446744073709551615UL", "18446744073709551615" },
		{ "\"%ld\", REC->l - 9223372036854775807", "9223370802286885686" },
		{ "\"%d\", 0x80000000", "-2147483648" },
		{ "\"%c%c[%3c][%-3c]\", REC->c, 'b', 'x', 'y', 1", "Ab[  x][y  ]" },
		{ "\"no arguments\"", "no arguments" },
		{ "\"\"", "" },
		{ "\"none \", ", "none " },
		{ "\"a\" \"b\"  \"%d\", 1", "ab1" },
	};

	(void)state;
	RUN(cases, NULL);
}

static void strings(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%s\", REC->comm", "bash" },
		{ "\"%s|\", REC->full", "full|" },
		{ "\"[%8s][%-8s][%.2s][%6.2s][%-6.2s]\", REC->comm, REC->comm, "
		  "REC->comm, REC->comm, REC->comm",
		  "[    bash][bash    ][ba][    ba][ba    ]" },
		{ "\"%s\", __get_str(name)", "eth0" },
		{ "\"[%6s]\", __get_str(name)", "[  eth0]" },
		{ "\"[%s]\", __get_str(empty)", "[]" },
		{ "\"%s\", __get_rel_str(rel)", "rel" },
		{ "\"%s\", (char *)__get_dynamic_array(name)", "eth0" },
		{ "\"%s\", __get_str(name) + 3", "0" },
		{ "\"%s\", REC->comm + 2", "sh" },
		{ "\"%s\", &REC->comm[1]", "ash" },
		{ "\"%s\", (char *)REC + (REC->__data_loc_name & 0xffff)", "eth0" },
		{ "\"%d %d\", REC->__data_loc_name >> 16, __get_dynamic_array_len(list)",
		  "5 12" },
		{ "\"%c%c\", __get_str(name)[1], REC->comm[0]", "tb" },
		{ "\"%s %s\", REC->flag ? \"yes\" : \"no\", REC->i > 0 ? \"+\" : \"-\"",
		  "yes -" },
		{ "\"%s\", REC->flag ? __get_str(name) : \"none\"", "eth0" },
		{ "\"%s\", REC->i == 1 ? \"one\" : REC->i == -5 ? \"minus five\" : \"?\"",
		  "minus five" },
		{ "\"%s %s\", NULL, (void *)0", "(null) (null)" },
		{ "\"%s\", \"tab\\there \\\"q\\\" \\x41\\101\\\\\"", "tab\there \"q\" AA\\" },
		{ "\"%s\", \"ad\" \"ja\" \"cent\"", "adjacent" },
		{ "\"line\\n\\ttwo\"", "line\n\ttwo" },
		{ "\"raw\n newline %d\", 1", "raw\n newline 1" },
		/* the kernel's macros do not escape quotes in a format */
		{ "\"name=\"%s\" end\", REC->comm", "name=\"bash\" end" },
		{ "\"a \"%s\"\", REC->comm", "a \"bash\"" },
		{ "\"%s\", ({ const char *s = REC->flag ? \"a\" : \"b\"; s; })", "a" },
	};

	(void)state;
	RUN(cases, NULL);
}

static void flags_and_symbols(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%s\", __print_flags(5, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 4, \"C\" })",
		  "A|C" },
		{ "\"[%s]\", __print_flags(0, \"|\", { 1, \"A\" })", "[]" },
		{ "\"%s\", __print_flags(0x506, \"|\", { 2, \"B\" }, { 4, \"C\" })",
		  "B|C|0x500" },
		{ "\"%s\", __print_flags(0x500, \"|\", { 2, \"B\" })", "0x500" },
		{ "\"%s\", __print_flags(7, \"\", { 3, \"AB\" }, { 1, \"A\" }, { 4, \"C\" })",
		  "ABC" },
		{ "\"%s\", __print_flags(REC->i, \",\", { 1UL << 63, \"TOP\" })",
		  "TOP,0x7ffffffffffffffb" },
		{ "\"%s\", __print_flags_u64(REC->ul, \"|\", { 0xffff888800000000ULL, \"base\" })",
		  "base|0x12345678" },
		{ "\"%s\", __print_flags(1, \"|\")", "0x1" },
		{ "\"%s\", __print_flags(3, \"|\", { 1, \"A\" }, { -1, NULL }, { 2, \"B\" })",
		  "A|0x2" },
		{ "\"[%8s][%-8s]\", __print_flags(5, \"|\", { 1, \"A\" }, { 4, \"C\" }), "
		  "__print_symbolic(1, { 1, \"one\" })",
		  "[     A|C][one     ]" },
		{ "\"%s\", __print_symbolic(REC->i, { -5, \"minus\" }, { 5, \"plus\" })",
		  "minus" },
		{ "\"%s\", __print_symbolic(REC->i, { 4294967291, \"u32\" })",
		  "0xfffffffffffffffb" },
		{ "\"%s\", __print_symbolic(7, { 1, \"one\" }, { 2, \"two\" }, )", "0x7" },
		{ "\"%s\", __print_symbolic(1, { 1, \"\" })", "0x1" },
		{ "\"%s\", __print_symbolic(2, { 1, \"one\" }, { }, { 2, \"two\" })", "0x2" },
		{ "\"%s\", __print_symbolic(1 << 2, { (0x1 | 0x2) + 1, \"f\" \"our\" })",
		  "four" },
		{ "\"%s\", __print_symbolic_u64(REC->ul, { 0xffff888812345678, \"me\" })",
		  "me" },
		{ "\"%s\", REC->flag ? __print_flags(1, \"|\", { 1, \"A\" }) : \"none\"",
		  "A" },
	};

	(void)state;
	RUN(cases, NULL);
}

static void bytes_and_arrays(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%s\", __print_hex(REC->mac, 6)", "02 00 00 aa bb cc" },
		{ "\"%s\", __print_hex_str(REC->mac, 6)", "020000aabbcc" },
		{ "\"[%s]\", __print_hex(REC->mac, 0)", "[]" },
		{ "\"[%s]\", __print_hex(REC->mac, -1)", "[]" },
		{ "\"%s\", __print_hex(__get_dynamic_array(list), __get_dynamic_array_len(list))",
		  "01 00 00 00 02 00 00 00 30 00 00 00" },
		{ "\"%s\", __print_array(REC->arr, 4, 4)", "{0x1,0x2,0xffffffff,0x4}" },
		{ "\"%s\", __print_array(REC->arr, 2, sizeof(u64))",
		  "{0x200000001,0x4ffffffff}" },
		{ "\"%s\", __print_array(REC->shorts, 2, 2)", "{0xffff,0x2}" },
		{ "\"%s\", __print_array(REC->mac, 0, 1)", "{}" },
		{ "\"%s\", __print_array(REC->mac, 1, 3)", "{BAD SIZE:3 0x2,0x0,0x0}" },
		{ "\"%s\", __print_array(__get_dynamic_array(list), "
		  "__get_dynamic_array_len(list) / sizeof(u32), sizeof(u32))",
		  "{0x1,0x2,0x30}" },
		{ "\"%s\", __print_dynamic_array(list, sizeof(u32))", "{0x1,0x2,0x30}" },
		{ "\"%s\", __get_bitmask(mask)", "00000001,0000000f" },
		{ "\"%s\", __get_cpumask(mask)", "00000001,0000000f" },
		{ "\"%s %s\", __get_rel_bitmask(rel), __get_rel_cpumask(rel)",
		  "006c6572 006c6572" },
		{ "\"%*ph %d\", __get_rel_dynamic_array_len(rel), "
		  "__get_rel_dynamic_array(rel), __get_rel_dynamic_array_len(rel)",
		  "72 65 6c 00 4" },
		{ "\"%pISp %pISpc\", __get_sockaddr(addr), "
		  "(struct sockaddr *)__get_rel_sockaddr(rel_addr)",
		  "127.0.0.1:80 127.0.0.1:80" },
		{ "\"%*pb|%*pbl\", 36, __get_dynamic_array(mask), 36, __get_dynamic_array(mask)",
		  "1,0000000f|0-3,32" },
		{ "\"[%*pbl][%*pb]\", 0, REC->mac, 0, REC->mac", "[][]" },
		{ "\"%6ph|%*phC|%*phD|%6phN\", REC->mac, 3, REC->mac, 3, REC->mac, REC->mac",
		  "02 00 00 aa bb cc|02:00:00|02-00-00|020000aabbcc" },
		{ "\"[%*ph]\", 0, REC->mac", "[]" },
		{ "\"%llu.%09u\", __print_ns_to_secs(12345678901ULL), "
		  "__print_ns_without_secs(12345678901ULL)", "12.345678901" },
		{ "\"%s\", __print_hex_dump(\"x: \", DUMP_PREFIX_OFFSET, 16, 1, "
		  "REC->uuid, 16, false)",
		  "\nx: 00000000: 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff\n" },
		{ "\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 4, REC->arr, 16, true)",
		  "\n00000001 00000002 ffffffff 00000004  ................\n" },
		{ "\"%s\", __print_hex_dump(\"p\", DUMP_PREFIX_OFFSET, 16, 1, REC->in6, 20, 1)",
		  "\np00000000: 0a 00 1f 90 00 00 00 05 fe 80 00 00 00 00 00 00  ................\n"
		  "p00000010: 00 00 00 00                                      ....\n" },
	};

	(void)state;
	RUN(cases, NULL);
}

static void pointers(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%p %p %px %pK\", REC->ptr, NULL, REC->ptr, REC->ptr",
		  "0000000000002340 0000000000000000 ffffc90000012340 0000000000002340" },
		{ "\"%p\", (void *)-2L", "fffffffffffffffe" },
		{ "\"[%20p][%-20px]\", REC->ptr, REC->ptr",
		  "[                2340][ffffc90000012340    ]" },
		{ "\"%ps %pS %pB %pSR\", REC->ptr, REC->ptr, REC->ptr, REC->ptr",
		  "func func+0x4/0x20 func-return func+0x4/0x20" },
		{ "\"[%8ps][%-8ps]\", REC->ptr, REC->ptr", "[    func][func    ]" },
		{ "\"%pS %ps\", (void *)0x1234, NULL", "0x1234 0x0" },
		{ "\"%pI4 %pi4 %pI4h\", REC->ip4, REC->ip4, REC->ip4",
		  "192.168.1.20 192.168.001.020 20.1.168.192" },
		{ "\"%pI4\", &REC->u", "239.190.173.222" },
		{ "\"%pI6 %pi6\", REC->ip6, REC->ip6",
		  "2001:0db8:0000:0000:0001:0000:0000:0010 "
		  "20010db8000000000001000000000010" },
		{ "\"%pI6c %pI6c\", REC->ip6, REC->mapped",
		  "2001:db8::1:0:0:10 ::ffff:10.0.0.1" },
		{ "\"%pIS %pISp %pISpc\", REC->in, REC->in, REC->in",
		  "127.0.0.1 127.0.0.1:80 127.0.0.1:80" },
		{ "\"%pISc %pISpc %pISpfsc\", REC->in6, REC->in6, REC->in6",
		  "fe80::1 [fe80::1]:8080 [fe80::1]:8080/5%3" },
		{ "\"%pIS\", REC->uuid", "(einval)" },
		{ "\"%pM %pMF %pMR %pm %pmR\", REC->mac, REC->mac, REC->mac, REC->mac, REC->mac",
		  "02:00:00:aa:bb:cc 02-00-00-aa-bb-cc cc:bb:aa:00:00:02 "
		  "020000aabbcc ccbbaa000002" },
		{ "\"%pU %pUB %pUl %pUL\", REC->uuid, REC->uuid, REC->uuid, REC->uuid",
		  "00112233-4455-6677-8899-aabbccddeeff "
		  "00112233-4455-6677-8899-AABBCCDDEEFF "
		  "33221100-5544-7766-8899-aabbccddeeff "
		  "33221100-5544-7766-8899-AABBCCDDEEFF" },
		{ "\"%pad %pap\", &REC->phys, &REC->phys",
		  "0x0000000000012345 0x0000000000012345" },
		{ "\"%pNF\", &REC->ul", "0xffff888812345678" },
		{ "\"%pe %pe %pe [%8pe]\", (void *)-2L, (void *)-4000L, REC->ptr, (void *)-1L",
		  "-ENOENT -4000 0000000000002340 [  -EPERM]" },
		{ "\"%ptR %ptRd %ptRt %ptRs %ptRr\", REC->tm, REC->tm, REC->tm, REC->tm, REC->tm",
		  "2024-02-02T03:04:05 2024-02-02 03:04:05 2024-02-02 03:04:05 "
		  "0124-01-02T03:04:05" },
		{ "\"%ptT %ptTd %ptTts\", &REC->ts.tv_sec, &REC->ts.tv_sec, &REC->ts.tv_sec",
		  "2023-11-14T22:13:20 2023-11-14 22:13:20" },
		{ "\"%p4cc\", REC->comm", "bash little-endian (0x68736162)" },
		{ "\"%p4cc\", &REC->u", "...^ big-endian (0xdeadbeef)" },
		{ "\"%4pE|%*pE|%pE\", REC->full, 6, REC->mac, REC->comm",
		  "full|\\002\\0\\0\xaa\xbb\xcc|b" },
		{ "\"%5pEhp|%6pEo|%1pEs|%1pEc\", __get_str(name), REC->mac, "
		  "\"\\n\", \"\\\\\"",
		  "eth0\\x00|\\002\\000\\000\\252\\273\\314|\\n|\\\\" },
		{ "\"%*ph %*pE %*pbl\", 2, NULL, 2, NULL, 2, NULL", "(null) (null) (null)" },
		{ "\"%s\", REC->str", "constant" },
		{ "\"%s\", (char *)0x500000", "(0x0000000000500000)[UNSAFE-MEMORY]" },
		{ "\"%pI4\", NULL", "(null)" },
	};
	static const struct print_case bare[] = {
		{ "\"%p %pS %s\", REC->ptr, REC->ptr, REC->str",
		  "ffffc90000012340 0xffffc90000012340 "
		  "(0x0000000000400000)[UNSAFE-MEMORY]" },
	};

	(void)state;
	RUN(cases, &test_env);
	RUN(bare, NULL);
}

/* With any format, nothing outside of the record is read. */
static void lies_print_as_faults(void **state)
{
	static const struct print_case cases[] = {
		{ "\"%s\", __get_str(bad)", "(efault)" },
		{ "\"[%10s]\", __get_str(bad)", "[  (efault)]" },
		{ "\"%s\", __print_hex(REC->mac, 7)", "(efault)" },
		{ "\"%s\", __print_array(REC->arr, 5, 4)", "(efault)" },
		{ "\"%s\", __print_array(REC->arr, 0x7fffffff, 0x7fffffffffffffff)",
		  "(efault)" },
		{ "\"%s\", __print_array(REC->arr, 3, 0)", "{}" },
		{ "\"%s\", __get_bitmask(bad)", "(efault)" },
		{ "\"%s\", __print_dynamic_array(bad, 1)", "(efault)" },
		{ "\"%s\", __print_dynamic_array(list, 0)", "(efault)" },
		{ "\"%s\", __print_hex_dump(\"\", 0, 16, 1, REC->mac, 7, 0)", "(efault)" },
		{ "\"%d\", REC->arr[4]", "(efault)" },
		{ "\"%d\", REC->arr[-100]", "(efault)" },
		{ "\"%d\", REC->arr[0x4000000000000000]", "1" },
		{ "\"%d\", REC->arr[0x4000000000000004]", "(efault)" },
		{ "\"%d\", REC->arr[REC->l]", "(efault)" },
		{ "\"%s\", REC->comm + 17", "(efault)" },
		{ "\"[%s]\", REC->comm + 16", "[]" },
		{ "\"%s\", REC->comm - 100000", "(efault)" },
		{ "\"%d\", *(int *)0", "(efault)" },
		{ "\"%d\", *(int *)REC->ptr", "(efault)" },
		{ "\"%d\", *(u64 *)&REC->u", "(efault)" },
		{ "\"%d\", 1 / (REC->i + 5)", "(efault)" },
		{ "\"%d %d\", 1 / 0, 1 % 0", "(efault) (efault)" },
		{ "\"%d\", (1 / 0) + 1 ? 2 : 3", "(efault)" },
		{ "\"%ld %ld\", (-9223372036854775807 - 1) / -1L, "
		  "(-9223372036854775807 - 1) % -1L", "-9223372036854775808 0" },
		{ "\"%d\", (-2147483647 - 1) / -1", "-2147483648" },
		{ "\"%d %d\", 1 << 33, 1 << -1", "2 -2147483648" },
		{ "\"%d\", -8 >> 65", "-4" },
		{ "\"%pI4 %pI6 %pM %pU\", REC->shorts + 1, REC->mac, REC->full, REC->mac",
		  "(efault) (efault) (efault) (efault)" },
		{ "\"%pIS\", REC->mac", "(efault)" },
		{ "\"%pad\", &REC->u", "(efault)" },
		{ "\"%pIS\", REC->ptr", "(efault)" },
		{ "\"%ptT %ptR %p4cc\", &REC->u, &REC->ul, &REC->h", "(efault) (efault) (efault)" },
		{ "\"%7pE %pE\", REC->mac, REC->ptr", "(efault) (efault)" },
		{ "\"%*ph\", 7, REC->mac", "(efault)" },
		{ "\"%*pb\", 49, REC->mac", "(efault)" },
		{ "\"%c\", REC->arr[9]", "(efault)" },
		{ "\"%d\", __print_symbolic(1, { 1, \"one\" }) ? 1 : 2", "1" },
		{ "\"%s\", __print_symbolic(1 / 0, { 1, \"one\" })", "(efault)" },
		{ "\"%s\", __print_flags(1 / 0, \"|\", { 1, \"one\" })", "(efault)" },
	};

	(void)state;
	RUN(cases, NULL);
}

static void short_records_are_refused(void **state)
{
	struct event_format *fmt = rec_format("\"%d %s\", REC->i, __get_str(name)");
	const size_t need = offsetof(struct rec, name) + 4;
	struct print_program *program;
	struct text out;
	struct rec r;

	(void)state;
	rec_init(&r);
	text_init(&out, 1000);
	assert_int_equal(print_compile(fmt, &program), 0);
	for (size_t len = 0; len < need; len++) {
		assert_int_equal(print_record(program, &r, len, NULL, &out),
				 -EBADMSG);
		assert_int_equal(out.len, 0);
	}
	assert_int_equal(print_record(program, &r, need, NULL, &out), 0);
	assert_string_equal(text_str(&out), "-5 (efault)");
	text_done(&out);
	print_program_free(program);
	event_format_free(fmt);
}

/* A field of size 0 at the end of the record. */
static void empty_fields_are_not_read(void **state)
{
	struct event_format *fmt = event_format_alloc("s", "e", 1,
		"\"%d %s %d\", REC->none, REC->open, REC->open[0]");
	uint8_t *rec = calloc(1, 8);
	struct print_program *program;
	struct text out;

	(void)state;
	assert_int_equal(event_format_add_field(fmt, "int", "none", 8, 0, true), 0);
	assert_int_equal(event_format_add_field(fmt, "char[]", "open", 8, 0, true), 0);
	assert_int_equal(print_compile(fmt, &program), 0);
	text_init(&out, 100);
	assert_int_equal(print_record(program, rec, 8, NULL, &out), 0);
	assert_string_equal(text_str(&out), "8  (efault)");
	text_reset(&out);
	assert_int_equal(print_record_fields(fmt, rec, 8, NULL, &out), 0);
	assert_string_equal(text_str(&out), "none=<INVALID-SIZE> open=");
	text_done(&out);
	print_program_free(program);
	event_format_free(fmt);
	free(rec);
}

static void full_output_is_an_error(void **state)
{
	struct event_format *fmt = rec_format("\"%100d\", REC->i");
	struct print_program *program;
	struct text out;
	struct rec r;

	(void)state;
	rec_init(&r);
	text_init(&out, 50);
	assert_int_equal(print_compile(fmt, &program), 0);
	assert_int_equal(print_record(program, &r, sizeof(r), NULL, &out), -E2BIG);
	text_done(&out);
	print_program_free(program);
	event_format_free(fmt);
}

static void errors_say_where(void **state)
{
	static const struct {
		const char *print_fmt;
		int error;
		const char *at;		/* text at the position of the error */
	} cases[] = {
		{ "\"%d\", REC->nothing", -EINVAL, "nothing" },
		{ "\"%d\", FOO", -EINVAL, "FOO" },
		{ "\"%d\", foo(REC->i)", -EINVAL, "foo(" },
		{ "\"%s\", __print_symbolic(REC->i, { FOO, \"foo\" })", -EINVAL, "FOO" },
		{ "\"%s\", __get_str(comm)", -EINVAL, "comm" },
		{ "\"%d\", (REC->i", -EINVAL, "" },
		{ "\"%d\", REC->i)", -EINVAL, ")" },
		{ "\"%d\", 1 +", -EINVAL, "" },
		{ "\"%d\", 1.5", -EINVAL, "%d" },
		{ "\"%d\", 1.5.5", -EINVAL, "1.5.5" },
		{ "\"%d\", 12ab", -EINVAL, "12ab" },
		{ "\"%d\", REC->odd.x", -EINVAL, ".x" },
		{ "\"%d\", REC->ts.tv_usec", -EINVAL, ".tv_usec" },
		{ "\"%d\", REC->ptr->x", -EINVAL, "->x" },
		{ "\"%d\", (bar_t)REC->i", -EINVAL, "bar_t)" },
		{ "\"%d\", ({ bar_t x = (bar_t)1; x; })", -EINVAL, "bar_t)1" },
		{ "\"%d\", REC->i = 3", -EINVAL, "= 3" },
		{ "\"%d\", 'ab'", -EINVAL, "'ab'" },
		{ "\"%d\", \"abc", -EINVAL, "\"abc" },
		{ "\"%d\", @", -EINVAL, "@" },
		{ "\"%d\"", -EINVAL, "%d" },
		{ "\"\\t%% %d %x\", 1", -EINVAL, "%x" },
		{ "\"%y\", 1", -EINVAL, "%y" },
		{ "\"%d%n\", 1", -EINVAL, "%n" },
		{ "\"%pV\", REC->ptr", -EINVAL, "%pV" },
		{ "\"%pd\", REC->ptr", -EINVAL, "%pd" },
		{ "\"%pGg\", REC->ptr", -EINVAL, "%pGg" },
		{ "\"%ptX\", REC->tm", -EINVAL, "%ptX" },
		{ "\"%pks\", REC->ptr", -EINVAL, "%pks" },
		{ "\"%\", 1", -EINVAL, "%" },
		{ "%d, 1", -EINVAL, "%d" },
		{ "", -EINVAL, "" },
		{ "\"%d\", sizeof(struct unknown)", -EINVAL, "struct unknown" },
		{ "\"%d\", sizeof(bar_t)", -EINVAL, "bar_t)" },
		{ "\"%d\", *REC", -EINVAL, "" },
		{ "\"%d\", ({ int x; x; })", -EINVAL, "; x" },
		{ "\"%d\", &1", -EINVAL, "" },
		{ "\"%s\", __print_flags(1, REC->comm, { 1, \"a\" })", -EINVAL, "" },
		{ "\"%s\", __print_flags(1, \"|\", { REC->i, \"a\" })", -EINVAL, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_format *fmt = rec_format(cases[i].print_fmt);
		struct print_program *program = NULL;
		struct print_error err = { .pos = SIZE_MAX };

		assert_int_equal(print_compile_names(fmt, NULL, &program, &err),
				 cases[i].error);
		assert_null(program);
		assert_non_null(err.message);
		assert_true(err.pos <= strlen(cases[i].print_fmt));
		if (strncmp(cases[i].print_fmt + err.pos, cases[i].at,
			    strlen(cases[i].at)) != 0)
			fail_msg("%s: %s at %zu", cases[i].print_fmt,
				 err.message, err.pos);
		event_format_free(fmt);
	}
}

static int compile_repeated(const char *start, const char *middle,
			    const char *end, int nr)
{
	struct print_program *program = NULL;
	struct event_format *fmt;
	struct text text;
	int ret;

	text_init(&text, 16 << 20);
	text_puts(&text, start);
	for (int i = 0; i < nr; i++)
		text_puts(&text, middle);
	text_puts(&text, end);
	fmt = rec_format(text_str(&text));
	ret = print_compile(fmt, &program);
	print_program_free(program);
	event_format_free(fmt);
	text_done(&text);
	return ret;
}

static void depth_and_size_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(compile_repeated("\"%d\", ", "(", "1", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "-", "1", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "1?1:", "1", 50000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "(int)", "1", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "sizeof ", "1", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "({", "1", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", 1", "+REC->i", "", 10000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", 1", "+1", "", 10000), 0);
	assert_int_equal(compile_repeated("\"", "%d", "\", 1", 100000), -EINVAL);
	assert_int_equal(compile_repeated("\"%d\", 1", ",1", "", 100000), -E2BIG);
	assert_int_equal(compile_repeated("\"", "xxxxxxxxxx", "\"", 200000), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "REC->i ?: ", "1", 100), -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ({", "int a = 1;", "a; })", 100),
			 -E2BIG);
	assert_int_equal(compile_repeated("\"%d\", ", "(1+(", "", 100), -E2BIG);
}

static void raw_fields(void **state)
{
	struct event_format *fmt = rec_format("\"\"");
	struct text out;
	struct rec r;

	(void)state;
	rec_init(&r);
	text_init(&out, 10000);
	assert_int_equal(print_record_fields(fmt, &r, sizeof(r), &test_env, &out), 0);
	assert_string_equal(text_str(&out),
		"i=0xfffffffb (-5) u=0xdeadbeef (-559038737) b='\xff'(255) "
		"ub='\xc8'(200) h=0xfed4 (65236) uh=0xc350 (50000) flag=(1) c='A'(65) "
		"l=0xfffffee08e04fb35 (-1234567890123) "
		"ul=0xffff888812345678 (-131356974360968) comm=bash full=full "
		"mac=<INVALID-SIZE> ip4=0x1401a8c0 (335653056) ip6=<INVALID-SIZE> "
		"mapped=<INVALID-SIZE> uuid=<INVALID-SIZE> in=<INVALID-SIZE> "
		"in6=<INVALID-SIZE> arr=<INVALID-SIZE> shorts=0x2ffff (196607) "
		"phys=0x12345 (74565) ptr=func+0x4/0x20 (74560) "
		"str=(0x400000:constant) odd=<INVALID-SIZE> foo=0x7 (7) "
		"ts=<INVALID-SIZE> tm=<INVALID-SIZE> name=eth0 "
		"list=01,00,00,00,02,00,00,00,30,00,00,00 "
		"mask=0f,00,00,00,01,00,00,00 empty= bad=<OVERFLOW> rel=rel "
		"addr=02,00,00,50,7f,00,00,01,00,00,00,00,00,00,00,00 "
		"rel_addr=02,00,00,50,7f,00,00,01,00,00,00,00,00,00,00,00");
	for (size_t len = 0; len < sizeof(r); len++) {
		text_reset(&out);
		assert_int_equal(print_record_fields(fmt, &r, len, NULL, &out), 0);
		assert_non_null(strstr(text_str(&out), "bad=<OVERFLOW>"));
	}
	text_done(&out);
	event_format_free(fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings),
		cmocka_unit_test(flags_and_symbols),
		cmocka_unit_test(bytes_and_arrays),
		cmocka_unit_test(pointers),
		cmocka_unit_test(lies_print_as_faults),
		cmocka_unit_test(short_records_are_refused),
		cmocka_unit_test(empty_fields_are_not_read),
		cmocka_unit_test(full_output_is_an_error),
		cmocka_unit_test(errors_say_where),
		cmocka_unit_test(depth_and_size_are_bounded),
		cmocka_unit_test(raw_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
