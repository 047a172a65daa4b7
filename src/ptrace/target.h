/* SPDX-License-Identifier: MIT */
/* The program into which libulf is loaded: check whether libulf can be loaded, and find the
 * addresses that are needed for it. */
#ifndef ULF_PTRACE_TARGET_H
#define ULF_PTRACE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "ptrace/remote.h"

struct target {
	pid_t pid;
	struct remote_maps maps;
	struct remote_object libc, ldso;
	uint64_t libc_end, ldso_end;	/* addresses at which the mappings of libc and of the
					 * dynamic linker end */
	uint64_t single;		/* address in the program of __libc_single_threaded */
	uint64_t r_debug;		/* address in the program of the dynamic linker's list
					 * of objects */
	uint64_t pthread_create, dlopen, dlsym, dlerror;
	/* Sizes and offsets in structs of libc.  libc has variables with them for debuggers. */
	uint32_t pthread_bytes;		/* sizeof(struct pthread) */
	uint32_t tid_offset;		/* offset of the thread id in struct pthread */
	uint32_t tls_offset_offset;	/* offset of l_tls_offset in struct link_map */
	uint32_t tls_modid_offset;	/* offset of l_tls_modid in struct link_map */
	uint64_t rseq_offset;		/* distance of the rseq area from the thread pointer;
					 * 0: the program does not use rseq */
};

/*
 * target_check - check whether libulf can be loaded into the process @pid
 * @libulf, @dir: paths of libulf and of the ulf directory, which the program must see.
 * @ret_why: if libulf cannot be loaded, the reason and a remedy are appended.
 * Returns true if no check has failed.  target_read() may still fail.
 */
bool target_check(pid_t pid, const char *libulf, const char *dir, struct text *ret_why);

/*
 * target_read - read the addresses in a process that target_check() has accepted Returns
 * true; or false, and appends the reason to @ret_why.  The caller must call target_done() in
 * both cases.
 */
bool target_read(pid_t pid, struct target *ret_target, struct text *ret_why);
void target_done(struct target *target);

/* Append the reason why the kernel does not let this process trace @pid.  Called after the
 * kernel has returned EPERM. */
void target_print_eperm(pid_t pid, struct text *out);

/* Returns true if the program has one thread, or if libc still uses no locks. */
bool target_is_single(const struct target *target);

#endif
