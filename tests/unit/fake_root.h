/* SPDX-License-Identifier: MIT */
/*
 * A root as a program would leave it, made by hand, for tests of the server and of the tree
 * that need no traced program.
 */
#ifndef TESTS_UNIT_FAKE_ROOT_H
#define TESTS_UNIT_FAKE_ROOT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/control.h"
#include "base/bits.h"
#include "ring/ring.h"
#include "lib/ring_locked.h"

#define FAKE_MAP_BYTES	(ABI_ARENA_OFF + (256ull << 20))
#define FAKE_MAP_ADDR	0x7f1200000000ull	/* an address in the program that does not exist */
#define FAKE_CPUS	2u

struct fake_root {
	char dir[128];			/* the ulf directory */
	char path[192];			/* DIR/roots/NAME */
	char *mem;			/* mapping of all map_bytes */
	struct abi_control *control;
	struct abi_process *processes;
	struct abi_comm *comms;
	struct abi_event *events;
	struct abi_buffer *buffer;
};

/* Make a new ulf directory, in memory. */
static inline void fake_dir_make(char dir[128])
{
	const char *base = getenv("ULF_DIR");

	snprintf(dir, 128, "%s/fakeXXXXXX", base ? base : "/dev/shm");
	if (!mkdtemp(dir))
		abort();
}

static inline void fake_dir_remove(const char *dir)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		abort();
}

/* Call @run, which ends with _exit(), in a process with a directory of its own.  Returns the
 * status of waitpid(). */
static inline int fake_dir_run(void (*run)(const char *dir))
{
	int status = -1;
	char dir[128];
	pid_t pid;

	fake_dir_make(dir);
	pid = fork();
	if (!pid)
		run(dir);
	if (pid > 0)
		waitpid(pid, &status, 0);
	fake_dir_remove(dir);
	return status;
}

/* Write everything that a program writes before it shows its root. */
static inline void fake_root_fill(struct fake_root *root)
{
	struct abi_control *c = (struct abi_control *)root->mem;

	c->version = ABI_VERSION;
	c->control_bytes = sizeof(*c);
	c->processes_off = ABI_PROCESSES_OFF;
	c->modules_off = ABI_MODULES_OFF;
	c->comms_off = ABI_COMMS_OFF;
	c->events_off = ABI_EVENTS_OFF;
	c->buffers_off = ABI_BUFFERS_OFF;
	c->objects_off = ABI_OBJECTS_OFF;
	c->heap_off = ABI_HEAP_OFF;
	c->arena_off = ABI_ARENA_OFF;
	c->map_bytes = FAKE_MAP_BYTES;
	c->map_addr = FAKE_MAP_ADDR;
	c->nr_cpus = FAKE_CPUS;
	c->pid = (uint32_t)getpid();
	c->uid = geteuid();
	c->has_rseq = 1;
	strcpy(c->comm, "fake");
	c->magic = ABI_MAGIC;
	root->control = c;
	root->processes = (void *)(root->mem + c->processes_off);
	root->comms = (void *)(root->mem + c->comms_off);
	root->events = (void *)(root->mem + c->events_off);
	root->buffer = (void *)(root->mem + c->buffers_off);
	root->processes[0].pid = (uint32_t)getpid();
	root->processes[0].modules[0] = 1;
	c->nr_modules = 1;
	c->nr_events = ABI_DYNAMIC;
}

/* Make DIR/roots/NAME as the runtime does: in another place, then rename it. */
static inline void fake_root_make(struct fake_root *root, const char *dir,
				  const char *name)
{
	char path[256];
	int fd;

	memset(root, 0, sizeof(*root));
	snprintf(root->dir, sizeof(root->dir), "%s", dir);
	snprintf(path, sizeof(path), "%s/roots", dir);
	mkdir(path, 0700);
	snprintf(root->path, sizeof(root->path), "%s/roots/.tmp-%s", dir, name);
	if (mkdir(root->path, 0700))
		abort();
	snprintf(path, sizeof(path), "%s/memory", root->path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, ABI_ARENA_OFF))
		abort();
	root->mem = mmap(NULL, FAKE_MAP_BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (root->mem == MAP_FAILED)
		abort();
	close(fd);
	fake_root_fill(root);
}

static inline void fake_root_show(struct fake_root *root, const char *name)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/roots/%s", root->dir, name);
	if (rename(root->path, path))
		abort();
	strcpy(root->path, path);
}

static inline void fake_root_done(struct fake_root *root)
{
	munmap(root->mem, FAKE_MAP_BYTES);
}

struct fake_field {
	const char *type, *name;
	uint32_t offset, size;
	uint8_t is_signed;
};

/* Put @text at the end of the blob.  Returns its offset. */
static inline uint32_t fake_string(char *blob, uint32_t *end, const char *text)
{
	uint32_t at = *end;

	strcpy(blob + at, text);
	*end += (uint32_t)strlen(text) + 1;
	return at;
}

