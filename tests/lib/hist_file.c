/* SPDX-License-Identifier: MIT */
/* Read the file `hist`, see hist_file.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/check.h"
#include "lib/command.h"
#include "lib/hist_file.h"

/* Returns what `ulf cat` prints, or NULL if it fails. */
static char *cat(const char *path)
{
	char command[512], *text = NULL;
	size_t size = 0;
	ssize_t len;
	FILE *pipe;

	snprintf(command, sizeof(command), "exec ulf cat '%s' 2>\"$TMPDIR/hist_file.err\"", path);
	pipe = popen(command, "re");
	CHECK(pipe);
	len = getdelim(&text, &size, '\0', pipe);
	if (pclose(pipe) == 0)
		return len < 0 ? strdup("") : text;
	free(text);
	return NULL;
}

/* Cut the next line off *@rest.  Returns NULL at the end. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = line ? strchr(line, '\n') : NULL;

	if (!line || !*line)
		return NULL;
	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static void add_line(struct hist_file_table *table, char *line)
{
	if (table->nr_lines % 64 == 0) {
		table->lines = realloc(table->lines,
				       (table->nr_lines + 64) * sizeof(*table->lines));
		CHECK(table->lines);
	}
	table->lines[table->nr_lines++] = line;
}

/* Join the line @line, which onmax() or snapshot() has added, to the entry before it. */
static void join_line(struct hist_file_table *table, char *line)
{
	if (table->nr_lines)
		line[-1] = ' ';
}

static void check_table(const struct hist_file_table *table)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < table->nr_lines; i++)
		hits += hist_file_number(table->lines[i], "hitcount");
	CHECK_EQ(table->nr_lines, table->entries);
	CHECK_EQ(hits, table->hits);
}

static void parse(struct hist_file *file)
{
	struct hist_file_table *table = NULL;
	char *rest = file->text, *line;

	while ((line = next_line(&rest))) {
		if (!strcmp(line, "# event histogram")) {
			CHECK(file->nr_tables < HIST_FILE_TABLES);
			table = &file->tables[file->nr_tables++];
		}
		CHECK(table);
		if (!strncmp(line, "# trigger info: ", 16))
			table->trigger = line + 16;
		else if (line[0] == '{')
			add_line(table, line);
		else if (line[0] == '\t')
			join_line(table, line);
		else if (!strncmp(line, "    Hits: ", 10))
			table->hits = hist_file_number(line, "Hits");
		else if (!strncmp(line, "    Entries: ", 13))
			table->entries = hist_file_number(line, "Entries");
		else if (!strncmp(line, "    Dropped: ", 13))
			table->dropped = hist_file_number(line, "Dropped");
	}
	for (size_t i = 0; i < file->nr_tables; i++)
		check_table(&file->tables[i]);
}

bool hist_file_try(struct hist_file *file, const char *path)
{
	*file = (struct hist_file){ .text = cat(path) };
	if (!file->text)
		return false;
	parse(file);
	return true;
}

void hist_file_read(struct hist_file *file, const char *path)
{
	if (!hist_file_try(file, path))
		fail("ulf cat %s fails: %s", path,
		     command_output("cat \"$TMPDIR/hist_file.err\""));
}

void hist_file_free(struct hist_file *file)
{
	for (size_t i = 0; i < file->nr_tables; i++)
		free(file->tables[i].lines);
	free(file->text);
	file->text = NULL;
}

uint64_t hist_file_number(const char *line, const char *name)
{
	size_t len = strlen(name);
	const char *at = line;

	while ((at = strstr(at, name))) {
		if (at[len] == ':' && (at == line || at[-1] == ' ' || at[-1] == '\t'))
			return strtoull(at + len + 1, NULL, 0);
		at += len;
	}
	fail("no %s in: %s", name, line);
}
