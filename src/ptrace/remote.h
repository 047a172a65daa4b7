/* SPDX-License-Identifier: MIT */
/* The memory of another process: its mappings, and symbols of its objects. */
#ifndef ULF_PTRACE_REMOTE_H
#define ULF_PTRACE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_map {			/* a line of /proc/PID/maps */
	uint64_t start;
	uint64_t end;
	uint64_t offset;		/* offset of the mapping in the file */
	bool is_code;			/* true: the memory can be executed, and not be written */
	bool is_writable;
	char *path;			/* "" if there is no file */
};

struct remote_maps {
	struct remote_map *rows;
	size_t nr;
	size_t max;			/* number of entries allocated */
};

/* Read /proc/PID/maps.  Returns 0 or -errno.  The caller must call remote_maps_done(), also
 * after a failure; before the first call all members of @ret_maps must be 0. */
int remote_maps_read(pid_t pid, struct remote_maps *ret_maps);
void remote_maps_done(struct remote_maps *maps);

/* Copy @bytes bytes from or to the memory of the process.  remote_write() also writes to pages
 * that are read-only for the process, and takes the right to trace the process.  Both return
 * 0, or -errno if not all bytes could be copied. */
int remote_read(pid_t pid, uint64_t address, void *to, size_t bytes);
int remote_write(pid_t pid, uint64_t address, const void *from, size_t bytes);

/* Copy a string of less than @bytes bytes.  Returns false if it is longer, or cannot be read. */
bool remote_read_string(pid_t pid, uint64_t address, char *to, size_t bytes);

/* A loaded ELF object. */
struct remote_object {
	pid_t pid;
	uint64_t start;			/* address of the object's first page */
	uint64_t bias;			/* addresses in memory minus addresses in the file */
	uint64_t dynamic;		/* address of the dynamic section; 0: none */
	uint64_t tls;			/* address of the initial values of the object's
					 * thread-local variables */
	uint64_t tls_file_bytes;	/* size of the image */
	uint64_t tls_bytes;		/* size of the variables; 0: there are none */
	uint64_t tls_align;
	uint64_t code_start;		/* the segment with the code is mapped from the memory
					 * page of this address ... */
	uint64_t code_end;		/* ... to the end of the memory page of this address */
};

/* Read the headers of the object whose first page is at @start.  Returns 0; -ENOEXEC if there
 * is no object, or one for another CPU; or another -errno. */
int remote_object_read(pid_t pid, uint64_t start, struct remote_object *ret_object);
/* Returns the address of the symbol @name that the object defines, or 0. */
uint64_t remote_symbol(const struct remote_object *object, const char *name);

#endif
