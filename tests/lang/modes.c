/* SPDX-License-Identifier: MIT */
/*
 * One small program, compiled in many modes, and after text that real programs may have.  The
 * compiler must report nothing, or the one error that helps.
 *
 * no-sanitize: address it compiles without the sanitizer
 * no-sanitize: thread it compiles without the sanitizer
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

#define C	"gcc ", "clang "
#define CXX	"g++ -x c++ ", "clang++ -x c++ "
#define KERNEL	"#include <ulf/kernel.h>\n"

/* A program may have macros with these names.  Here they expand to text that does not
 * compile. */
static const char words[] =
	"#include <stdio.h>\n#define noinline ?\n#define unused ?\n#define used ?\n"
	"#define cold ?\n#define hot ?\n#define packed ?\n#define aligned ?\n"
	"#define weak ?\n#define always_inline ?\n#define format ?\n"
	"#define printf ?\n#define section ?\n#define visibility ?\n"
	"#define constructor ?\n#define destructor ?\n#define retain ?\n"
	"#define noplt ?\n#define pure ?\n#define alias ?\n"
	"#define no_instrument_function ?\n#define no_sanitize ?\n"
	"#define patchable_function_entry ?\n#define tls_model ?\n"
	"#define xray_never_instrument ?\n#define noreturn ?\n";

static const struct mode {
	const char *compilers[4];
	const char *flags;
	const char *before;		/* text before the first include of ulf */
	const char *says;		/* part of the first message; NULL: no message */
} modes[] = {
	{ { C }, "-std=c11", "", NULL },
	{ { C }, "-std=gnu11", "", NULL },
	{ { C }, "-std=gnu99", "", NULL },
	{ { C }, "-std=gnu17 -D_GNU_SOURCE", KERNEL, NULL },
	{ { CXX }, "-std=c++11", "", NULL },
	{ { CXX }, "-std=c++17", "", NULL },
	{ { CXX }, "-std=gnu++20", KERNEL, NULL },
	/* before C11 */
	{ { C }, "-std=c99", "", "C11, or GNU C99: compile with -std=gnu11" },
	{ { C }, "-std=c89", "", "C11, or GNU C99: compile with -std=gnu11" },
	{ { C }, "-std=gnu89", "", "C11, or GNU C99: compile with -std=gnu11" },
	{ { CXX }, "-std=c++98", "", "C++11 or later: compile with -std=c++17" },
	/* ulf's headers write attributes with names that no macro of a program has. */
	{ { C, CXX }, "", words, NULL },
	/* <ulf/kernel.h> together with other headers */
	{ { C }, "", "#include <linux/types.h>\n#include <linux/kdev_t.h>\n"
	  "#include <sys/sysmacros.h>\n" KERNEL, NULL },
	{ { C }, "", KERNEL "#include <linux/types.h>\n"
	  "#include <linux/kdev_t.h>\n#include <sys/sysmacros.h>\n"
	  "_Static_assert(MAJOR(259u << 20 | 1) == 259, \"\");\n", NULL },
	{ { C }, "", "#define u8 unsigned char\n#define strscpy none\n"
	  "#define MAJOR(dev) 77\n" KERNEL
	  "_Static_assert(MAJOR(1) == 77, \"\");\n", NULL },
	{ { C, CXX }, "", "typedef unsigned long long u64;\n"
	  "typedef unsigned char u8;\n" KERNEL, NULL },
	{ { C, CXX }, "", "typedef unsigned long u64;\n" KERNEL,
	  "ULF_KERNEL_NO_TYPES" },
	{ { C, CXX }, "-DULF_KERNEL_NO_TYPES",
	  "typedef unsigned long u64;\n" KERNEL, NULL },
};
#define NR_MODES (sizeof(modes) / sizeof(modes[0]))

/* write_file() replaces "@" by `;` or by nothing. */
static const char header[] =
	"#undef TRACE_SYSTEM\n"
	"#define TRACE_SYSTEM mode\n"
	"#if !defined(MODE_H) || defined(TRACE_HEADER_MULTI_READ)\n"
	"#define MODE_H\n"
	"#include <linux/tracepoint.h>\n"
	"TRACE_EVENT(mode_event,\n"
	"	TP_PROTO(int count, const char *who),\n"
	"	TP_ARGS(count, who),\n"
	"	TP_STRUCT__entry(\n"
	"		__field(int, count)\n"
	"		__array(char, fixed, 4)\n"
	"		__dynamic_array(int, list, 2)\n"
	"		__string(who, who)\n"
	"		__rel_string(again, who)\n"
	"	),\n"
	"	TP_fast_assign(\n"
	"		__entry->count = count;\n"
	"		__assign_str(who);\n"
	"		__assign_rel_str(again, who);\n"
	"	),\n"
	"	TP_printk(\"%s %d\", __get_str(who), __entry->count)\n"
	")@\n"
	"TRACE_DEFINE_ENUM(MODE_ONE)@\n"
	"TRACE_DEFINE_SIZEOF(int)@\n"
	"TRACE_EVENT(mode_table,\n"
	"	TP_PROTO(int count), TP_ARGS(count),\n"
	"	TP_STRUCT__entry(__field(int, count)),\n"
	"	TP_fast_assign(__entry->count = count;),\n"
	"	TP_printk(\"%s\", __print_symbolic(__entry->count,\n"
	"		  { 1, \"one\" }, { 2, \"two\" }))\n"
	")@\n"
	"DECLARE_EVENT_CLASS(mode_class,\n"
	"	TP_PROTO(int count), TP_ARGS(count),\n"
	"	TP_STRUCT__entry(__field(int, count)),\n"
	"	TP_fast_assign(__entry->count = count;),\n"
	"	TP_printk(\"%d\", __entry->count)\n"
	")@\n"
	"DEFINE_EVENT(mode_class, mode_one, TP_PROTO(int count), TP_ARGS(count))@\n"
	"DEFINE_EVENT_PRINT(mode_class, mode_two, TP_PROTO(int count),\n"
	"	TP_ARGS(count), TP_printk(\"two %d\", __entry->count))@\n"
	"DEFINE_EVENT_CONDITION(mode_class, mode_if, TP_PROTO(int count),\n"
	"	TP_ARGS(count), TP_CONDITION(count))@\n"
	"TRACE_EVENT_FLAGS(mode_one, 1)@\n"
	"TRACE_EVENT_PERF_PERM(mode_one, 1)@\n"
	"DEFINE_EVENT_NOP(mode_class, mode_nop, TP_PROTO(int count), TP_ARGS(count))@\n"
	"DECLARE_TRACE(mode_bare, TP_PROTO(int count), TP_ARGS(count))@\n"
	"#endif\n"
	"#undef TRACE_INCLUDE_PATH\n"
	"#define TRACE_INCLUDE_PATH .\n"
	"#include <trace/define_trace.h>\n";

