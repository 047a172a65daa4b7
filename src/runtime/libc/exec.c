/* SPDX-License-Identifier: MIT */
/*
 * Wrap the functions that start programs, for `ulf run --follow`.  Without this option the
 * wrappers only call libc's functions.
 *
 * The variables that make a program load libulf and ask for its settings are in the environment,
 * and most programs pass it on.  If a program starts another one with an environment of its own
 * (`env -i`), these functions add the variables again.  If libulf cannot be loaded into the other
 * program (exec_file.c), they take libulf out of its LD_PRELOAD, because it might not start, and
 * report it to the server.  The environment of the calling program does not change.
 *
 *	in the environment of the caller	in that of the new program
 *	ULF_HOLD of this run, or none		the variables, and libulf in LD_PRELOAD;
 *						or no libulf in LD_PRELOAD
 *	ULF_HOLD of another run			unchanged: that `ulf run` decides
 *	ULF_DISABLE				unchanged
 *
 * A child of vfork() shares the memory of its parent, and signal handlers may call execve().  So
 * the new environment is on the stack; the private variables are written during the start only;
 * and no lock is taken.
 *
 * Only libulf.so has these functions.  system() and popen() call functions inside of libc that
 * are not wrapped.  They start the shell with the variables that are in the environment.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "abi/socket.h"
#include "arch/arch.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/base/server_wait.h"
#include "runtime/follow.h"
#include "runtime/libc/exec_file.h"

#define PATH_BYTES	4096
#define ENV_MAX		8192u		/* maximum number of variables of an
					 * environment that is changed, because the
					 * new environment is on the stack */
#define PRELOAD		"LD_PRELOAD="
#define EXPORTED	__attribute__((visibility("default")))

/* ---- the variables of followed programs; written only during the start ---- */

/* The variables that a followed program needs, with their names. */
static const char *const names[] = { "ULF_DIR=", "ULF_TRACE=", "ULF_HOLD=", FOLLOW_VARIABLE "=" };
#define NAMES	(sizeof(names) / sizeof(names[0]))
#define RUN	2			/* index of ULF_HOLD */

static bool is_following;
static char *variables[NAMES];		/* the variables as "NAME=value"; NULL: the
					 * variable was not set */
static const char *libulf;		/* path of libulf.so; points into one of the
					 * variables */

static int (*next_execvpe)(const char *file, char *const argv[], char *const envp[]);
static int (*next_fexecve)(int fd, char *const argv[], char *const envp[]);
static int (*next_spawn[2])(pid_t *pid, const char *path,
			    const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attr, char *const argv[], char *const envp[]);

/* Returns the value of @variable if its name is @name, which ends in `=', else NULL. */
static const char *value_of(const char *variable, const char *name)
{
	size_t len = strlen(name);

	return strncmp(variable, name, len) ? NULL : variable + len;
}

/* Returns the last variable in @envp whose name is @name, or NULL. */
static const char *find_variable(char *const *envp, const char *name)
{
	const char *found = NULL, *value;

	for (; envp && *envp; envp++) {
		value = value_of(*envp, name);
		if (value)
			found = value;
	}
	return found;
}

/* Copy the variables, because the program may overwrite the memory of its first
 * environment. */
static bool copy_variables(void)
{
	const char *colon;

	for (size_t i = 0; i < NAMES; i++) {
		const char *value = find_variable(environ, names[i]);
		size_t bytes = value ? strlen(names[i]) + strlen(value) + 1 : 0;

		if (!value)
			continue;
		variables[i] = memory_alloc(bytes);
		if (!variables[i])
			return false;
		snprintf(variables[i], bytes, "%s%s", names[i], value);
	}
	/* The environment may contain the variable twice, in different forms. */
	colon = variables[NAMES - 1] ? strchr(variables[NAMES - 1], ':') : NULL;
	libulf = colon ? colon + 1 : NULL;
	return libulf;
}

static bool is_disabled(char *const *envp)
{
	const char *disable = find_variable(envp, "ULF_DISABLE=");

	return disable && *disable && strcmp(disable, "0");
}

static void find_next(void)
{
	*(void **)&next_execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&next_fexecve = dlsym(RTLD_NEXT, "fexecve");
	*(void **)&next_spawn[0] = dlsym(RTLD_NEXT, "posix_spawn");
	*(void **)&next_spawn[1] = dlsym(RTLD_NEXT, "posix_spawnp");
}

/* Find the functions of libc early: in a child of fork(), the lock of the dynamic linker may be
 * held for ever by a thread that does not exist in the child. */
__attribute__((constructor(101))) static void find_all(void)
{
	find_next();
	if (getauxval(AT_SECURE) || !follow_is_wanted() || is_disabled(environ))
		return;
	exec_file_init();
	is_following = copy_variables();
}

/* ---- the environment of the new program ---- */

/* Find libulf in @list, a value of LD_PRELOAD.  Returns its address in @list,
 * or NULL. */
