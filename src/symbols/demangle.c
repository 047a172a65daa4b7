/* SPDX-License-Identifier: MIT */
/*
 * Demangle C++ names, for the option `demangle`.  The function __cxa_demangle() of libstdc++
 * does the work.
 *
 * A name of 260 bytes can expand to a name of a gigabyte, because each part of a name may
 * contain the part before it twice:
 *
 *	_Z1f1AIiiES_IS0_S0_ES_IS1_S1_E...
 *
 * libstdc++ sets no limit.  Even if malloc() fails, libstdc++ continues to expand the name,
 * and only stores nothing.  So a timer checks every 50 ms of CPU time whether the name in
 * progress is the same as at the last check.  If it is, the signal handler ends the call with
 * siglongjmp().  Then memory that libstdc++ had allocated is leaked, and a jump out of
 * malloc() corrupts the heap.  For this reason this code runs only in a process that may
 * crash: a parser.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/text.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"

#define NAME_MAX_BYTES	2048u		/* maximum length of a mangled name, bytes;
					 * longer names stay mangled */
#define LOOK_US		50000

/* The header <cxxabi.h> declares this function, but only C++ can include that header. */
char *__cxa_demangle(const char *name, char *buf, size_t *bytes, int *status);

/* The state of the demangler.  demangle_name() and the signal handler abort_slow_name()
 * write it, both in one thread. */
static sigjmp_buf way_out;
static volatile sig_atomic_t is_at_work;
static volatile sig_atomic_t number;	/* number of the name that is being demangled, modulo
					 * 0x10000; increased with each name */
static volatile sig_atomic_t seen;	/* value of @number at the last SIGPROF; if @number
					 * still has this value at the next SIGPROF, the name
					 * takes too long and is aborted */

static void abort_slow_name(int signo)
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
		.sa_handler = abort_slow_name,
		.sa_flags = SA_NODEFER,		/* allow SIGPROF inside of its own handler:
						 * siglongjmp() leaves the handler without
						 * restoring the signal mask, so a blocked
						 * SIGPROF would stay blocked */
	};
	const struct itimerval timer = {
		.it_interval.tv_usec = LOOK_US, .it_value.tv_usec = LOOK_US,
	};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

/*
 * Demangle @name.  The caller frees the result.  Returns NULL if @name is not a C++
 * name, or if demangling takes too long.
 */
static char *demangle_with_limit(const char *name)
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
	size_t len = strcspn(name, "@");	/* length of the name without a suffix such as
						 * @plt; the suffix is not demangled */
	char copy[NAME_MAX_BYTES];
	bool is_plain = false;
	char *plain;

	if (strncmp(name, "_Z", 2) || len >= sizeof(copy))
		return false;
	memcpy(copy, name, len);
	copy[len] = '\0';
	plain = demangle_with_limit(copy);
	if (plain && strnlen(plain, ELF_NAME_MAX) + strlen(name + len) < ELF_NAME_MAX) {
		text_puts(out, plain);
		text_puts(out, name + len);
		is_plain = true;
	}
	free(plain);
	return is_plain;
}
