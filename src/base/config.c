/* SPDX-License-Identifier: MIT */
/* Find ulf.conf, and pick the lines that apply to a program; see config.h. */
#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"

#define PATH_BYTES	4096
#define FILE_BYTES	8192
#define BLANKS		" \t\r"

/* Get the path of the file ulf.conf.  If $ULF_CONFIG is empty there is no such file,
 * and the path is "". */
static int find_config_file(char path[PATH_BYTES])
{
	const char *file = getenv("ULF_CONFIG");
	const char *dir = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int len;

	if (file)
		len = snprintf(path, PATH_BYTES, "%s", file);
	else if (dir && *dir)
		len = snprintf(path, PATH_BYTES, "%s/ulf.conf", dir);
	else
		len = snprintf(path, PATH_BYTES, "%s/.config/ulf.conf",
			       home ? home : "");
	return len < PATH_BYTES ? 0 : -ENAMETOOLONG;
}

/* Read the whole file @path to @text and append a NUL.  Returns 0; -E2BIG if the file
 * is too large; -EINVAL if it is not a regular file; or -errno. */
static int read_config_file(const char *path, char text[FILE_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t n;
	int r = 0;

	if (fd < 0)
		return -errno;
	n = fstat(fd, &st) ? -1 : read(fd, text, FILE_BYTES);
	if (n < 0)
		r = -errno;
	else if (!S_ISREG(st.st_mode))
		r = -EINVAL;
	else if (n == FILE_BYTES)
		r = -E2BIG;
	else
		text[n] = '\0';
	close(fd);
	return r;
}

/* Append @line and a blank at *@at, and move *@at to the end of the blank.  Returns
 * -E2BIG if there is no space for both before @end. */
static int append_config_line(const char *line, char **at, const char *end)
{
	size_t len = strlen(line);

	if (len + 1 >= (size_t)(end - *at))
		return -E2BIG;
	*at = mempcpy(*at, line, len);
	*(*at)++ = ' ';
	return 0;
}

/*
 * Copy the lines that apply to @program to @words: the lines before the first
 * [GLOB], and the lines after each [GLOB] that matches @program.  Comments and empty
 * lines are skipped.
 */
static int select_config_lines(char *text, const char *program, char *words, size_t bytes)
{
	char *at = words, *save, *line = strtok_r(text, "\n", &save);
	bool is_ours = true;
	int r = 0;

	for (; line && !r; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, BLANKS);
		if (*line == '[')
			is_ours = glob_match_n(line + 1, strcspn(line + 1, "]"),
					       program);
		else if (*line && *line != '#' && is_ours)
			r = append_config_line(line, &at, words + bytes);
	}
	*(r ? words : at) = '\0';
	return r;
}

int config_words(const char *program, char *ret_words, size_t bytes)
{
	char path[PATH_BYTES], text[FILE_BYTES];
	int r = find_config_file(path);

	*ret_words = '\0';
	if (!r && !*path)
		return 0;
	if (!r)
		r = read_config_file(path, text);
	if (!r)
		return select_config_lines(text, program, ret_words, bytes);
	return r == -E2BIG || getenv("ULF_CONFIG") ? r : 0;
}
