/* SPDX-License-Identifier: MIT */
/* Check whether libulf can be loaded into a program, without touching it.  Each check that
 * fails says why, and names a remedy. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "ptrace/target.h"
#include "ptrace/tasks.h"

#define PATH_BYTES	4400
#define RUN		"start it with `ulf run`"

struct check {
	pid_t pid;
	const char *libulf;
	const char *dir;
	struct text *why;
};

/* Read the number after "@name:" in /proc/@pid/status.  Returns 0 if the file has no such
 * line. */
static long status_number(const char *pid, const char *name)
{
	char path[64], line[256];
	size_t len = strlen(name);
	long value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, len) && line[len] == ':') {
			value = strtol(line + len + 1, NULL, 10);
			break;
		}
	fclose(file);
	return value;
}

static long number_of(const struct check *check, const char *name)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", check->pid);
	return status_number(pid, name);
}

static bool check_process(const struct check *check)
{
	struct task_stat stat = task_stat_read(check->pid, check->pid);
	long process = number_of(check, "Tgid");

	if (!process)
		text_printf(check->why, "there is no such process");
	else if (process != check->pid)
		text_printf(check->why, "it is a thread of process %ld; attach to that", process);
	else if (task_has_ended(stat))
		text_puts(check->why, "it has ended, and its parent has not noticed yet (zombie)");
	else if (stat.is_of_kernel)
		text_puts(check->why, "it is a thread of the kernel");
	else
		return true;
	return false;
}

/* Check that the three user ids of the program's process are that of this process, because a
 * root belongs to one user. */
static bool check_user(const struct check *check)
{
	unsigned int real = 0, effective = 0, saved = 0, other;
	char path[64], line[256];
	const struct passwd *user;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", check->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Uid: %u %u %u", &real, &effective, &saved) == 3)
			break;
	if (file)
		fclose(file);
	if (real == geteuid() && effective == geteuid() && saved == geteuid())
		return true;
	other = real != geteuid() ? real : effective != geteuid() ? effective : saved;
	user = getpwuid(other);
	text_printf(check->why, "it belongs to another user, %s (%u); run ulf as that user",
		    user ? user->pw_name : "uid", other);
	return false;
}

/* Append the name of the process @pid. */
static void print_name(pid_t pid, struct text *out)
{
	char path[64], name[64] = "a process";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	text_puts(out, name);
}

static bool check_tracer(const struct check *check)
{
	pid_t tracer = task_tracer(check->pid, check->pid);

	if (tracer) {
		print_name(tracer, check->why);
		text_printf(check->why, " (pid %d) traces it already; end that first", tracer);
		return false;
	}
	if (task_stat_read(check->pid, check->pid).state != 'T')
		return true;
	text_printf(check->why, "it is stopped (SIGSTOP); continue it first: kill -CONT %d",
		    check->pid);
	return false;
}

/* Returns true if the process @pid and this process are in the same namespace of type @kind. */
static bool is_same_namespace(pid_t pid, const char *kind)
{
	char path[64], own[64], theirs[64];
	ssize_t nr_own, nr_theirs;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	nr_own = readlink(path, own, sizeof(own));
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	nr_theirs = readlink(path, theirs, sizeof(theirs));
	/*
	 * If a link cannot be read, treat the namespaces as equal: a later check finds out why
	 * the link cannot be read, and reports the reason.
	 */
	return nr_own < 0 || nr_theirs < 0 ||
	       (nr_own == nr_theirs && !memcmp(own, theirs, (size_t)nr_own));
}

static bool check_namespaces(const struct check *check)
{
	const char *kind = !is_same_namespace(check->pid, "pid") ? "pid" :
			   !is_same_namespace(check->pid, "user") ? "user" : NULL;

	if (!kind)
		return true;
	text_printf(check->why, "it is in another %s namespace (a container); run ulf in there",
		    kind);
	return false;
}

/* Check that the process is dumpable.  If not, the kernel does not show its mappings. */
static bool check_dumpable(const struct check *check)
{
	char path[64];
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/maps", check->pid);
	file = fopen(path, "re");
	if (!file) {
		text_puts(check->why, errno == EACCES || errno == EPERM ?
			  "it is not dumpable (it has called prctl(PR_SET_DUMPABLE), or exec() "
			  "has given it rights), so nobody may look at it; " RUN :
			  strerror(errno));
		return false;
	}
	c = getc(file);
	fclose(file);
	if (c == EOF)
		text_puts(check->why, "it has ended");
	return c != EOF;
}