static const char custom[] =
	"#if !defined(CUSTOM_H) || defined(TRACE_CUSTOM_MULTI_READ)\n"
	"#define CUSTOM_H\n"
	"#include <linux/trace_events.h>\n"
	"TRACE_CUSTOM_EVENT(mode_bare,\n"
	"	TP_PROTO(int count), TP_ARGS(count),\n"
	"	TP_STRUCT__entry(__field(int, count)),\n"
	"	TP_fast_assign(__entry->count = count;),\n"
	"	TP_printk(\"%d\", __entry->count)\n"
	")@\n"
	"#endif\n"
	"#undef TRACE_INCLUDE_PATH\n"
	"#undef TRACE_INCLUDE_FILE\n"
	"#define TRACE_INCLUDE_PATH .\n"
	"#define TRACE_INCLUDE_FILE custom\n"
	"#include <trace/define_custom_trace.h>\n";

/* The program ends with a trace header, too. */
static const char program[] =
	"enum { MODE_ONE = 1 };\n"
	"#define CREATE_TRACE_POINTS\n"
	"#include \"mode.h\"\n"
	"#include <linux/ftrace.h>\n"
	"#include <linux/tracepoint-defs.h>\n"
	"#include <ulf/tracing.h>\n"
	"int main(void)\n"
	"{\n"
	"	trace_mode_event(1, tracepoint_string(\"one\"));\n"
	"	if (tracepoint_enabled(mode_table))\n"
	"		trace_mode_table(2);\n"
	"	trace_printk(\"%d\\n\", 4);\n"
	"	trace_puts(\"text\");\n"
	"	return 0;\n"
	"}\n"
	"DEFINE_TRACE(mode_here, TP_PROTO(int count), TP_ARGS(count));\n"
	"#define CREATE_CUSTOM_TRACE_EVENTS\n"
	"#include \"custom.h\"\n";

static const char *dir;

/* Write a file.  @end replaces "@" in @body. */
static void write_file(const char *name, const char *head, const char *body, const char *end)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f);
	fputs(head, f);
	for (; *body; body++) {
		if (*body == '@')
			fputs(end, f);
		else
			putc(*body, f);
	}
	CHECK_EQ(fclose(f), 0);
}

/* Returns the first error or warning, and the line that it is about. */
static char *compile(const struct mode *m, const char *compiler)
{
	return command_output(
		"cd '%s' && %s %s -Wall -Wextra -Wpedantic -Wshadow -Werror -I. "
		"-isystem '%s/include' -c program.c -o program.o 2>&1 | "
		"grep -m 1 -A 2 -E 'error:|warning:' || :",
		dir, compiler, m->flags, command_env("ULF_SRC"));
}

static int try(const struct mode *m, const char *compiler)
{
	char *said;
	int r = 0;

	write_file("program.c", m->before, program, "");
	said = compile(m, compiler);
	if (m->says ? !strstr(said, m->says) : said[0] != '\0') {
		printf("%s%s says after\n%s\n%s\nand not %s\n", compiler, m->flags,
		       m->before, said, m->says ? m->says : "nothing");
		r = 1;
	}
	free(said);
	return r;
}

/* Compile in all modes with the words of the trace headers ending in @end.  Returns the
 * number of failures. */
static int try_end(const char *end)
{
	int failed = 0;

	printf("words end with \")%s\"\n", end);
	write_file("mode.h", "", header, end);
	write_file("custom.h", "", custom, end);
	for (size_t i = 0; i < NR_MODES; i++) {
		for (size_t k = 0; k < 4 && modes[i].compilers[k]; k++)
			failed += try(&modes[i], modes[i].compilers[k]);
	}
	return failed;
}

int main(void)
{
	int failed;

	dir = command_env("TMPDIR");
	failed = try_end(";");
	failed += try_end("");
	return failed != 0;
}
