/* SPDX-License-Identifier: MIT */
/*
 * Functions that must not be traced, listed by name.  sweep.c finds most of these functions by
 * their code, too, but a name is certain and gives a better reason.
 */
#include <string.h>

#include "base/bits.h"
#include "mover/mover_impl.h"

/* Names of functions, and the reason why they must not be traced.  A name may end with an
 * asterisk. */
static const struct unsafe {
	const char *name;
	enum moved_reason reason;
} names[] = {
	{ "setjmp", MOVED_BY_JUMPS }, { "_setjmp", MOVED_BY_JUMPS },
	{ "__setjmp", MOVED_BY_JUMPS }, { "sigsetjmp", MOVED_BY_JUMPS },
	{ "__sigsetjmp", MOVED_BY_JUMPS }, { "__sigsetjmp_cancel", MOVED_BY_JUMPS },
	{ "__longjmp", MOVED_BY_JUMPS }, { "____longjmp_chk", MOVED_BY_JUMPS },
	{ "getcontext", MOVED_BY_JUMPS }, { "__getcontext", MOVED_BY_JUMPS },
	{ "setcontext", MOVED_BY_JUMPS }, { "__setcontext", MOVED_BY_JUMPS },
	{ "swapcontext", MOVED_BY_JUMPS }, { "__swapcontext", MOVED_BY_JUMPS },
	{ "__start_context", MOVED_BY_JUMPS }, { "__push___start_context", MOVED_BY_JUMPS },
	{ "vfork", MOVED_BY_FORKS }, { "__vfork", MOVED_BY_FORKS },
	{ "__libc_vfork", MOVED_BY_FORKS },
	{ "clone", MOVED_BY_FORKS }, { "__clone", MOVED_BY_FORKS },
	{ "clone3", MOVED_BY_FORKS }, { "__clone3", MOVED_BY_FORKS },
	{ "__tls_get_addr*", MOVED_BY_LOADER }, { "___tls_get_addr", MOVED_BY_LOADER },
	{ "_dl_runtime_*", MOVED_BY_LOADER }, { "_dl_tlsdesc_*", MOVED_BY_LOADER },
	{ "_dl_fixup", MOVED_BY_LOADER }, { "_dl_profile_fixup", MOVED_BY_LOADER },
	{ "_dl_start*", MOVED_BY_LOADER }, { "_dl_relocate_static_pie", MOVED_BY_LOADER },
	{ "_rtld_*", MOVED_BY_LOADER }, { "__rtld_*", MOVED_BY_LOADER },
	{ "dlopen", MOVED_BY_RETURN_ADDRESS }, { "dlmopen", MOVED_BY_RETURN_ADDRESS },
	{ "dlsym", MOVED_BY_RETURN_ADDRESS }, { "dlvsym", MOVED_BY_RETURN_ADDRESS },
	{ "_Unwind_*", MOVED_BY_UNWINDER }, { "backtrace", MOVED_BY_UNWINDER },
	{ "__backtrace", MOVED_BY_UNWINDER },
	{ "_start", MOVED_BY_START }, { "__restore_rt", MOVED_BY_START },
	{ "mcount", MOVED_BY_TRACER }, { "_mcount", MOVED_BY_TRACER },
	{ "__mcount*", MOVED_BY_TRACER }, { "__fentry__", MOVED_BY_TRACER },
	{ "__return__", MOVED_BY_TRACER }, { "__xray_*", MOVED_BY_TRACER },
	{ "_dl_mcount*", MOVED_BY_TRACER },
	/* A signal handler of libc compares the interrupted thread's instruction pointer with
	 * addresses in these functions. */
	{ "__syscall_cancel_arch", MOVED_BY_SYSCALL },
	{ "__syscall_cp_asm", MOVED_BY_SYSCALL },
};

enum moved_reason mover_unsafe_name(const char *name)
{
	if (strstr(name, ".cold"))
		return MOVED_BY_COLD;
	/* glibc calls some of its own functions by the name __GI_NAME. */
	if (!strncmp(name, "__GI_", 5))
		name += 5;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i].name);
		bool is_prefix = names[i].name[length - 1] == '*';

		if (is_prefix ? !strncmp(name, names[i].name, length - 1) :
		    !strcmp(name, names[i].name))
			return names[i].reason;
	}
	return MOVED_BY_NONE;
}