/* Check that this process may trace the program.  Try to read the program's memory: Yama may
 * forbid to trace a process whose mappings the kernel still shows. */
static bool check_access(const struct check *check)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", check->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else if (errno == EACCES || errno == EPERM)
		target_print_eperm(check->pid, check->why);
	else
		text_puts(check->why, strerror(errno));
	return fd >= 0;
}

static bool is_secure(pid_t pid)
{
	unsigned long entry[2];
	bool is_secure = false;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file = fopen(path, "re");
	while (file && fread(entry, sizeof(entry), 1, file) == 1)
		is_secure |= entry[0] == AT_SECURE && entry[1];
	if (file)
		fclose(file);
	return is_secure;
}

/* Returns true if ULF_DISABLE is set in the environment with which the program started. */
static bool is_disabled(pid_t pid)
{
	char path[64], *variable = NULL;
	bool is_disabled = false;
	size_t bytes = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	file = fopen(path, "re");
	while (file && getdelim(&variable, &bytes, '\0', file) > 0)
		if (!strncmp(variable, "ULF_DISABLE=", 12))
			is_disabled = variable[12] && strcmp(variable + 12, "0");
	if (file)
		fclose(file);
	free(variable);
	return is_disabled;
}

static bool check_settings(const struct check *check)
{
	if (is_secure(check->pid))
		text_puts(check->why, "it has gained rights at its start (set-uid, set-gid or "
				      "capabilities), and libulf does nothing in such programs");
	else if (is_disabled(check->pid))
		text_puts(check->why, "it was started with ULF_DISABLE; start it without");
	else
		return true;
	return false;
}

/*
 * Check that the program has no seccomp filter of its own, because such a filter may kill the
 * program for an unexpected system call.  The filters themselves cannot be read without
 * rights.  So compare the number of filters: the filters that this process has, too, come
 * from the container in which both run.
 */
static bool check_seccomp(const struct check *check)
{
	long mode = number_of(check, "Seccomp");
	long filters = number_of(check, "Seccomp_filters");

	if (!mode || (mode == 2 && mode == status_number("self", "Seccomp") &&
		      filters <= status_number("self", "Seccomp_filters")))
		return true;
	text_puts(check->why, "it has a seccomp filter of its own, which may end it for a system "
			      "call that it does not expect; " RUN);
	return false;
}

/* Returns true if @path is the same file for the program and for this process. */
static bool sees_same_file(pid_t pid, const char *path)
{
	char remote[PATH_BYTES];
	struct stat own, theirs;

	snprintf(remote, sizeof(remote), "/proc/%d/root%s", pid, path);
	return !stat(path, &own) && !stat(remote, &theirs) && own.st_dev == theirs.st_dev &&
	       own.st_ino == theirs.st_ino;
}

static bool check_files(const struct check *check)
{
	const char *missing = !sees_same_file(check->pid, check->libulf) ? check->libulf :
			      !sees_same_file(check->pid, check->dir) ? check->dir : NULL;

	if (!missing)
		return true;
	text_printf(check->why, "it does not see %s (chroot, or a mount namespace); run ulf in "
				"there, or mount that directory there", missing);
	return false;
}

bool target_check(pid_t pid, const char *libulf, const char *dir, struct text *ret_why)
{
	const struct check check = { .pid = pid, .libulf = libulf, .dir = dir, .why = ret_why };

	return check_process(&check) && check_user(&check) && check_tracer(&check) &&
	       check_namespaces(&check) && check_dumpable(&check) && check_settings(&check) &&
	       check_seccomp(&check) && check_access(&check) && check_files(&check);
}

void target_print_eperm(pid_t pid, struct text *out)
{
	pid_t tracer = task_tracer(pid, pid);
	int scope = 0;
	FILE *file;

	if (tracer) {
		print_name(tracer, out);
		text_printf(out, " (pid %d) traces it already; end that first", tracer);
		return;
	}
	file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	if (scope == 1)
		text_puts(out, "kernel.yama.ptrace_scope is 1, so only its ancestors may trace it; "
			       RUN ", or let it call prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY), "
			       "or ask the administrator: sysctl kernel.yama.ptrace_scope=0");
	else if (scope > 1)
		text_printf(out, "kernel.yama.ptrace_scope is %d, so %s may trace; " RUN, scope,
			    scope == 2 ? "only an administrator" : "nobody");
	else
		text_puts(out, "the kernel does not allow to trace it (a security module, or it "
			       "has more rights than this process); " RUN);
}