static const char *find_libulf(const char *list)
{
	size_t len = strlen(libulf);

	for (const char *at = list; at && (at = strstr(at, libulf)); at += len)
		if ((at == list || at[-1] == ':' || at[-1] == ' ') &&
		    (!at[len] || at[len] == ':' || at[len] == ' '))
			return at;
	return NULL;
}

/* Write LD_PRELOAD for the new program to @to, which is large enough for @list and libulf.
 * @list: the value that it would have otherwise, or NULL.  Returns false if the new program
 * needs no LD_PRELOAD. */
static bool write_preload(char *to, const char *list, bool has_libulf)
{
	const char *at = list ? find_libulf(list) : NULL;
	size_t bytes = strlen(PRELOAD) + strlen(libulf) + (list ? strlen(list) : 0) + 2;

	if (has_libulf && at)
		snprintf(to, bytes, PRELOAD "%s", list);
	else if (has_libulf)
		snprintf(to, bytes, PRELOAD "%s%s%s", libulf, list && *list ? ":" : "",
			 list ? list : "");
	else if (!at)
		snprintf(to, bytes, PRELOAD "%s", list ? list : "");
	else
		snprintf(to, bytes, PRELOAD "%.*s%s", (int)(at - list), list,
			 at + strlen(libulf) + (at[strlen(libulf)] ? 1 : 0));
	return to[strlen(PRELOAD)];
}

/* Store in @to the environment of the new program: the variables of @envp with another
 * LD_PRELOAD and, if the program is followed, with the variables that @envp lacks. */
static void make_env(char **to, char *const *envp, char *preload, bool is_followed)
{
	char *const *all = envp;

	for (; *envp; envp++)
		if (!value_of(*envp, PRELOAD))
			*to++ = *envp;
	if (preload)
		*to++ = preload;
	for (size_t i = 0; is_followed && i < NAMES; i++)
		if (variables[i] && !find_variable(all, names[i]))
			*to++ = variables[i];
	*to = NULL;
}

/* Returns true if the environment of the new program needs no change. */
static bool is_env_right(char *const *envp, const char *list, bool is_followed)
{
	bool has_libulf = list && find_libulf(list);

	for (size_t i = 0; is_followed && i < NAMES; i++)
		if (variables[i] && !find_variable(envp, names[i]))
			return false;
	return has_libulf == is_followed;
}

/* ---- start a program ---- */

struct exec_call {
	long (*run)(const struct exec_call *call, char *const *envp);
	const char *file;		/* path of the file; or, if @is_searched is
					 * true, a name that is searched in PATH */
	int dir;			/* descriptor of the directory of a relative
					 * path, or of an open program */
	int flags;			/* flags of execveat() */
	bool is_searched;
	char *const *argv, *const *envp;
	pid_t *pid;			/* @pid, @actions, @attr: arguments of posix_spawn() */
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attr;
};

/* Returns 0 if libulf can be loaded into the program, else enum abi_unfollowed or
 * -ENOENT. */
static long check_program(const struct exec_call *call)
{
	char path[PATH_BYTES];
	long ret = 0;

	/* Check that the path of libulf.so is still valid: the program may have changed its
	 * root directory. */
	if (arch_syscall3(SYS_faccessat, AT_FDCWD, libulf, R_OK))
		return ABI_UNFOLLOWED_PATH;
	if (call->flags & AT_EMPTY_PATH && !*call->file) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", call->dir);
		return exec_file_check(AT_FDCWD, path);
	}
	if (!call->is_searched || strchr(call->file, '/'))
		return exec_file_check(call->dir, call->file);
	ret = exec_file_find(call->file, path, sizeof(path));
	return ret ? ret : exec_file_check(AT_FDCWD, path);
}

static void report_unfollowed(const struct exec_call *call, long reason)
{
	const char *name = strrchr(call->file, '/');

	if (reason > ABI_UNFOLLOWED && root_control)
		server_report_unfollowed((uint32_t)strtoul(value_of(variables[RUN], names[RUN]),
							   NULL, 10),
					 (uint32_t)reason, name ? name + 1 : call->file);
}

/* Start the program with a changed environment.  The new environment, and
 * LD_PRELOAD in it, are on the stack. */
static long start_changed(const struct exec_call *call, size_t nr, bool is_followed)
{
	const char *list = find_variable(call->envp, PRELOAD);
	char preload[strlen(PRELOAD) + strlen(libulf) + (list ? strlen(list) : 0) + 2];
	bool has_preload = write_preload(preload, list, is_followed);
	char *env[nr + NAMES + 2];

	make_env(env, call->envp, has_preload ? preload : NULL, is_followed);
	return call->run(call, env);
}

static long start_followed(const struct exec_call *call)
{
	const char *list = find_variable(call->envp, PRELOAD);
	long reason;
	size_t nr = 0;

	while (call->envp[nr])
		nr++;
	if (nr > ENV_MAX || (list && strlen(list) > PATH_BYTES)) {
		report_unfollowed(call, ABI_UNFOLLOWED_ENV);
		return call->run(call, call->envp);
	}
	reason = check_program(call);
	report_unfollowed(call, reason);
	/* There is no such file, so the call will probably fail: pass it on unchanged. */
	if (reason < 0)
		return call->run(call, call->envp);
	return is_env_right(call->envp, list, !reason) ? call->run(call, call->envp) :
							 start_changed(call, nr, !reason);
}

