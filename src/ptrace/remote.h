/* SPDX-License-Identifier: MIT */
/* Access to another process: its memory, its mappings, and the symbols of its objects. */
#ifndef ULF_PTRACE_REMOTE_H
#define ULF_PTRACE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote_map {			/* a line of /proc/PID/maps */
	uint64_t start;
	uint64_t end;
	uint64_t offset;		/* offset in the mapped file at which the mapping
					 * starts */
	bool is_code;			/* true: the memory of the mapping can be executed,
					 * but not written */
	bool is_writable;
	char *path;			/* "" if there is no file */
};

struct remote_maps {
	struct remote_map *rows;
	size_t nr;
	size_t max;			/* number of mappings for which memory is allocated */
};

/* Read /proc/PID/maps.  Returns 0 or -errno.  The caller must call remote_maps_done(), also
 * after a failure; before the first call all members of @ret_maps must be 0. */
int remote_maps_read(pid_t pid, struct remote_maps *ret_maps);
void remote_maps_done(struct remote_maps *maps);

/* Copy @bytes bytes from or to the memory of the process.  remote_write() also writes to
 * pages that are read-only for the process, and needs the right to trace the process.  Both
 * return 0, or -errno if not all bytes could be copied. */
int remote_read(pid_t pid, uint64_t address, void *to, size_t bytes);
int remote_write(pid_t pid, uint64_t address, const void *from, size_t bytes);

/* Copy a string of less than @bytes bytes.  Returns false if it is longer, or cannot be read. */
bool remote_read_string(pid_t pid, uint64_t address, char *to, size_t bytes);

/* A loaded ELF object. */
struct remote_object {
	pid_t pid;
	uint64_t start;			/* address in memory of the object's first page */
	uint64_t bias;			/* address in memory minus address in the file, for
					 * each byte of the object */
	uint64_t dynamic;		/* address of the object's dynamic section; 0: it has
					 * none */
	uint64_t tls;			/* address of the initial values of the object's
					 * thread-local variables */
	uint64_t tls_file_bytes;	/* size of the image */
	uint64_t tls_bytes;		/* size of the object's thread-local variables; 0: it
					 * has none */
	uint64_t tls_align;
	uint64_t code_start;		/* the object's code segment is mapped from the memory
					 * page that contains this address ... */
	uint64_t code_end;		/* ... to the end of the memory page that contains
					 * this address of the object's code */
};

/* Read the headers of the object whose first page is at @start.  Returns 0; -ENOEXEC if there
 * is no object, or an object for another CPU; or another -errno. */
int remote_object_read(pid_t pid, uint64_t start, struct remote_object *ret_object);
/* Returns the address of the symbol @name, or 0 if the object does not define it. */
uint64_t remote_symbol(const struct remote_object *object, const char *name);

#endif
