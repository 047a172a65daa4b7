/* SPDX-License-Identifier: MIT */
/* ulf run: find the file of a program, and find out whether the program can load libulf. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "arch/arch.h"
#include "cli/cli.h"
#include "cli/run_impl.h"
#include "symbols/elf_impl.h"
#include "symbols/elf_sites.h"

#define LIBASAN		"libasan.so."
#define PATH_BYTES	4096
#define SCRIPT_BYTES	256		/* maximum length of the first line of a script
					 * in bytes, as in the kernel */
#define READ_BYTES_MAX	(1024ull << 20)	/* maximum number of bytes that are read from a
					 * file */

/* Return the path of the file that execvp() would execute, or NULL.  The caller must free()
 * the path. */
static char *find_program_file(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_BYTES];

	if (strchr(name, '/'))
		return realpath(name, NULL);
	while (dirs) {
		int nr = (int)strcspn(dirs, ":");
		int len = snprintf(path, sizeof(path), "%.*s/%s", nr ? nr : 1,
				   nr ? dirs : ".", name);

		if (len < (int)sizeof(path) && !access(path, X_OK))
			return realpath(path, NULL);
		dirs = dirs[nr] ? dirs + nr + 1 : NULL;
	}
	return NULL;
}

static bool has_traceable_functions(const char *path)
{
	uint64_t bytes_left = READ_BYTES_MAX;
	struct elf_sites sites;
	bool has_some;

	if (elf_sites_read(path, NULL, 0, FSITE_PATCHABLE, &bytes_left, &sites))
		return false;
	has_some = sites.nr_rows;	/* number of function entries in the first table of
					 * function entries of the file, of any kind */
	elf_sites_done(&sites);
	return has_some;
}

/* Find out whether the program uses libulf and libasan.  Both may be shared libraries that
 * the program needs.  If libulf is linked statically, the program has the section .bodies of
 * ftrace.S. */
static void find_libraries(struct run_program *program)
{
	uint64_t bytes_left = READ_BYTES_MAX;
	const Elf64_Shdr *strings;
	struct elf_file file;
	char *text;

	if (!elf_file_open(program->path, NULL, 0, &bytes_left, &file)) {
		strings = elf_find_section(&file, ".dynstr");
		text = strings ? elf_read_bytes(&file, strings->sh_offset,
						strings->sh_size) : NULL;
		program->has_libulf_a = elf_find_section(&file, ".bodies");
		program->has_libulf = program->has_libulf_a ||
			(text && memmem(text, strings->sh_size, RUN_LIBULF,
					sizeof(RUN_LIBULF)));
		program->has_libasan = text && memmem(text, strings->sh_size, LIBASAN,
						      strlen(LIBASAN));
		free(text);
	}
	elf_file_close(&file);
}

/* ---- find out whether the program can load libulf ---- */

/* Return true if exec() of the program with descriptor @fd gives it other rights than this
 * process has.  In this case the kernel sets AT_SECURE, and libulf does nothing. */
static bool is_secure_exec(int fd)
{
	struct statvfs fs;
	struct stat st;
	char caps[64];

	if (fstat(fd, &st) < 0 || fstatvfs(fd, &fs) < 0 || fs.f_flag & ST_NOSUID)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid()) ||
	       (geteuid() && fgetxattr(fd, "security.capability", caps, sizeof(caps)) > 0);
}

/* Read the path of the program's dynamic linker from PT_INTERP.  Returns 1; 0 if the program
 * has no PT_INTERP; -EINVAL if the file is damaged. */
