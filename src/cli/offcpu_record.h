/* SPDX-License-Identifier: MIT */
/* Record what `ulf offcpu` needs of a root. */
#ifndef ULF_CLI_OFFCPU_RECORD_H
#define ULF_CLI_OFFCPU_RECORD_H

#include <stdint.h>

/* A thread of a program. */
struct offcpu_thread {
	int32_t pid;
	char comm[16];
};

struct offcpu_record {
	const char *word;		/* root, process id or name of a program; NULL: the only
					 * root that is alive */
	const char *path;		/* file to write */
	uint64_t time_ms;		/* length of the recording; it ends before if the program
					 * ends, or at ^C */
	uint64_t kb;			/* size of the ring of each CPU, KiB; 0: the default */
	struct offcpu_thread *threads;	/* result: the threads of the root's program at the end of
					 * the recording, an array of @nr_threads, which the caller
					 * frees */
	uint32_t nr_threads;
};

/* Record.  Prints errors.  Returns 0 or -errno. */
int offcpu_record(struct offcpu_record *record);

#endif
