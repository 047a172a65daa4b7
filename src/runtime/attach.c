/* SPDX-License-Identifier: MIT */
/* Start libulf in a program into which `ulf attach` has loaded it: docs/design/attach.md. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "abi/attach.h"
#include "arch/arch.h"
#include "runtime/base/root.h"
#include "runtime/init.h"
#include <ulf/event.h>

/* Wait until the starter has ended, because the memory in which it runs is unmapped
 * next.  The kernel clears the word starter_tid when the thread can execute nothing any
 * more. */
static void wait_for_starter(struct abi_attach *attach)
{
	uint32_t tid;

	/* acquire: the starter's last instruction; mate: the kernel, which clears the word
	 * (CLONE_CHILD_CLEARTID) [attach.starter] */
	while ((tid = __atomic_load_n(&attach->starter_tid, __ATOMIC_ACQUIRE)))
		arch_syscall4(SYS_futex, &attach->starter_tid, FUTEX_WAIT, tid, NULL);
}

static int start_attached(struct abi_attach *attach)
{
	const struct runtime_source source = {
		.dir = attach->dir, .words = attach->words, .run_id = attach->run_id,
	};
	const char *name;
	int r;

	if (attach->version != ABI_ATTACH_VERSION)
		return -EPROTO;
	r = runtime_start(&source);
	if (r)
		return r;
	name = strrchr(root_directory(), '/');
	name = name ? name + 1 : "";
	if (strlen(name) >= sizeof(attach->root))
		return -ENAMETOOLONG;
	strcpy(attach->root, name);
	return 0;
}

/* Start the runtime, and unmap the code and the stack that the starter has used.  The block, and
 * the thread-local variables of the starter after it, stay mapped, because malloc libraries may
 * have noted their addresses. */
void *ulf_attach(void *block)
{
	struct abi_attach *attach = block;

	pthread_detach(pthread_self());
	wait_for_starter(attach);
	attach->error = start_attached(attach);
	arch_syscall2(SYS_munmap, attach->code, attach->code_bytes);
	arch_syscall2(SYS_munmap, attach->stack, attach->stack_bytes);
	/* release: the result is complete; mate: `ulf attach`, which copies the block
	 * [attach.loader] */
	__atomic_store_n(&attach->loader, attach->error ? ABI_LOADER_REFUSED : ABI_LOADER_DONE,
			 __ATOMIC_RELEASE);
	return NULL;
}