static int read_elf_loader(int fd, const Elf64_Ehdr *head, char loader[PATH_BYTES])
{
	Elf64_Phdr phdr;
	unsigned int i;
	ssize_t len;

	for (i = 0; i < head->e_phnum; i++) {
		if (pread(fd, &phdr, sizeof(phdr),
			  (off_t)(head->e_phoff + i * sizeof(phdr))) != sizeof(phdr))
			return -EINVAL;
		if (phdr.p_type != PT_INTERP)
			continue;
		len = pread(fd, loader, PATH_BYTES - 1, (off_t)phdr.p_offset);
		if (len < 0)
			return -EINVAL;
		loader[len] = '\0';	/* add a NUL, because the path in the file
					 * possibly has none at its end */
		return 1;
	}
	return 0;
}

/* Find out how the program can be traced.  @needs_library: true if functions of the program
 * itself are traced.  It is false for a script without --follow, because the user wants to
 * trace the programs that the script starts, not the shell. */
static enum run_kind find_program_kind(int fd, const struct run_program *program,
				       bool needs_library)
{
	char loader[PATH_BYTES];
	Elf64_Ehdr head;
	int ret;

	if (is_secure_exec(fd))
		return RUN_SECURE;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return RUN_PLAIN;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != ARCH_ELF_MACHINE)
		return RUN_MACHINE;
	if (program->has_libulf)
		return RUN_FOR_ULF;
	ret = read_elf_loader(fd, &head, loader);
	if (ret == 0)
		return RUN_STATIC;
	if (ret > 0 && strstr(loader, "ld-musl"))
		return RUN_MUSL;
	return program->has_functions || needs_library ? RUN_FOR_ULF : RUN_PLAIN;
}

/* If the file is a script, replace its path by the path of its interpreter. */
static void resolve_script(struct run_program *program)
{
	char line[SCRIPT_BYTES + 1];
	int fd = open(program->path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, line, SCRIPT_BYTES);
	char *name;

	if (fd >= 0)
		close(fd);
	if (len < 3 || line[0] != '#' || line[1] != '!')
		return;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t")] = '\0';
	if (*name != '/')
		return;
	free(program->path);
	program->path = strdup(name);
	program->is_script = true;
}

void run_program_find(const char *name, bool needs_library, bool wants_interpreter,
		      struct run_program *ret_program)
{
	struct run_program program = { .path = find_program_file(name), .kind = RUN_PLAIN };
	int fd;

	if (program.path)
		resolve_script(&program);
	fd = program.path ? open(program.path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		program.has_functions = has_traceable_functions(program.path);
		find_libraries(&program);
		program.kind = find_program_kind(fd, &program, needs_library &&
						 (!program.is_script || wants_interpreter));
		close(fd);
	}
	*ret_program = program;
}

void run_program_done(struct run_program *program)
{
	free(program->path);
	program->path = NULL;
}

/* ---- messages ---- */

static const char *const reasons[] = {
	[RUN_FOR_ULF] = "is not traced",
	[RUN_PLAIN] = "is not linked with libulf, so it has no events",
	[RUN_STATIC] = "is linked statically, so libulf cannot be loaded into it; link it with "
		       "libulf.a",
	[RUN_MUSL] = "is linked with musl, and libulf needs glibc",
	[RUN_MACHINE] = "is not a program for " ARCH_ELF_MACHINE_NAME ", as libulf is",
	[RUN_SECURE] = "gets other rights than yours when it is started (set-uid, set-gid or "
		       "capabilities of its file), and libulf does nothing in such a program; "
		       "run it as the user whose rights it needs",
};

void run_program_explain(struct run *run)
{
	const struct run_program *program = &run->about;

	if (run->has_reported_why)
		return;
	run->has_reported_why = true;
	cli_error("%s itself cannot be traced: %s%s %s%s%s", run->program,
		  program->is_script ? "its interpreter " : "it",
		  program->is_script ? program->path : "", reasons[program->kind],
		  program->kind != RUN_PLAIN || program->is_script ? "" :
		  "; --ftrace=function traces its functions",
		  program->kind > RUN_PLAIN ? "" :
		  "; what it starts is traced if it is linked with libulf, or if `ulf run` "
		  "stands before it");
}
