/* SPDX-License-Identifier: MIT */
/*
 * Examine the file of a program before it is started (exec_file.h).  libulf in LD_PRELOAD
 * would keep some programs from starting: those with another C library, with
 * AddressSanitizer, or with libulf.a inside.  In other programs it does nothing, and `ulf
 * run --follow` reports them.
 *
 * The file may change before the program starts.  Then the program may get libulf although it
 * should not, as it would with any LD_PRELOAD.
 */
#include "runtime/libc/exec_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "abi/socket.h"
#include "arch/arch.h"

#define LINE_BYTES	256		/* maximum length of the first line of a script, as in
					 * the kernel */
#define SCRIPTS_MAX	4		/* maximum length of a chain of scripts in
					 * which each script is the interpreter of the
					 * previous one, as in the kernel */
#define HEADERS_MAX	128u		/* maximum number of program headers that are read */
#define DYNAMIC_MAX	4096u		/* maximum number of entries of the dynamic section that
					 * are read */
#define NAMES_MAX	65536u		/* maximum size of the names of sections, bytes */
#define SHELL		"/bin/sh"
#define ST_NOSUID_FLAG	2		/* flag of statfs.f_flags: set-uid bits have no effect */
#define LIBASAN		"libasan.so."
#define BODIES		".bodies"	/* name of a section of ftrace.S, which is in
					 * every program that contains libulf.a */

struct file_id {
	uint64_t dev, ino;
};

static struct file_id own_linker;	/* dynamic linker of this program; written
					 * only during the start */

static bool get_id(const char *path, struct file_id *ret_id)
{
	struct stat st;

	if (arch_syscall4(SYS_newfstatat, AT_FDCWD, path, &st, 0))
		return false;
	*ret_id = (struct file_id){ st.st_dev, st.st_ino };
	return true;
}

void exec_file_init(void)
{
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned long nr = getauxval(AT_PHNUM);
	const char *path = ARCH_LINKER;
	uint64_t base = 0;

	for (unsigned long i = 0; phdr && i < nr; i++)
		if (phdr[i].p_type == PT_PHDR)
			base = (uint64_t)phdr - phdr[i].p_vaddr;
	for (unsigned long i = 0; phdr && i < nr; i++)
		if (phdr[i].p_type == PT_INTERP)
			path = (const char *)(base + phdr[i].p_vaddr);
	get_id(path, &own_linker);
}

static bool read_at(int fd, uint64_t off, void *to, size_t bytes)
{
	return arch_syscall4(SYS_pread64, fd, to, bytes, off) == (long)bytes;
}

/* Read a text that ends in a NUL or at the end of the file, and cut it to
 * @bytes. */
static void read_text(int fd, uint64_t off, char *to, size_t bytes)
{
	long len = arch_syscall4(SYS_pread64, fd, to, bytes - 1, off);

	to[len > 0 ? len : 0] = '\0';
}

/* ---- the parts of an ELF file ---- */

static bool find_header(int fd, const Elf64_Ehdr *head, uint32_t type, uint64_t addr,
			Elf64_Phdr *ret_phdr)
{
	for (uint32_t i = 0; i < head->e_phnum && i < HEADERS_MAX; i++) {
		if (!read_at(fd, head->e_phoff + i * sizeof(*ret_phdr), ret_phdr,
			     sizeof(*ret_phdr)))
			return false;
		if (ret_phdr->p_type == type &&
		    (type != PT_LOAD || addr - ret_phdr->p_vaddr < ret_phdr->p_filesz))
			return true;
	}
	return false;
}

/* Returns the value of the first entry with the tag @tag from entry *@at on, or 0 if there
 * is none.  Moves *@at to the entry after it. */
static uint64_t next_dynamic(int fd, const Elf64_Phdr *dynamic, int64_t tag, uint32_t *at)
{
	Elf64_Dyn entry;

	while (*at < DYNAMIC_MAX && *at < dynamic->p_filesz / sizeof(entry) &&
	       read_at(fd, dynamic->p_offset + *at * sizeof(entry), &entry, sizeof(entry)) &&
	       entry.d_tag != DT_NULL) {
		++*at;
		if (entry.d_tag == tag)
			return entry.d_un.d_val;
	}
	return 0;
}

static bool needs_libasan(int fd, const Elf64_Ehdr *head)
{
	Elf64_Phdr dynamic, load;
	uint64_t names, name;
	uint32_t at = 0;
	char text[sizeof(LIBASAN)];

	if (!find_header(fd, head, PT_DYNAMIC, 0, &dynamic))
		return false;
	names = next_dynamic(fd, &dynamic, DT_STRTAB, &at);
	if (!names || !find_header(fd, head, PT_LOAD, names, &load))
		return false;
	names += load.p_offset - load.p_vaddr;
	for (at = 0; (name = next_dynamic(fd, &dynamic, DT_NEEDED, &at));) {
		read_text(fd, names + name, text, sizeof(text));
		if (!strcmp(text, LIBASAN))
			return true;
	}
	return false;
}

/* Returns true if the program contains libulf.a: then one of its sections has the name BODIES.
 * Reads the names of sections in parts that overlap, so that no name is cut in all of them. */
