/* SPDX-License-Identifier: MIT */
/*
 * Events have the order of their headers, and headers have the order in which a file includes
 * them, with every compiler and optimisation level, with LTO and without.
 *
 * timeout: 300
 * no-sanitize: address it builds programs of its own, without the sanitizer
 * no-sanitize: thread it builds programs of its own, without the sanitizer
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

static const char *const compilers[] = { "gcc", "clang" };
static const char *const levels[] = {
	"-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fno-toplevel-reorder",
	"-O2 -flto", "-O0 -fdata-sections",
};
#define NR_LEVELS (sizeof(levels) / sizeof(levels[0]))

static const char *dir;

static FILE *create(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f);
	return f;
}

/* Write a header with the events n_2, n_0, n_1 of its own system, and a class with one more
 * event. */
static void write_header(const char *n)
{
	static const int numbers[] = { 2, 0, 1 };
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "%s.h", n);
	f = create(name);
	fprintf(f, "#undef TRACE_SYSTEM\n#define TRACE_SYSTEM %s\n"
		"#if !defined(%s_H) || defined(TRACE_HEADER_MULTI_READ)\n"
		"#define %s_H\n#include <linux/tracepoint.h>\n", n, n, n);
	for (size_t i = 0; i < 3; i++)
		fprintf(f, "TRACE_EVENT(%s_%d, TP_PROTO(int a), TP_ARGS(a),\n"
			"TP_STRUCT__entry(__field(int, a)),\n"
			"TP_fast_assign(__entry->a = a;),\n"
			"TP_printk(\"%%d\", __entry->a));\n", n, numbers[i]);
	fprintf(f, "DEFINE_EVENT(%s_0, %s_last, TP_PROTO(int a), TP_ARGS(a));\n"
		"#endif\n#undef TRACE_INCLUDE_PATH\n"
		"#define TRACE_INCLUDE_PATH .\n"
		"#include <trace/define_trace.h>\n", n, n);
	CHECK_EQ(fclose(f), 0);
}

static void write_source(const char *name, const char *body)
{
	FILE *f = create(name);

	fputs(body, f);
	CHECK_EQ(fclose(f), 0);
}

static void write_sources(void)
{
	write_header("zeta");
	write_header("alpha");
	write_header("mid");
	write_source("one.c", "#define CREATE_TRACE_POINTS\n"
		     "#include \"zeta.h\"\n#include \"alpha.h\"\n");
	write_source("two.c", "#include <stdio.h>\n"
		     "#define CREATE_TRACE_POINTS\n#include \"mid.h\"\n"
		     "int main(void)\n{\n"
		     "	struct ulf_module *m = &__ulf_module;\n"
		     "	for (struct ulf_event **e = m->events; "
		     "e < m->events_end; e++)\n"
		     "		printf(\"%s \", (*e)->name);\n"
		     "	return 0;\n}\n");
}

static int compile(const char *compiler, const char *level)
{
	return command("cd '%s' && %s %s -w -I. -I'%s/include' -c one.c two.c", dir, compiler,
		       level, command_env("ULF_SRC"));
}

/* Link @objects in this order and compare the order of the events.  Returns 1 if it is
 * wrong. */
static int link_and_compare(const char *compiler, const char *level, const char *objects)
{
	static const char wanted[] =
		"zeta_2 zeta_0 zeta_1 zeta_last alpha_2 alpha_0 alpha_1 "
		"alpha_last mid_2 mid_0 mid_1 mid_last ";
	const char *build = command_env("ULF_BUILD");
	char *order;
	int r = 0;

	order = command_output("cd '%s' && %s %s %s -o program '%s/libulf.so' "
			       "-Wl,-rpath,'%s' && ./program", dir, compiler, level,
			       objects, build, build);
	if (strcmp(order, wanted)) {
		printf("%s %s %s: %s\n", compiler, level, objects, order);
		r = 1;
	}
	free(order);
	return r;
}

/* Try both orders of the two objects.  Returns how many failed. */
static int try(const char *compiler, const char *level)
{
	if (compile(compiler, level))
		return 2;
	return link_and_compare(compiler, level, "one.o two.o") +
	       link_and_compare(compiler, level, "two.o one.o");
}

int main(void)
{
	int failed = 0;

	dir = command_env("TMPDIR");
	write_sources();
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < NR_LEVELS; k++) {
			if (i && strstr(levels[k], "toplevel"))
				continue;	/* only gcc has this option */
			failed += try(compilers[i], levels[k]);
		}
	}
	return failed != 0;
}
