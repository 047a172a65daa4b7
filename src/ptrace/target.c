/* SPDX-License-Identifier: MIT */
/* Find the functions and sizes of libc in a program. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "ptrace/target.h"
#include "ptrace/tasks.h"

#define PTHREAD_BYTES_MIN	512u
#define PTHREAD_BYTES_MAX	16384u
#define OFFSET_MAX		8192u

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_libc(const char *name)
{
	return !strcmp(name, "libc.so.6") || !strncmp(name, "libc-2.", 7);
}

static bool is_ldso(const char *name)
{
	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-2.", 5);
}

static bool is_musl(const char *path)
{
	return !strncmp(base_name(path), "ld-musl-", 8) || strstr(path, "musl/libc.so") ||
	       !strncmp(base_name(path), "libc.musl", 9);
}

static bool is_sanitizer(const char *name)
{
	return !strncmp(name, "libasan.so", 10) || !strncmp(name, "libtsan.so", 10) ||
	       !strncmp(name, "libmsan.so", 10) || !strncmp(name, "libclang_rt.", 12);
}

/* Store the address at which @map, a mapping of libc or of the dynamic linker, ends.  If it is
 * the first mapping, which begins with the ELF header, also read the headers. */
static void note_object(struct target *target, const struct remote_map *map,
			struct remote_object *object, uint64_t *end)
{
	if (!object->start)
		remote_object_read(target->pid, map->start, object);
	*end = map->end;
}

/* Check one mapping of the program.  Returns false if the mapping shows that the program is
 * not supported. */
static bool check_map(struct target *target, const struct remote_map *map, struct text *why)
{
	const char *name = base_name(map->path);

	if (is_musl(map->path)) {
		text_puts(why, "its C library is musl; link it with libulf.a");
		return false;
	}
	if (is_sanitizer(name)) {
		text_puts(why, "it has a sanitizer, which must know each thread; link it with "
			       "libulf");
		return false;
	}
	if (is_libc(name))
		note_object(target, map, &target->libc, &target->libc_end);
	else if (is_ldso(name))
		note_object(target, map, &target->ldso, &target->ldso_end);
	return true;
}

/* Check by the ELF header of the program's file that the program is for this CPU. */
static bool check_machine(pid_t pid, struct text *why)
{
	unsigned char elf[20] = { 0 };
	char path[64];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	file = fopen(path, "re");
	n = file ? fread(elf, 1, sizeof(elf), file) : 0;
	if (file)
		fclose(file);
	if (n != sizeof(elf) || memcmp(elf, ELFMAG, SELFMAG) ||
	    (elf[EI_CLASS] == ELFCLASS64 && (elf[18] | elf[19] << 8) == ARCH_ELF_MACHINE))
		return true;
	text_puts(why, "it is not a program for " ARCH_ELF_MACHINE_NAME);
	return false;
}

/* Read the offset of a member of a struct of libc.  libc has a variable with this offset for
 * libthread_db.  The variable consists of three numbers: size in bits, number of elements,
 * offset. */
static uint32_t debug_offset(const struct target *target, const char *name)
{
	uint64_t address = remote_symbol(&target->libc, name);
	uint32_t numbers[3];

	if (!address || remote_read(target->pid, address, numbers, sizeof(numbers)) ||
	    numbers[2] > OFFSET_MAX)
		return 0;
	return numbers[2];
}

static void read_sizes(struct target *target)
{
	uint64_t size = remote_symbol(&target->libc, "_thread_db_sizeof_pthread");
	uint64_t rseq = remote_symbol(&target->ldso, "__rseq_offset");

	if (!size || remote_read(target->pid, size, &target->pthread_bytes, 4))
		target->pthread_bytes = 0;
	if (!rseq || remote_read(target->pid, rseq, &target->rseq_offset, 8))
		target->rseq_offset = 0;
	target->tid_offset = debug_offset(target, "_thread_db_pthread_tid");
	target->tls_offset_offset = debug_offset(target, "_thread_db_link_map_l_tls_offset");
	target->tls_modid_offset = debug_offset(target, "_thread_db_link_map_l_tls_modid");
}

/* Find the variable __libc_single_threaded.  If the program has its own copy of the variable,
 * libc uses that copy. */
static uint64_t find_single(const struct target *target)
{
	static const char name[] = "__libc_single_threaded";
	struct remote_object object;
	uint64_t found = 0;

	if (target->maps.nr &&
	    !remote_object_read(target->pid, target->maps.rows[0].start, &object))
		found = remote_symbol(&object, name);
	return found ? found : remote_symbol(&target->libc, name);
}

static bool read_libc(struct target *target, struct text *why)
{
	const struct remote_object *libc = &target->libc;

	target->pthread_create = remote_symbol(libc, "pthread_create");
	target->dlopen = remote_symbol(libc, "dlopen");
	target->dlsym = remote_symbol(libc, "dlsym");
	target->dlerror = remote_symbol(libc, "dlerror");
	target->r_debug = remote_symbol(&target->ldso, "_r_debug");
	target->single = find_single(target);
	read_sizes(target);
	if (!target->pthread_create || !target->dlopen || !target->dlsym || !target->dlerror ||
	    !target->single || !target->r_debug)
		text_puts(why, "its glibc is older than 2.34; start it with `ulf run`");
	else if (target->pthread_bytes < PTHREAD_BYTES_MIN ||
		 target->pthread_bytes > PTHREAD_BYTES_MAX || !target->tid_offset ||
		 !target->tls_offset_offset || !target->tls_modid_offset)
		text_puts(why, "its glibc does not say how large its structures are; start it "
			       "with `ulf run`");
	else
		return true;
	return false;
}

/* While a program starts, the dynamic linker is mapped some time before libc. */
static void explain_no_libc(const struct target *target, struct text *why)
{
	if (target->ldso.start)
		text_puts(why, "it has not loaded glibc: wait until it has started, or, if it does "
			       "without glibc, link it with libulf.a");
	else
		text_puts(why, "it is linked statically, or its C library is not glibc, so "
			       "nothing can be loaded into it; link it with libulf.a");
}

bool target_read(pid_t pid, struct target *ret_target, struct text *ret_why)
{
	struct target *target = ret_target;
	int r;

	memset(target, 0, sizeof(*target));
	target->pid = pid;
	if (!check_machine(pid, ret_why))
		return false;
	r = remote_maps_read(pid, &target->maps);
	if (r) {
		text_puts(ret_why, strerror(-r));
		return false;
	}
	for (size_t i = 0; i < target->maps.nr; i++)
		if (*target->maps.rows[i].path == '/' &&
		    !check_map(target, &target->maps.rows[i], ret_why))
			return false;
	if (!target->libc.start || !target->ldso.start) {
		explain_no_libc(target, ret_why);
		return false;
	}
	return read_libc(target, ret_why);
}

void target_done(struct target *target)
{
	remote_maps_done(&target->maps);
}

bool target_is_single(const struct target *target)
{
	struct task_list list = { 0 };
	uint8_t is_single = 1;
	size_t nr = 0;

	if (!remote_read(target->pid, target->single, &is_single, 1) && !is_single &&
	    !tasks_read(target->pid, &list))
		nr = list.nr;
	tasks_done(&list);
	return nr < 2;
}