static bool contains_libulf(int fd, const Elf64_Ehdr *head)
{
	char window[512];
	Elf64_Shdr names;

	if (!head->e_shoff ||
	    !read_at(fd, head->e_shoff + (uint64_t)head->e_shstrndx * sizeof(names), &names,
		     sizeof(names)))
		return false;
	for (uint64_t at = 0; at < names.sh_size && at < NAMES_MAX;
	     at += sizeof(window) - sizeof(BODIES)) {
		long len = arch_syscall4(SYS_pread64, fd, window, sizeof(window),
					 names.sh_offset + at);

		if (len < (long)sizeof(BODIES))
			return false;
		if (memmem(window, (size_t)len, BODIES, sizeof(BODIES)))
			return true;
	}
	return false;
}

static long check_elf(int fd, const Elf64_Ehdr *head)
{
	char path[LINE_BYTES];
	struct file_id linker;
	Elf64_Phdr interp;

	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != ARCH_ELF_MACHINE)
		return ABI_UNFOLLOWED_MACHINE;
	if (!find_header(fd, head, PT_INTERP, 0, &interp))
		return ABI_UNFOLLOWED_STATIC;
	read_text(fd, interp.p_offset, path, sizeof(path));
	if (!get_id(path, &linker) || linker.dev != own_linker.dev ||
	    linker.ino != own_linker.ino)
		return ABI_UNFOLLOWED_LIBC;
	if (needs_libasan(fd, head))
		return ABI_UNFOLLOWED_ASAN;
	return contains_libulf(fd, head) ? ABI_UNFOLLOWED_LIBULF : 0;
}

/* ---- the file ---- */

/* Returns true if the program would get other rights by this file than this process
 * has. */
static bool is_secure(int fd, const struct stat *st)
{
	uint32_t uid = (uint32_t)arch_syscall0(SYS_geteuid);
	uint32_t gid = (uint32_t)arch_syscall0(SYS_getegid);
	struct statfs fs;
	char caps[64];

	if (arch_syscall2(SYS_fstatfs, fd, &fs) || fs.f_flags & ST_NOSUID_FLAG ||
	    arch_syscall2(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0) == 1)
		return false;
	return (st->st_mode & S_ISUID && st->st_uid != uid) ||
	       (st->st_mode & S_ISGID && st->st_mode & S_IXGRP && st->st_gid != gid) ||
	       (uid && arch_syscall4(SYS_fgetxattr, fd, "security.capability", caps,
				     sizeof(caps)) > 0);
}

/* Cut the first line of a script to the path of its interpreter.  If the line names none,
 * the result is the path of the shell, which execvp() would start. */
static const char *interpreter_of(char line[LINE_BYTES])
{
	char *path = line + 2;

	if (line[0] != '#' || line[1] != '!')
		return SHELL;
	line[strcspn(line, "\n")] = '\0';
	path += strspn(path, " \t");
	path[strcspn(path, " \t")] = '\0';
	return path;
}

/* Examine the open file.  If it is a script, its interpreter is stored in @line, and 1 is
 * returned. */
static long check_open(int fd, const struct stat *st, char line[LINE_BYTES])
{
	Elf64_Ehdr head;

	if (read_at(fd, 0, &head, sizeof(head)) && !memcmp(head.e_ident, ELFMAG, SELFMAG))
		return is_secure(fd, st) ? ABI_UNFOLLOWED_SECURE : check_elf(fd, &head);
	read_text(fd, 0, line, LINE_BYTES);
	memmove(line, interpreter_of(line), strlen(interpreter_of(line)) + 1);
	return 1;
}

long exec_file_check(int dir, const char *path)
{
	char line[LINE_BYTES];
	struct stat st;
	long fd, ret = 1;

	for (int scripts = 0; ret == 1 && scripts <= SCRIPTS_MAX; scripts++) {
		if (arch_syscall4(SYS_newfstatat, dir, path, &st, 0) || !S_ISREG(st.st_mode))
			return -ENOENT;
		fd = arch_syscall4(SYS_openat, dir, path,
				   O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
		if (fd < 0)
			return fd == -ENOENT ? fd : ABI_UNFOLLOWED_UNREADABLE;
		ret = check_open((int)fd, &st, line);
		arch_syscall1(SYS_close, fd);
		path = line;
		dir = AT_FDCWD;
	}
	return ret == 1 ? -ENOENT : ret;
}

long exec_file_find(const char *name, char *ret_path, size_t bytes)
{
	const char *dirs = getenv("PATH");
	size_t len = strlen(name), nr;

	for (dirs = dirs ? dirs : "/bin:/usr/bin";; dirs += nr + 1) {
		nr = strcspn(dirs, ":");
		if (nr + len + 2 <= bytes) {
			memcpy(ret_path, dirs, nr);
			if (nr)
				ret_path[nr] = '/';
			memcpy(ret_path + nr + (nr ? 1 : 0), name, len + 1);
			if (!arch_syscall3(SYS_faccessat, AT_FDCWD, ret_path, X_OK))
				return 0;
		}
		if (!dirs[nr])
			return -ENOENT;
	}
}
