/* SPDX-License-Identifier: MIT */
/* ulf run: start the program, wait for its end, and forward signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run_impl.h"

/* Process id of the program; 0 if no program runs.  The signal handler forward_signal() reads
 * it, so run_child_start() writes it before it installs the handler. */
static volatile pid_t forward_to;

/* Signal handler: forward the signal to the program.  Exception: a signal from the kernel
 * (SI_KERNEL) is not forwarded, because when the terminal hangs up, the kernel also sends the
 * signal to the program. */
static void forward_signal(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code != SI_KERNEL && forward_to > 0)
		kill(forward_to, signal);
	errno = saved;
}

static void set_signal_handlers(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };

	action.sa_sigaction = forward_signal;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
}

/*
 * Allow the server's stopper to trace the program, for functions that can be patched only
 * while the program's threads are stopped.  With kernel.yama.ptrace_scope 1 the kernel allows
 * this to the ancestors of a process, and to one process that the traced process has named by
 * prctl(), and its descendants.  This permission survives exec(), until the program names
 * another process.  Without Yama prctl() fails, but no permission is needed.
 */
static void allow_stops(const struct run *run)
{
	int server = conn_peer_pid(&run->conn);

	if (server > 0)
		prctl(PR_SET_PTRACER, server, 0, 0, 0);
}

/* In the child process: execute the program.  If that fails, write the errno to @report_fd. */
static void exec_program(const struct run *run, char **argv, int report_fd,
			 const sigset_t *mask)
{
	char run_id[16];
	int error;

	snprintf(run_id, sizeof(run_id), "%u", run->id);
	setenv("ULF_DIR", run->conn.dir, 1);
	setenv("ULF_HOLD", run_id, 1);
	if (run->words.len)
		setenv("ULF_TRACE", text_str((struct text *)&run->words), 1);
	run_preload(run);
	allow_stops(run);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	while (write(report_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static int report_exec_error(const char *program, int error)
{
	const char *remedy = "";

	if (error == ENOENT && !strchr(program, '/'))
		remedy = "; a program that is not in PATH needs its directory: ./NAME";
	else if (error == EACCES)
		remedy = "; is it executable?";
	cli_error("%s: %s%s", program, strerror(error), remedy);
	return -error;
}

int run_child_start(struct run *run, char **argv)
{
	sigset_t all, mask;
	int report[2], error = 0;
	ssize_t len;

	if (pipe2(report, O_CLOEXEC) < 0) {
		cli_error("pipe: %m");
		return -errno;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	run->pid = fork();
	if (run->pid == 0)
		exec_program(run, argv, report[1], &mask);
	forward_to = run->pid;
	if (run->pid > 0)
		set_signal_handlers();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	if (run->pid < 0) {
		cli_error("fork: %m");
		close(report[0]);
		return -EAGAIN;
	}
	do {
		len = read(report[0], &error, sizeof(error));
	} while (len < 0 && errno == EINTR);
	close(report[0]);
	if (len == sizeof(error)) {
		waitpid(run->pid, NULL, 0);
		return report_exec_error(argv[0], error);
	}
	run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	if (run->pidfd < 0)
		run->is_live = run->is_printk = false;	/* without a pidfd, no records are
							 * printed before the program has
							 * ended */
	else
		fcntl(run->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int run_child_wait(struct run *run)
{
	int status = 0;

	while (waitpid(run->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	forward_to = 0;
	return status;
}

int run_child_repeat_end(int wait_status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;
	int sig;

	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	sig = WTERMSIG(wait_status);
	/* This process ends itself by the signal that has ended the program.  But it must not
	 * dump core, because the core dump of the program is enough. */
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}
