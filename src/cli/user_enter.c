/* SPDX-License-Identifier: MIT */
/* ulf --user: start a child process that becomes another user, and watch it; see user.h. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/fds.h"
#include "base/posix_clock.h"
#include "cli/user.h"

#define LOOK_MS		200			/* time between two checks of the child
						 * process, ms */
#define QUIET_MS	15000			/* time without progress after which the child
						 * process is killed, ms */
#define TOTAL_MS	300000			/* time limit for a command, ms; commands with
						 * cli_cmd.may_take_long have none */
#define END_MS		1000			/* longest wait for the end of a child process
						 * that was killed, ms */
#define END_LOOK_MS	10			/* time between two checks whether a killed
						 * child process has ended, ms */

static int progress_fd = -1;		/* in the child process: descriptor of the pipe to the
					 * parent, by which the child reports progress; -1 in
					 * other processes */

bool user_is_entered(void)
{
	return progress_fd >= 0;
}

void user_progress(enum user_progress progress)
{
	char byte = (char)progress;

	/* A full pipe is no error: the bytes in it already report progress to the parent. */
	if (progress_fd >= 0 && write(progress_fd, &byte, 1) < 0 && errno == EPIPE)
		_exit(CLI_FAILED);
}

/* ---- the child ---- */

/* Remove all environment variables except harmless ones.  A server that this process starts
 * inherits the environment, and the user can read the server's environment. */
static int clean_environment(const struct user *user)
{
	static const char *const kept[] = { "TERM", "TZ", "LANG", "LC_ALL", "COLUMNS" };
	char *values[sizeof(kept) / sizeof(*kept)];
	size_t i, nr = sizeof(kept) / sizeof(*kept);

	for (i = 0; i < nr; i++) {
		const char *value = getenv(kept[i]);

		values[i] = value ? strdup(value) : NULL;
	}
	if (clearenv())
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		if (values[i])
			setenv(kept[i], values[i], 1);
		free(values[i]);
	}
	setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	setenv("USER", user->name, 1);
	setenv("LOGNAME", user->name, 1);
	if (*user->home)
		setenv("HOME", user->home, 1);
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/*
 * Forbid ioctls that insert input into a terminal: TIOCSTI, and TIOCLINUX on a console.
 * Standard output may be the terminal of user id 0.  This process does not use these ioctls.
 * The filter protects the terminal if the other user finds a way to run code in this process.
 *
 * With CAP_SYS_ADMIN a filter does not require no_new_privs, so a server that this
 * process starts can run the set-uid program fusermount3.  Without CAP_SYS_ADMIN (user
 * id 0 in a container) no_new_privs is set, and such a server cannot mount.
 */
