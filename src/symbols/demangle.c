/* SPDX-License-Identifier: MIT */
/*
 * The option demangle.  libstdc++ does it; c++filt and gdb use the same code.
 *
 * A name of 260 bytes can stand for one of a gigabyte, as each part of a name may be two
 * times the one before:
 *
 *	_Z1f1AIiiES_IS0_S0_ES_IS1_S1_E...
 *
 * and libstdc++ sets no limit.  When it finds no memory it goes on, without writing.  So
 * a timer looks in every 50 ms whether the same name is still at work, and jumps out of
 * it.  What libstdc++ had allocated is lost then; in the middle of malloc() the heap
 * would be broken.  Therefore this is for a process that may die: a parser.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"

#define NAME_MAX_BYTES	2048u		/* longer names stay as they are */
#define LOOK_US		50000

/* <cxxabi.h>, which is C++ */
char *__cxa_demangle(const char *name, char *buf, size_t *bytes, int *status);

/* Written by demangle_name() and by the handler, in one thread. */
static sigjmp_buf way_out;
static volatile sig_atomic_t is_at_work;
static volatile sig_atomic_t number;	/* of the name; starts again with 0 */
static volatile sig_atomic_t seen;	/* the number at the last look */

static void look(int signo)
{
	(void)signo;
	if (is_at_work && seen == number) {
		is_at_work = 0;
		siglongjmp(way_out, 1);
	}
	seen = number;
}

void demangle_prepare(void)
{
	const struct sigaction action = {
		.sa_handler = look,
		.sa_flags = SA_NODEFER,		/* the mask is never changed */
	};
	const struct itimerval timer = {
		.it_interval.tv_usec = LOOK_US, .it_value.tv_usec = LOOK_US,
	};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

/* To be freed; NULL: none, or it takes too long. */
static char *demangle(const char *name)
{
	char *volatile plain = NULL;

	if (sigsetjmp(way_out, 0))
		return NULL;
	number = (number + 1) & 0xffff;
	is_at_work = 1;
	plain = __cxa_demangle(name, NULL, NULL, NULL);
	is_at_work = 0;
	return plain;
}

bool demangle_name(const char *name, struct text *out)
{
	size_t len = strcspn(name, "@");	/* @plt stays */
	char copy[NAME_MAX_BYTES];
	bool is_plain = false;
	char *plain;

	if (strncmp(name, "_Z", 2) || len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = '\0';
	plain = demangle(copy);
	if (plain && strnlen(plain, ELF_NAME_MAX) + strlen(name + len) < ELF_NAME_MAX) {
		text_puts(out, plain);
		text_puts(out, name + len);
		is_plain = true;
	}
	free(plain);
	return is_plain;
}
