/* SPDX-License-Identifier: MIT */
/*
 * Find the functions of libc that have events (abi/libc_events.h).
 *
 * The references of this file are bound by the dynamic linker as those of the program are.  So
 * they lead to the functions that the program calls: an allocator of the program, one that was
 * preloaded, or libc.  This file is in libulf.so only: in a static program no function can be moved
 * (object.c).
 *
 * There is one exception.  In a program with fixed addresses, code may contain the address of
 * malloc().  Then this address is that of an entry of the program's PLT, for all objects, so that
 * pointers can be compared.  Such an entry is a jump.  The function is in an object that comes
 * after libulf.so, because the program does not define it.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "runtime/function/libcalls.h"

/* Functions that do not exist in every libc: their addresses may be NULL.  Only glibc has
 * gnu_get_libc_version(): libcalls.c reads mutexes, and knows only the layout of glibc's. */
#pragma weak aligned_alloc
#pragma weak memalign
#pragma weak valloc
#pragma weak pvalloc
#pragma weak pthread_mutex_clocklock
#pragma weak gnu_get_libc_version

extern const char *gnu_get_libc_version(void);

typedef void (*any_fn)(void);

static const struct {
	any_fn address;
	const char *name;
} functions[LIBCALL_NR] = {
#define FUNCTION(number, id, name, event) [number] = { (any_fn)name, #name },
	LIBCALLS_BOUND(FUNCTION)
	/* libc calls __ctype_init() in each new thread before the thread's function, and
	 * __call_tls_dtors() after it. */
#define OWN_FUNCTION(number, id, name, event) [number] = { NULL, #name },
	LIBCALLS_OWN(OWN_FUNCTION)
};

static uint64_t find(uint32_t number)
{
	uint64_t addr = (uint64_t)functions[number].address;

	if (number >= LIBCALL_MUTEX_LOCK && !gnu_get_libc_version)
		return 0;
	if (number >= LIBCALL_PTHREAD_CREATE ||
	    (addr && arch_is_plt_entry((const uint8_t *)addr)))
		addr = (uint64_t)dlsym(RTLD_NEXT, functions[number].name);
	return addr;
}

void libcalls_find(uint64_t ret_addresses[LIBCALL_NR])
{
	for (uint32_t i = 0; i < LIBCALL_NR; i++)
		ret_addresses[i] = find(i);
}
