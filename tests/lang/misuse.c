/* SPDX-License-Identifier: MIT */
/*
 * Wrong trace headers: the compiler or the linker reports an error that names the word that
 * is used wrongly.
 *
 * no-sanitize: address it compiles without the sanitizer
 * no-sanitize: thread it compiles without the sanitizer
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

#define INT_ENTRY	"TP_STRUCT__entry(__field(int, a)),"		\
			"TP_fast_assign(__entry->a = a;),"		\
			"TP_printk(\"%d\", __entry->a)"

static const struct mistake {
	const char *event;		/* text of the trace header */
	const char *defines;		/* flags for each of the two files that hit the event */
	const char *defines2;
	const char *says;		/* part of the error; NULL: the header is right */
} mistakes[] = {
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a), " INT_ENTRY ");",
	  "-DCREATE_TRACE_POINTS", "", NULL },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a), " INT_ENTRY ");",
	  "", "", "__tracepoint_e_needs_CREATE_TRACE_POINTS" },
	{ "DECLARE_TRACE(e, TP_PROTO(int a), TP_ARGS(a));",
	  "", "", "__tracepoint_e_needs_CREATE_TRACE_POINTS" },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a), " INT_ENTRY ");",
	  "-DCREATE_TRACE_POINTS", "-DCREATE_TRACE_POINTS",
	  "__tracepoint_e_needs_CREATE_TRACE_POINTS" },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a, a), " INT_ENTRY ");",
	  "", "", "TP_ARGS_must_match_TP_PROTO_of_e" },
	{ "TRACE_EVENT(e, TP_PROTO(int a, int b), TP_ARGS(a), " INT_ENTRY ");",
	  "", "", "TP_ARGS_must_match_TP_PROTO_of_e" },
	{ "TRACE_EVENT(e, TP_PROTO(int a, int *b), TP_ARGS(b, a), " INT_ENTRY ");",
	  "", "", "TP_ARGS" },	/* the line of the error */
	{ "TRACE_EVENT_NOP(e, TP_PROTO(int a, int b), TP_ARGS(a), " INT_ENTRY ");",
	  "", "", "TP_ARGS_must_match_TP_PROTO_of_e" },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__array(char, name, 4061)),"
	  "TP_fast_assign(__entry->name[0] = a;), TP_printk(\"\"));",
	  "-DCREATE_TRACE_POINTS", "",
	  "__array(char, name, 4061) is larger than a record" },
	{ "struct big { char bytes[5000]; };"
	  "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__field_struct(struct big, b)),"
	  "TP_fast_assign(__entry->b.bytes[0] = a;), TP_printk(\"\"));",
	  "-DCREATE_TRACE_POINTS", "",
	  "__field_struct(struct big, b) is larger than a record" },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__array(char, b, 4000) __array(char, c, 100)),"
	  "TP_fast_assign(__entry->b[0] = a;), TP_printk(\"\"));",
	  "-DCREATE_TRACE_POINTS", "",
	  "TP_STRUCT__entry of e is larger than a record" },
	{ "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__field(int, a)), TP_fast_assign(__entry->a = a;),"
	  "TP_printk(\"%d\", __entry->b));",
	  "-DCREATE_TRACE_POINTS", "", "TP_printk" },	/* the line of the error */
	{ "extern int v;"
	  "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__field(int, a)), TP_fast_assign(__entry->a = a;),"
	  "TP_printk(\"%s\", __print_symbolic(__entry->a, { v, \"v\" })));",
	  "-DCREATE_TRACE_POINTS", "", "constant" },
	{ "extern int no(int);"
	  "TRACE_EVENT(e, TP_PROTO(int a), TP_ARGS(a),"
	  "TP_STRUCT__entry(__field(int, a)), TP_fast_assign(__entry->a = a;),"
	  "TP_printk(\"%d %s\", no(__entry->a),"
	  "__print_symbolic(__entry->a, { -1, \"\" }, { ~0ul, \"\" })));",
	  "-DCREATE_TRACE_POINTS", "", NULL },	/* no() is defined nowhere */
};
#define NR_MISTAKES (sizeof(mistakes) / sizeof(mistakes[0]))

static const char *dir;

static void write_file(const char *name, const char *head, const char *body,
		       const char *tail)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f);
	fprintf(f, "%s%s%s", head, body, tail);
	CHECK_EQ(fclose(f), 0);
}

static void write_header(const struct mistake *m)
{
	write_file("wrong.h",
		   "#undef TRACE_SYSTEM\n"
		   "#define TRACE_SYSTEM wrong\n"
		   "#if !defined(WRONG_H) || defined(TRACE_HEADER_MULTI_READ)\n"
		   "#define WRONG_H\n"
		   "#include <linux/tracepoint.h>\n", m->event,
		   "\n#endif\n"
		   "#undef TRACE_INCLUDE_PATH\n"
		   "#define TRACE_INCLUDE_PATH .\n"
		   "#include <trace/define_trace.h>\n");
}

/* Compile and link the two files.  Returns the messages, which the caller frees. */
static char *build(const struct mistake *m, const char *cc)
{
	const char *include = command_env("ULF_SRC");
	const char *libulf = command_env("ULF_BUILD");

	return command_output(
		"cd '%s' && { %s -Werror -I. -I'%s/include' %s -c one.c &&"
		" %s -Werror -I. -I'%s/include' %s -c two.c &&"
		" %s -o wrong -x none one.o two.o '%s/libulf.so'; } 2>&1 || :",
		dir, cc, include, m->defines, cc, include, m->defines2, cc,
		libulf);
}

static int try(const struct mistake *m, const char *cc)
{
	bool is_event_of_two = strstr(m->event, ", int") != NULL;
	char *said;
	int r = 0;

	write_header(m);
	write_file("one.c", "#include \"wrong.h\"\nint main(void) { trace_e(",
		   is_event_of_two ? "1, 0" : "1", "); return 0; }\n");
	write_file("two.c", "#include \"wrong.h\"\nvoid f(void); void f(void) "
		   "{ trace_e(", is_event_of_two ? "1, 0" : "1", "); }\n");
	said = build(m, cc);
	if (m->says ? !strstr(said, m->says) : said[0] != '\0') {
		printf("%s says of\n%s\n%s\nand not %s\n", cc, m->event, said,
		       m->says ? m->says : "nothing");
		r = 1;
	}
	free(said);
	return r;
}

int main(void)
{
	static const char *const compilers[] = {
		"gcc -std=gnu11", "clang -std=gnu11",
		"g++ -x c++ -std=c++17", "clang++ -x c++ -std=c++17",
	};
	int failed = 0;

	dir = command_env("TMPDIR");
	for (size_t i = 0; i < NR_MISTAKES; i++) {
		for (size_t k = 0; k < 4; k++)
			failed += try(&mistakes[i], compilers[k]);
	}
	return failed != 0;
}
