/* SPDX-License-Identifier: MIT */
/*
 * struct abi_attach, the block of memory through which `ulf attach` loads libulf into a
 * running program.  The block is in the memory of that program.  `ulf attach` fills it in
 * before the program's first thread uses it.  The code of src/arch/CPU/starter.S and libulf
 * store their results in it.  docs/design/attach.md has the steps.
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

/* How far the starter is.  The starter is a thread that libc does not know; it calls
 * pthread_create(). */
enum abi_starter {
	ABI_STARTER_NEW,
	ABI_STARTER_RUNS,
	ABI_STARTER_DONE,		/* pthread_create() has returned; @starter_error is its
					 * result */
};

/* How far the loader is.  The loader is a thread of libc that calls dlopen().  It stores
 * each result before the state that announces this result [attach.loader]. */
enum abi_loader {
	ABI_LOADER_NEW,
	ABI_LOADER_RUNS,
	ABI_LOADER_FAILED,		/* dlopen() or dlsym() has failed; @message has the
					 * reason */
	ABI_LOADER_LOADED,		/* ulf_attach() runs */
	ABI_LOADER_REFUSED,		/* libulf could not create a root; @error has
					 * the reason */
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
	uint32_t run_id;		/* run id: the number by which `ulf run` finds
					 * the roots that it has started */
	uint32_t unused;
	char entry[16];			/* ABI_ATTACH_ENTRY */
	char dir[128];			/* the ulf directory */
	char words[1024];	/* boot settings (event/boot.h), ABI_BOOT_BYTES bytes */
	char root[128];			/* result: name of the root */
	char message[512];		/* result: the text that dlerror() returned */
	char libulf[1024];		/* path of libulf */
};

static_assert(offsetof(struct abi_attach, starter) == 48, "ABI");

#endif
