/* SPDX-License-Identifier: MIT */
/*
 * The block of memory through which `ulf attach` loads libulf into a running program.  It is
 * in the program.  `ulf attach` fills it before the first thread uses it; the code of
 * src/arch/CPU/starter.S and libulf store results in it.  docs/design/attach.md has the steps.
 */
#ifndef ULF_ABI_ATTACH_H
#define ULF_ABI_ATTACH_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_ATTACH_VERSION	1u
#define ABI_ATTACH_ENTRY	"ulf_attach"	/* function of libulf that the loader calls */
/* Name of the loader, a thread of the program.  In a thread with this name libulf's
 * constructor does nothing: the loader calls ulf_attach() when dlopen() has returned, and
 * so has released the locks of the dynamic linker. */
#define ABI_ATTACH_LOADER	"ulf-loader"

/* How far the starter is.  This thread, which libc does not know, calls pthread_create(). */
enum abi_starter {
	ABI_STARTER_NEW,
	ABI_STARTER_RUNS,
	ABI_STARTER_DONE,		/* pthread_create() has returned; @starter_error is its
					 * result */
};

/* How far the loader is.  This thread of libc calls dlopen().  It stores its results before the
 * state that announces them [attach.loader]. */
enum abi_loader {
	ABI_LOADER_NEW,
	ABI_LOADER_RUNS,
	ABI_LOADER_FAILED,		/* dlopen() or dlsym() has failed; @message has the
					 * reason */
	ABI_LOADER_LOADED,		/* ulf_attach() runs */
	ABI_LOADER_REFUSED,		/* libulf has made no root; @error has the reason */
	ABI_LOADER_DONE,		/* there is a root: @root */
};

struct abi_attach {
	uint64_t pthread_create;	/* addresses of functions in the program */
	uint64_t dlopen;
	uint64_t dlsym;
	uint64_t dlerror;
	uint64_t loader_code;		/* address at which the loader starts */
	uint64_t thread;		/* pthread_t of the loader */
	uint32_t starter;		/* enum abi_starter */
	int32_t starter_error;		/* errno */
	uint32_t loader;		/* enum abi_loader */
	int32_t error;			/* -errno of libulf */
	uint32_t starter_tid;		/* is 0 when the starter has ended; the kernel clears it
					 * [attach.starter] */
	uint32_t version;		/* ABI_ATTACH_VERSION */
	uint64_t code;			/* the page with the code of both threads; libulf
					 * unmaps it */
	uint64_t code_bytes;
	uint64_t stack;			/* the stack of the starter; libulf unmaps it */
	uint64_t stack_bytes;
	uint32_t run_id;		/* run id, as `ulf run` gives one to the roots that it
					 * starts */
	uint32_t unused;
	char entry[16];			/* ABI_ATTACH_ENTRY */
	char dir[128];			/* the ulf directory */
	char words[1024];	/* boot settings: ABI_BOOT_BYTES */
	char root[128];			/* result: name of the root */
	char message[512];		/* result: text of dlerror() */
	char libulf[1024];		/* path of libulf */
};

static_assert(offsetof(struct abi_attach, starter) == 48, "ABI");

#endif
