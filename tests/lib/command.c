/* SPDX-License-Identifier: MIT */
/* Shell commands in tests, see command.h. */
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>

#include "lib/check.h"
#include "lib/command.h"

const char *command_env(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		fail("there is no $%s: to be run by tests/run", name);
	return value;
}

static char *text(const char *format, va_list args)
{
	char *line;

	if (vasprintf(&line, format, args) < 0)
		fail("no memory");
	fflush(NULL);
	return line;
}

static int status_of(int r)
{
	return WIFSIGNALED(r) ? 128 + WTERMSIG(r) : WEXITSTATUS(r);
}

int command(const char *format, ...)
{
	va_list args;
	char *line;
	int r;

	va_start(args, format);
	line = text(format, args);
	va_end(args);
	r = system(line);
	free(line);
	return status_of(r);
}

void command_ok(const char *format, ...)
{
	va_list args;
	char *line;
	int r;

	va_start(args, format);
	line = text(format, args);
	va_end(args);
	r = system(line);
	if (r)
		fail("status %d: %s", status_of(r), line);
	free(line);
}

char *command_output(const char *format, ...)
{
	char *line, *output = NULL;
	size_t size = 0;
	va_list args;
	FILE *pipe;
	int r;

	va_start(args, format);
	line = text(format, args);
	va_end(args);
	pipe = popen(line, "re");
	if (!pipe)
		fail("cannot run: %s", line);
	if (getdelim(&output, &size, '\0', pipe) < 0) {
		free(output);
		output = strdup("");
	}
	r = pclose(pipe);
	if (r)
		fail("status %d: %s", status_of(r), line);
	free(line);
	return output;
}

bool command_exists(const char *program)
{
	return !command("command -v %s >/dev/null 2>&1", program);
}

bool command_is_reachable(void)
{
	if (!command_exists("setpriv"))
		return false;
	return !command("exec setpriv --reuid=65534 --regid=65534 --clear-groups "
			"test -r '%s/libulf.so'", command_env("ULF_BUILD"));
}
