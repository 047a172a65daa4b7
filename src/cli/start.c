/* SPDX-License-Identifier: MIT */
/* Starting a server: this program again, as `ulf server --background`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conn.h"

int start_server(const char *dir)
{
	char *const argv[] = {
		(char *)"ulf", (char *)"server", (char *)"--background", NULL
	};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setenv("ULF_DIR", dir, 1);
		/* with libulf preloaded it would be a root of its own */
		setenv("ULF_DISABLE", "1", 1);
		execv("/proc/self/exe", argv);
		cli_error("/proc/self/exe: %m; is /proc mounted?");
		_exit(127);
	}
	if (pid < 0) {
		cli_error("cannot start a server: fork: %m");
		return -errno;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	/* It has said what is wrong. */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}