static int forbid_terminal_input(void)
{
#define SECCOMP_AT(member)	(unsigned int)offsetof(struct seccomp_data, member)
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECCOMP_AT(arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 0, 7),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECCOMP_AT(nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 5, 0),	/* x32 ABI */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		/* Compare only the lower 32 bits of the ioctl number, as the kernel
		 * does. */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SECCOMP_AT(args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return 0;
	if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
#undef SECCOMP_AT
}

/* Replace standard input by /dev/null, because commands that run as another user do not read
 * it. */
static int close_stdin(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		return -errno;
	close(null);
	return 0;
}

static int set_user_ids(const struct user *user)
{
	uid_t real, effective, saved;

	/* If fs.suid_dumpable is 1, setresuid() makes the process dumpable, so that the user
	 * could ptrace it.  A user cannot ptrace a process that has capabilities.  So keep
	 * the capabilities until PR_SET_DUMPABLE has made the process undumpable again. */
	if (prctl(PR_SET_KEEPCAPS, 1) < 0)
		return -errno;
	if ((user->is_known ? initgroups(user->name, user->gid) : setgroups(0, NULL)) < 0 ||
	    setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	if (getresuid(&real, &effective, &saved) < 0 || real != user->uid ||
	    effective != user->uid || saved != user->uid)
		return -EPERM;
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	return drop_capabilities();
}

int user_become(const struct user *user, int keep_fd, int parent)
{
	const struct rlimit none = { 0, 0 };
	int ret;

	fds_keep(keep_fd);
	ret = close_stdin();
	if (!ret)
		ret = forbid_terminal_input();
	if (ret < 0)
		return ret;
	setrlimit(RLIMIT_CORE, &none);
	umask(077);
	if (chdir("/") < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return -errno;
	ret = set_user_ids(user);
	if (ret < 0)
		return ret;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	if (getppid() != parent)
		return -ESRCH;
	/* Try to get user id 0 back.  This call must fail.  If it succeeds, this process has
	 * not given up user id 0 for good. */
	if (setresuid(-1, 0, -1) == 0)
		return -EPERM;
	/* Leave the session keyring of user id 0.  A failure is ignored: it means that
	 * the kernel has no keyrings. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	return clean_environment(user);
}

/* ---- the parent ---- */

/* Read the child's reports of progress from the pipe.  Returns false if the child has closed
 * the pipe. */
static bool read_progress(int fd, bool *ret_streams)
{
	char bytes[256];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0 && memchr(bytes, USER_STREAMS, (size_t)n))
		*ret_streams = true;
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Return true for a signal that usually ends a command, for example after ^C, after the
 * terminal was closed, or in `ulf ... | head`. */
static bool is_usual_end_signal(int signal)
{
	return signal == SIGPIPE || signal == SIGINT || signal == SIGHUP || signal == SIGTERM;
}

static int exit_status_of_child(const struct user *user, int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (is_usual_end_signal(WTERMSIG(status)))
		return 128 + WTERMSIG(status);
	cli_error("the command for %s was ended by signal %d; that user can send it signals",
		  user->name, WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

bool user_end_child(pid_t pid)
{
	const struct timespec pause = { 0, END_LOOK_MS * 1000000L };
	int i;

	kill(pid, SIGKILL);
	for (i = 0; i < END_MS / END_LOOK_MS; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int kill_child_and_report(const struct user *user, pid_t pid, const char *why)
{
	bool has_ended = user_end_child(pid);

	cli_error("the command for user %s was killed: %s", user->name, why);
	if (!has_ended)
		cli_error("its process %d could not be killed: it waits for a file system of %s",
			  (int)pid, user->name);
	return CLI_FAILED;
}

/* Wait for progress of the child, at most @wait_ms.  Returns the time that has passed, but at
 * most @wait_ms, in ms.  So if ^Z stops this process, the time in which it is stopped does
 * not count. */
static int wait_for_progress(struct pollfd *poll_fd, int wait_ms, int *ret_ready)
{
	uint64_t start = clock_monotonic_ms(), passed;

	*ret_ready = poll(poll_fd, 1, wait_ms);
	passed = clock_monotonic_ms() - start;
	return passed > (uint64_t)wait_ms ? wait_ms : (int)passed;
}

/*
 * Wait for the end of the command.  Returns the exit status of the command.  When the child
 * exits, the pipe ends, so after the end of the pipe this function checks the child more
 * often.  But the child may end much later, because it may still wait for a file system of
 * the user.
 */
static int watch_child(const struct user *user, const struct cli_cmd *cmd, pid_t pid, int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int quiet_ms = 0, total_ms = 0, wait_ms = LOOK_MS;
	bool streams = false;
	int status, passed_ms, ready;

	for (;;) {
		passed_ms = wait_for_progress(&poll_fd, wait_ms, &ready);
		quiet_ms += passed_ms;
		total_ms += passed_ms;
		if (ready > 0 && read_progress(fd, &streams)) {
			quiet_ms = 0;
		} else if (ready > 0) {
			poll_fd.fd = -1;	/* the pipe has ended: let poll() ignore it */
			quiet_ms = 0;
			streams = false;
			wait_ms = 1;
		} else if (wait_ms < LOOK_MS) {
			wait_ms *= 2;
		}
		if (waitpid(pid, &status, WNOHANG) == pid)
			return exit_status_of_child(user, status);
		if (!streams && quiet_ms >= QUIET_MS)
			return kill_child_and_report(user, pid,
						     "nothing has come for 15 s; "
						     "`ps -u` shows whether a server "
						     "of that user hangs");
		if (!cmd->may_take_long && total_ms >= TOTAL_MS)
			return kill_child_and_report(user, pid, "it took more than 300 s");
		if (cmd->may_take_long)
			total_ms = 0;
		if (streams)
			quiet_ms = 0;
	}
}

static int start_child_as_user(const struct user *user, const struct cli_cmd *cmd)
{
	int pipe_fds[2], ret, parent = getpid();
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0) {
		cli_error("pipe: %m");
		return CLI_FAILED;
	}
	signal(SIGCHLD, SIG_DFL);	/* SIGCHLD must not be ignored, because waitpid()
					 * would then get no status */
	pid = fork();
	if (pid < 0) {
		cli_error("fork: %m");
		return CLI_FAILED;
	}
	if (pid == 0) {
		ret = user_become(user, pipe_fds[1], parent);
		if (ret < 0) {
			cli_error("cannot become %s: %s", user->name, strerror(-ret));
			_exit(CLI_FAILED);
		}
		progress_fd = pipe_fds[1];
		return -1;
	}
	close(pipe_fds[1]);
	return watch_child(user, cmd, pid, pipe_fds[0]);
}

int user_enter(const char *word, const struct cli_cmd *cmd)
{
	struct user user;

	if (!cmd->is_for_users) {
		cli_error("`ulf --user` has no `%s`; `runuser --pty -u %s -- ulf %s ...` runs it "
			  "as that user", cmd->name, word, cmd->name);
		return CLI_USAGE;
	}
	if (user_find(word, &user) < 0)
		return CLI_FAILED;
	/* Ignore $ULF_DIR: it is a directory of the user who has typed the command, not of
	 * @user. */
	unsetenv("ULF_DIR");
	if (user.uid == geteuid())
		return -1;
	if (geteuid() != 0) {
		cli_error("--user %s: only root can look at the roots of another user", word);
		return CLI_FAILED;
	}
	fflush(stdout);
	return start_child_as_user(&user, cmd);
}