/* Register an event of module @module.  Returns its id. */
static inline uint32_t fake_event(struct fake_root *root, uint32_t module,
				  const char *system, const char *name,
				  const char *print_fmt,
				  const struct fake_field *fields,
				  uint32_t nr_fields)
{
	uint32_t row = root->control->nr_events;
	uint64_t off = root->control->heap_off + root->control->heap_used;
	char *blob = root->mem + off;
	struct abi_format *format = (struct abi_format *)blob;
	struct abi_field *to = (struct abi_field *)(format + 1);
	uint32_t end = (uint32_t)(sizeof(*format) + nr_fields * sizeof(*to));

	format->nr_fields = nr_fields;
	format->system = fake_string(blob, &end, system);
	format->name = fake_string(blob, &end, name);
	format->print_fmt = fake_string(blob, &end, print_fmt);
	for (uint32_t i = 0; i < nr_fields; i++) {
		to[i] = (struct abi_field){
			.type = fake_string(blob, &end, fields[i].type),
			.name = fake_string(blob, &end, fields[i].name),
			.offset = fields[i].offset,
			.size = fields[i].size,
			.is_signed = fields[i].is_signed,
		};
	}
	root->events[row].blob = off;
	root->events[row].blob_bytes = end;
	root->events[row].module = module;
	root->control->heap_used += (end + 7) & ~7u;
	__atomic_store_n(&root->control->nr_events, row + 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(&root->control->tables_changed, 1, __ATOMIC_RELEASE);
	return ABI_EVENT_ID_FIRST + row;
}

/* Register an event with one int, which prints n=... */
static inline uint32_t fake_event_n(struct fake_root *root, uint32_t module,
				    const char *system, const char *name)
{
	static const struct fake_field field = { "int", "n", 8, 4, 1 };

	return fake_event(root, module, system, name, "\"n=%d\", REC->n", &field, 1);
}

/* Allocate space in the heap. */
static inline uint32_t fake_heap(struct fake_root *root, uint32_t bytes)
{
	uint64_t off = root->control->heap_off + root->control->heap_used;

	root->control->heap_used += (bytes + 7) & ~7u;
	return (uint32_t)off;
}

/* Add a format of trace_printk().  Returns the address that records have of it. */
static inline uint64_t fake_format(struct fake_root *root, const char *text)
{
	uint32_t bytes = (uint32_t)strlen(text) + 1;
	struct abi_printk_table *table;
	struct abi_printk *printk;
	uint32_t off, *first;

	if (!root->control->printk)
		root->control->printk = fake_heap(root, sizeof(*table));
	off = fake_heap(root, sizeof(*printk) + bytes);
	table = (void *)(root->mem + root->control->printk);
	printk = (void *)(root->mem + off);
	first = &table->first[bytes % ABI_PRINTK_LISTS];
	*printk = (struct abi_printk){ .next = *first, .text_bytes = bytes };
	strcpy((char *)(printk + 1), text);
	*first = off;
	__atomic_add_fetch(&root->control->tables_changed, 1, __ATOMIC_RELEASE);
	return FAKE_MAP_ADDR + off + sizeof(*printk);
}

/* Write the name of a thread where the runtime would write it. */
static inline void fake_comm(struct fake_root *root, uint32_t tid, const char *name)
{
	struct abi_comm *comm = &root->comms[tid * 2654435761u % ABI_COMMS];

	comm->tid = tid;
	strcpy(comm->comm, name);
}

/* Act as the agent that has applied the newest settings. */
static inline void fake_apply(struct fake_root *root)
{
	__atomic_store_n(&root->processes[0].applied,
			 __atomic_load_n(&root->control->generation, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
}

static inline struct abi_ring *fake_ring(struct fake_root *root, uint32_t cpu,
					 enum abi_ring_kind kind)
{
	uint64_t off = root->buffer->side[0].ring[cpu][kind].off;

	return off ? (struct abi_ring *)(root->mem + off) : NULL;
}

/* Add two strings that a module lists by their addresses. */
static inline void fake_strings(struct fake_root *root, struct abi_module *module)
{
	static const struct {
		struct abi_strings head;
		uint64_t address[2];
		char texts[8];
	} block = { { 2, 8 }, { 0x1000, 0x2000 }, "one\0two" };
	uint64_t off = ALIGN_UP(fake_heap(root, sizeof(block) + 8), 8ull);

	memcpy(root->mem + off, &block, sizeof(block));
	module->strings = off;
}

/* Record an event of fake_event_n().  @time counts if the ring uses a given clock. */
static inline int fake_record(struct fake_root *root, uint32_t cpu,
			      enum abi_ring_kind kind, uint32_t id, uint32_t tid,
			      int n, uint64_t time)
{
	struct {
		uint32_t headroom;
		uint16_t type;
		uint8_t flags, preempt_count;
		int32_t pid;
		int32_t n;
	} record = { 0, (uint16_t)id, 0, 0, (int32_t)tid, n };

	return ring_write_locked(fake_ring(root, cpu, kind), &record.type, 12,
				 time, (uint32_t)syscall(SYS_gettid));
}

#endif
