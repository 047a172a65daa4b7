/* SPDX-License-Identifier: MIT */
/*
 * tests/lang/words, built by every compiler in every way that changes what the
 * headers expand to or how sections and symbols are linked, and run.
 *
 * no-sanitize: address it builds programs of its own, without the sanitizer
 * no-sanitize: thread it builds programs of its own, without the sanitizer
 */
#include <stdio.h>

#include "lib/check.h"
#include "lib/command.h"

enum how {
	SHARED,				/* libulf.so, and a library of its own */
	STATIC,				/* libulf.a, all in one program */
};

static const struct variant {
	const char *name;
	const char *needs;		/* a program; NULL: nothing special */
	const char *cc, *cxx;
	const char *c_std, *cxx_std;
	const char *flags;		/* for the program's objects */
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
};
#define NR_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static const char *build, *source, *dir;

static int compile(const struct variant *v, const char *file,
		   const char *more_flags)
{
	bool is_cpp = strstr(file, ".cpp") != NULL;

	return command("cd '%s/tests/lang/words' && %s -std=%s -c %s %s "
		       "-Wall -Wextra -Werror -D_GNU_SOURCE -I. -I../.. "
		       "-I../../../include -I../../../src -o '%s/%s.o' %s",
		       source, is_cpp ? v->cxx : v->cc,
		       is_cpp ? v->cxx_std : v->c_std, v->flags, more_flags,
		       dir, file, file);
}

static int link_shared(const struct variant *v)
{
	if (compile(v, "lib_words.c", "-fPIC") ||
	    command("cd '%s' && %s %s -shared -Wl,-soname,libwords.so "
		    "-o libwords.so lib_words.c.o '%s/libulf.so'", dir, v->cc,
		    strstr(v->link, "lld") ? "-fuse-ld=lld" : "", build))
		return 1;
	return command("cd '%s' && %s %s -o words main.c.o create.c.o use.c.o "
		       "create.cpp.o use_cpp.cpp.o ./libwords.so "
		       "'%s/tests/libhelpers.a' '%s/libulf_core.a' "
		       "'%s/libulf.so' -pthread -Wl,-rpath,'%s:%s'",
		       dir, v->cxx, v->link, build, build, build, build, dir);
}

static int link_static(const struct variant *v)
{
	if (compile(v, "lib_words.c", ""))
		return 1;
	return command("cd '%s' && %s %s -o words *.o "
		       "'%s/tests/libhelpers.a' '%s/libulf_core.a' "
		       "'%s/libulf.a' -pthread",
		       dir, v->cxx, v->link, build, build, build);
}

static int try(const struct variant *v)
{
	static const char *const files[] = {
		"main.c", "create.c", "use.c", "create.cpp", "use_cpp.cpp",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (compile(v, files[i], ""))
			return 1;
	}
	if (v->how == STATIC ? link_static(v) : link_shared(v))
		return 1;
	return command("'%s/words'", dir);
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
		if (!try(v))
			continue;
		printf("failed: %s\n", v->name);
		failed++;
	}
	return failed != 0;
}
