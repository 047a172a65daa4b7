/* SPDX-License-Identifier: MIT */
/*
 * Runs open(2) and some write(2)s or a read(2), and prints the result of each, for scripts: a
 * shell shows neither the errno nor the number of bytes.
 *
 *   tfs open FLAGS FILE            ok, or the errno's name
 *   tfs write FLAGS FILE DATA...   a line for each write: bytes taken, or errno
 *   tfs read FLAGS FILE [BYTES]    the result of one read, or errno
 *   tfs poll FLAGS FILE MS         IN, none, or the other results of poll(2)
 *   tfs mark FILE TEXT N           N writes of `TEXT <number>', numbers from 1
 *   tfs mkdir|rmdir|unlink|creat PATH, tfs rename FROM TO   ok, or errno
 *
 * FLAGS: r read, w write, t O_TRUNC, a O_APPEND, n O_NONBLOCK.  DATA may contain
 * \n, \t, \\ and \xHH.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *error_name(void)
{
	const char *name = strerrorname_np(errno);

	return name ? name : "unknown errno";
}

static int open_file(const char *flags, const char *path)
{
	int bits = 0;

	for (const char *at = flags; *at; at++)
		switch (*at) {
		case 't': bits |= O_TRUNC; break;
		case 'a': bits |= O_APPEND; break;
		case 'n': bits |= O_NONBLOCK; break;
		case 'r': case 'w': break;
		default:
			fprintf(stderr, "tfs: what is `%c'?\n", *at);
			exit(2);
		}
	if (strchr(flags, 'w'))
		bits |= strchr(flags, 'r') ? O_RDWR : O_WRONLY;
	return open(path, bits | O_CLOEXEC);
}

static size_t decode(const char *text, char *out)
{
	char *start = out;

	while (*text) {
		char *end;

		if (*text != '\\') {
			*out++ = *text++;
			continue;
		}
		text++;
		switch (*text) {
		case 'n': *out++ = '\n'; text++; break;
		case 't': *out++ = '\t'; text++; break;
		case '\\': *out++ = '\\'; text++; break;
		case 'x': {
			char hex[3] = { 0 };

			strncpy(hex, text + 1, 2);
			*out++ = (char)strtoul(hex, &end, 16);
			text += 1 + (end - hex);
			break;
		}
		default:
			fprintf(stderr, "tfs: what is `\\%s'?\n", text);
			exit(2);
		}
	}
	return (size_t)(out - start);
}

static void write_one(int fd, const char *data)
{
	char *bytes = malloc(strlen(data) + 1);
	ssize_t n;

	if (!bytes)
		exit(2);
	n = write(fd, bytes, decode(data, bytes));
	if (n < 0)
		puts(error_name());
	else
		printf("%zd\n", n);
	free(bytes);
}

static int read_one(int fd, size_t bytes)
{
	char *buf = malloc(bytes + 1);
	ssize_t n;

	if (!buf)
		return 2;
	n = read(fd, buf, bytes);
	if (n < 0)
		puts(error_name());
	else
		fwrite(buf, 1, (size_t)n, stdout);
	free(buf);
	return 0;
}

static int poll_one(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n = poll(&pfd, 1, ms);

	if (n < 0)
		puts(error_name());
	else if (!n)
		puts("none");
	else
		printf("%s%s%s\n", pfd.revents & POLLIN ? "IN" : "",
		       pfd.revents & POLLERR ? " ERR" : "",
		       pfd.revents & POLLHUP ? " HUP" : "");
	return 0;
}

static int mark(int fd, const char *text, int count)
{
	char line[256];

	for (int i = 1; i <= count; i++) {
		int len = snprintf(line, sizeof(line), "%s %d", text, i);

		if (write(fd, line, (size_t)len) != len) {
			printf("write %d: %s\n", i, error_name());
			return 1;
		}
	}
	return 0;
}

static int make_dir(const char *path, const char *unused)
{
	(void)unused;
	return mkdir(path, 0755);
}

static int remove_dir(const char *path, const char *unused)
{
	(void)unused;
	return rmdir(path);
}

static int remove_file(const char *path, const char *unused)
{
	(void)unused;
	return unlink(path);
}

static int make_file(const char *path, const char *unused)
{
	(void)unused;
	return creat(path, 0644);
}

static int make_node(const char *path, const char *unused)
{
	(void)unused;
	return mknod(path, S_IFREG | 0644, 0);
}

static const struct {
	const char *name;
	int nr_args;
	int (*call)(const char *path, const char *to);
} name_calls[] = {
	{ "mkdir", 3, make_dir },
	{ "rmdir", 3, remove_dir },
	{ "unlink", 3, remove_file },
	{ "creat", 3, make_file },
	{ "mknod", 3, make_node },
	{ "rename", 4, rename },
};

/* Calls that change names, and need no open file. */
static bool call_by_name(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(name_calls) / sizeof(name_calls[0]); i++) {
		if (argc != name_calls[i].nr_args || strcmp(argv[1], name_calls[i].name) != 0)
			continue;
		puts(name_calls[i].call(argv[2], argv[3]) < 0 ? error_name() : "ok");
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc > 1 && call_by_name(argc, argv))
		return 0;
	if (argc < 4) {
		fprintf(stderr, "usage: tfs COMMAND FLAGS FILE ...\n");
		return 2;
	}
	if (!strcmp(argv[1], "mark")) {
		fd = open_file("w", argv[2]);
		if (fd < 0) {
			puts(error_name());
			return 1;
		}
		return mark(fd, argv[3], argc > 4 ? atoi(argv[4]) : 1);
	}
	fd = open_file(argv[2], argv[3]);
	if (fd < 0) {
		puts(error_name());
		return 0;
	}
	if (!strcmp(argv[1], "write"))
		for (int i = 4; i < argc; i++)
			write_one(fd, argv[i]);
	else if (!strcmp(argv[1], "read"))
		return read_one(fd, argc > 4 ? (size_t)atol(argv[4]) : 65536);
	else if (!strcmp(argv[1], "poll"))
		return poll_one(fd, argc > 4 ? atoi(argv[4]) : 0);
	else if (!strcmp(argv[1], "open"))
		puts("ok");
	else
		return 2;
	return 0;
}
