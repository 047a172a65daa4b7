/* SPDX-License-Identifier: MIT */
/* A library that tests load in place of libulf.  Its entry does what libulf's does, but makes
 * no root, so it can be loaded many times into one program. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/futex.h>

#include "abi/attach.h"

__thread int local = 7;			/* the loader has thread-local variables */

__attribute__((visibility("default"))) void *ulf_attach(void *block)
{
	struct abi_attach *attach = block;
	uint32_t tid;

	pthread_detach(pthread_self());
	while ((tid = __atomic_load_n(&attach->starter_tid, __ATOMIC_ACQUIRE)))
		syscall(SYS_futex, &attach->starter_tid, FUTEX_WAIT, tid, NULL, NULL, 0);
	free(malloc((size_t)local * 1000));
	strcpy(attach->root, "none");
	munmap((void *)attach->code, attach->code_bytes);
	munmap((void *)attach->stack, attach->stack_bytes);
	__atomic_store_n(&attach->loader, ABI_LOADER_DONE, __ATOMIC_RELEASE);
	return NULL;
}
