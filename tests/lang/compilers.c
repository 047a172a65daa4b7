/* SPDX-License-Identifier: MIT */
/*
 * Build the tests words, fields, kinds, kernel and printk of tests/lang with every compiler,
 * in every way that changes the expansion of the headers or the linking of sections and
 * symbols, and run them.
 *
 * timeout: 600
 * no-sanitize: address it builds programs of its own, without the sanitizer
 * no-sanitize: thread it builds programs of its own, without the sanitizer
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

enum how {
	SHARED,				/* libulf.so, and lib_<test>.c as a library */
	STATIC,				/* libulf.a, and everything in one program */
};

static const struct variant {
	const char *name;
	const char *needs;		/* a command; NULL: needs nothing special */
	const char *cc, *cxx;
	const char *c_std, *cxx_std;
	const char *flags;		/* flags for the program's objects */
	const char *link;
	enum how how;
} variants[] = {
	{ "gcc -O0", NULL, "gcc", "g++", "c11", "c++17", "-O0 -fPIE", "-pie",
	  SHARED },
	{ "gcc -O2 -fPIC", NULL, "gcc", "g++", "gnu11", "gnu++17",
	  "-O2 -fPIC", "-pie", SHARED },
	{ "gcc -O2 -fno-pie", NULL, "gcc", "g++", "c11", "c++17",
	  "-O2 -fno-pie", "-no-pie", SHARED },
	{ "gcc -O0 -fno-pie, libulf.a", NULL, "gcc", "g++", "gnu11", "c++20",
	  "-O0 -fno-pie", "-no-pie", STATIC },
	{ "gcc -O3 -flto", NULL, "gcc", "g++", "gnu17", "c++20",
	  "-O3 -flto -fPIE", "-O3 -flto -pie", SHARED },
	{ "gcc -Os, sections and hidden symbols", NULL, "gcc", "g++", "gnu11",
	  "c++17", "-Os -fPIE -fvisibility=hidden -fno-plt -ffunction-sections "
	  "-fdata-sections", "-pie -Wl,--gc-sections", SHARED },
	{ "clang -O0", NULL, "clang", "clang++", "c11", "c++17", "-O0 -fPIE",
	  "-pie", SHARED },
	{ "clang -O2 -fPIC", NULL, "clang", "clang++", "gnu11", "gnu++17",
	  "-O2 -fPIC", "-pie", SHARED },
	{ "clang -O2 -fno-pie", NULL, "clang", "clang++", "c11", "c++17",
	  "-O2 -fno-pie", "-no-pie", SHARED },
	{ "clang -O2, lld", "ld.lld", "clang", "clang++", "gnu11", "c++20",
	  "-O2 -fPIE -ffunction-sections -fdata-sections",
	  "-pie -fuse-ld=lld -Wl,--gc-sections", SHARED },
	{ "gcc 11", "g++-11", "gcc-11", "g++-11", "gnu11", "gnu++17",
	  "-O2 -fPIE", "-pie", SHARED },
	{ "clang 13", "clang++-13", "clang-13", "clang++-13", "gnu11",
	  "gnu++17", "-O2 -fPIE", "-pie", SHARED },
	{ "clang 16", "clang++-16", "clang-16", "clang++-16", "gnu2x",
	  "c++20", "-O2 -fPIE", "-pie", SHARED },
	{ "clang 19", "clang++-19", "clang-19", "clang++-19", "gnu23",
	  "c++23", "-O2 -fPIE", "-pie", SHARED },
};
#define NR_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static const struct part {
	const char *test;		/* directory in tests/lang */
	const char *files;
	bool has_library;		/* lib_<test>.c */
	bool is_cpp;			/* compile create.c as C++ */
} parts[] = {
	{ "words", "main.c create.c use.c create.cpp use_cpp.cpp", true, false },
	{ "fields", "main.c create.c", false, false },
	{ "fields", "main.c create.c", false, true },
	{ "kinds", "main.c create.c", false, false },
	{ "kinds", "main.c create.c", false, true },
	{ "kernel", "main.c create.c", false, false },
	{ "kernel", "main.c create.c", false, true },
	{ "printk", "main.c conversions.c cxx.cpp elsewhere.cpp", false, false },
};
#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

static const char *build, *source, *dir;

static int compile(const struct variant *v, const struct part *p,
		   const char *file, const char *more_flags)
{
	bool is_cpp = strstr(file, ".cpp") ||
		      (p->is_cpp && !strcmp(file, "create.c"));

	return command("cd '%s/tests/lang/%s' && %s -std=%s -c %s %s "
		       "-Wall -Wextra -Werror -D_GNU_SOURCE -I. -I.. -I../.. "
		       "-I../../../include -I../../../src -o '%s/%s.o' "
		       "-x %s %s",
		       source, p->test, is_cpp ? v->cxx : v->cc,
		       is_cpp ? v->cxx_std : v->c_std, v->flags, more_flags,
		       dir, file, is_cpp ? "c++" : "c", file);
}

/* Compile the files of @p.  A part whose create.c is compiled as C++ comes after this part in
 * C, and uses its main.c.o. */
static int compile_all(const struct variant *v, const struct part *p)
{
	char files[64], *file, *rest = files;

	snprintf(files, sizeof(files), "%s", p->is_cpp ? "create.c" : p->files);
	while ((file = strsep(&rest, " "))) {
		if (compile(v, p, file, ""))
			return 1;
	}
	return 0;
}

static int make_library(const struct variant *v, const struct part *p)
{
	char file[32];

	snprintf(file, sizeof(file), "lib_%s.c", p->test);
	if (v->how == STATIC)
		return compile(v, p, file, "");
	if (compile(v, p, file, "-fPIC"))
		return 1;
	return command("cd '%s' && %s %s -shared -Wl,-soname,lib%s.so "
		       "-o lib%s.so %s.o '%s/libulf.so' && rm %s.o", dir, v->cc,
		       strstr(v->link, "lld") ? "-fuse-ld=lld" : "", p->test,
		       p->test, file, build, file);
}

static int try(const struct variant *v, const struct part *p)
{
	const char *libulf = v->how == STATIC ? "libulf.a" : "libulf.so";

	if (command("cd '%s' && rm -f %s *.so", dir, p->is_cpp ? "create.c.o" : "*.o") ||
	    compile_all(v, p) ||
	    (p->has_library && make_library(v, p)))
		return 1;
	return command("cd '%s' && %s %s -o program *.o $(ls lib*.so 2>&-) "
		       "'%s/tests/libhelpers.a' '%s/libulf_core.a' '%s/%s' "
		       "-pthread -Wl,-rpath,'%s:%s' && ./program",
		       dir, v->cxx, v->link, build, build, build, libulf, build,
		       dir);
}

int main(void)
{
	int failed = 0;

	build = command_env("ULF_BUILD");
	source = command_env("ULF_SRC");
	dir = command_env("TMPDIR");
	for (size_t i = 0; i < NR_VARIANTS; i++) {
		const struct variant *v = &variants[i];

		if (v->needs && !command_exists(v->needs)) {
			printf("left out: %s, there is no %s\n", v->name,
			       v->needs);
			continue;
		}
		for (size_t k = 0; k < NR_PARTS; k++) {
			if (!try(v, &parts[k]))
				continue;
			printf("failed: %s, %s%s\n", v->name, parts[k].test,
			       parts[k].is_cpp ? " in C++" : "");
			failed++;
		}
	}
	return failed != 0;
}