static long start_program(const struct exec_call *call)
{
	const char *run_id;

	if (!is_following || !call->envp || !call->file)
		return call->run(call, call->envp);
	run_id = find_variable(call->envp, names[RUN]);
	if ((run_id && strcmp(run_id, value_of(variables[RUN], names[RUN]))) ||
	    is_disabled(call->envp))
		return call->run(call, call->envp);
	return start_followed(call);
}

/* ---- the functions of libc ---- */

static long set_errno(long ret)
{
	if (!arch_is_error(ret))
		return ret;
	errno = (int)-ret;
	return -1;
}

static long run_execve(const struct exec_call *call, char *const *envp)
{
	return set_errno(arch_syscall3(SYS_execve, call->file, call->argv, envp));
}

static long run_execveat(const struct exec_call *call, char *const *envp)
{
	return set_errno(arch_syscall6(SYS_execveat, call->dir, (long)call->file, (long)call->argv,
				       (long)envp, call->flags, 0));
}

/* A constructor of another library may start a program before libulf's constructors have run. */
static long run_execvpe(const struct exec_call *call, char *const *envp)
{
	if (!next_execvpe)
		find_next();
	return next_execvpe(call->file, call->argv, envp);
}

/* Call libc's function, because it checks its arguments, and works without execveat() if
 * a filter refuses that call. */
static long run_fexecve(const struct exec_call *call, char *const *envp)
{
	if (!next_fexecve)
		find_next();
	return next_fexecve(call->dir, call->argv, envp);
}

static long run_spawn(const struct exec_call *call, char *const *envp)
{
	if (!next_spawn[call->is_searched])
		find_next();
	return next_spawn[call->is_searched](call->pid, call->file, call->actions, call->attr,
					     call->argv, envp);
}

EXPORTED int execve(const char *path, char *const argv[], char *const envp[])
{
	const struct exec_call call = {
		.run = run_execve, .file = path, .dir = AT_FDCWD, .argv = argv, .envp = envp,
	};

	return (int)start_program(&call);
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	const struct exec_call call = {
		.run = run_execveat, .file = path, .dir = dir, .flags = flags, .argv = argv,
		.envp = envp,
	};

	return (int)start_program(&call);
}

EXPORTED int fexecve(int fd, char *const argv[], char *const envp[])
{
	const struct exec_call call = {
		.run = run_fexecve, .file = "", .dir = fd, .flags = AT_EMPTY_PATH, .argv = argv,
		.envp = envp,
	};

	return (int)start_program(&call);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const envp[])
{
	const struct exec_call call = {
		.run = run_execvpe, .file = file, .dir = AT_FDCWD, .is_searched = true,
		.argv = argv, .envp = envp,
	};

	return (int)start_program(&call);
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

static int spawn_program(bool is_searched, pid_t *pid, const char *path,
			 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
			 char *const argv[], char *const envp[])
{
	const struct exec_call call = {
		.run = run_spawn, .file = path, .dir = AT_FDCWD, .is_searched = is_searched,
		.argv = argv, .envp = envp, .pid = pid, .actions = actions, .attr = attr,
	};

	return (int)start_program(&call);
}

EXPORTED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return spawn_program(false, pid, path, actions, attr, argv, envp);
}

EXPORTED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return spawn_program(true, pid, file, actions, attr, argv, envp);
}

/* ---- execl() and so on: functions that get the arguments of the new program
 * one by one ---- */

/* Count the arguments after @first, without the NULL at their end. */
static size_t count_args(const char *first, va_list args)
{
	size_t nr = 0;

	while (first) {
		nr++;
		first = va_arg(args, const char *);
	}
	return nr;
}

/* Store the arguments in @argv, including the NULL at their end. */
static void copy_args(char **argv, const char *first, va_list args)
{
	for (*argv = (char *)first; *argv; *++argv = va_arg(args, char *))
		;
}

/* Copy the arguments of a call of execl() and so on to argv, a new array on the stack.
 * Afterwards @args is at the parameter after the NULL. */
#define ARGV_OF_CALL(first, args)			\
	va_start(args, first);				\
	size_t nr_args = count_args(first, args);	\
	va_end(args);					\
	char *argv[nr_args + 1];			\
	va_start(args, first);				\
	copy_args(argv, first, args)

EXPORTED int execl(const char *path, const char *arg, ...)
{
	va_list args;

	ARGV_OF_CALL(arg, args);
	va_end(args);
	return execve(path, argv, environ);
}

EXPORTED int execlp(const char *file, const char *arg, ...)
{
	va_list args;

	ARGV_OF_CALL(arg, args);
	va_end(args);
	return execvpe(file, argv, environ);
}

EXPORTED int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list args;

	ARGV_OF_CALL(arg, args);
	envp = va_arg(args, char *const *);
	va_end(args);
	return execve(path, argv, envp);
}
