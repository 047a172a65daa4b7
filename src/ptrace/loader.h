/* SPDX-License-Identifier: MIT */
/* Load libulf into a running program: docs/design/attach.md. */
#ifndef ULF_PTRACE_LOADER_H
#define ULF_PTRACE_LOADER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/attach.h"
#include "base/text.h"

struct inject_request {
	pid_t pid;
	const char *libulf;		/* path of libulf */
	const char *dir;		/* path of the ulf directory, which the caller has
					 * checked */
	const char *words;		/* text of the boot settings; "" if there are none */
	uint32_t run_id;		/* run id of the new root */
};

struct inject_result {
	char root[sizeof(((struct abi_attach *)0)->root)];	/* name of the new root */
	uint64_t stopped_ns;		/* longest time for which a thread of the program was
					 * stopped */
	unsigned int tries;		/* number of times that a thread was stopped, until a
					 * thread was at a safe point */
};

/*
 * inject - load libulf, and wait until it has made its root
 * @ret_result: set on success only.
 * @ret_why: on failure the reason and a remedy are appended.
 *
 * Returns true if libulf has made a root.  The caller need not block signals that end it: if
 * this process dies at any moment, the program suffers no harm.
 */
bool inject(const struct inject_request *request, struct inject_result *ret_result,
	    struct text *ret_why);

#endif
