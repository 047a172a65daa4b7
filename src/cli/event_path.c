/* SPDX-License-Identifier: MIT */
/* Find the directory of an event; see event_path.h. */
#include "cli/event_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/cli_suggest.h"

/* Returns the length of the root's name at the start of the path.  The rest of the path names
 * an instance, which has no file available_events. */
static int root_len(const struct event_path *path)
{
	return (int)strcspn(path->root, "/");
}

/* Read available_events of the root, because instances do not have this file.  The caller
 * must call text_done(), also after an error.  Prints errors except -ENOMEM. */
static int read_events(struct conn *conn, const struct event_path *path, struct text *ret_events)
{
	char *file;
	int ret;

	text_init(ret_events, 0);
	if (asprintf(&file, "%.*s/available_events", root_len(path), path->root) < 0)
		return -ENOMEM;
	ret = conn_file_text(conn, file, ret_events);
	if (ret < 0)
		root_path_error(file, ret);
	free(file);
	return ret;
}

/* Print that the event @word does not exist, and the name of a similar event if there is one. */
static void report_no_event(struct conn *conn, const struct event_path *path, const char *word)
{
	const char *name = NULL;
	struct nearest near;
	struct text events;
	char *lines, *line;

	nearest_init(&near, word, strlen(word));
	if (read_events(conn, path, &events) >= 0) {
		for (lines = (char *)text_str(&events); (line = strsep(&lines, "\n")); )
			cli_suggest_event(&near, line, strchr(word, ':'));
		name = nearest_name(&near);
	}
	text_done(&events);
	if (name)
		cli_error("%s has no event %s; did you mean `%s`?", path->root, word, name);
	else
		cli_error("%s has no event %s; `ulf cat %.*s/available_events` lists them",
			  path->root, word, root_len(path), path->root);
}

/* Return true if the event of @line, a line SYSTEM:EVENT of available_events, is @word. */
static bool is_event(const char *line, const char *word)
{
	const char *colon = strchr(line, ':');

	return colon && !strcmp(colon + 1, word);
}

/* Find the only system with an event @word in @events, the text of available_events, which is
 * changed.  Prints errors. */
static int search_event(struct conn *conn, const struct event_path *path, char *events,
			const char *word, char **ret_name)
{
	const char *found = NULL;
	char *line;

	while ((line = strsep(&events, "\n"))) {
		if (!is_event(line, word))
			continue;
		if (found) {
			cli_error("%s: several systems have an event %s: name %s or %s",
				  path->root, word, found, line);
			return -EEXIST;
		}
		found = line;
	}
	if (!found) {
		report_no_event(conn, path, word);
		return -ENOENT;
	}
	*ret_name = strdup(found);
	return *ret_name ? 0 : -ENOMEM;
}

/* Find an event of which the user has written only the name, without the system. */
static int find_name(struct conn *conn, const char *word, struct event_path *path)
{
	struct text events;
	int ret;

	ret = read_events(conn, path, &events);
	if (ret >= 0)
		ret = search_event(conn, path, (char *)text_str(&events), word, &path->name);
	text_done(&events);
	return ret;
}

/* Make the path of the event's directory, and check that the directory exists. */
static int find_dir(struct conn *conn, struct event_path *path)
{
	char *colon = strchr(path->name, ':');
	int ret;

	if (asprintf(&path->dir, "%s/events/%.*s/%s", path->root, (int)(colon - path->name),
		     path->name, colon + 1) < 0) {
		path->dir = NULL;
		return -ENOMEM;
	}
	if (strchr(path->name, '/') || colon == path->name || !colon[1])
		ret = -ENOENT;
	else
		ret = conn_path(conn, ABI_SOCKET_READDIR, path->dir);
	if (ret < 0)
		report_no_event(conn, path, path->name);
	return ret < 0 ? ret : 0;
}

static int find_event(struct conn *conn, const char *word, struct event_path *path)
{
	char *separator;
	int ret = 0;

	if (!strpbrk(word, ":/")) {
		ret = find_name(conn, word, path);
	} else {
		path->name = strdup(word);
		separator = path->name ? strpbrk(path->name, ":/") : NULL;
		if (separator)
			*separator = ':';
		else
			ret = -ENOMEM;
	}
	return ret < 0 ? ret : find_dir(conn, path);
}

int event_path_find(struct conn *conn, const char *root_word, const char *event_word,
		    struct event_path *ret_path)
{
	int ret;

	*ret_path = (struct event_path){ NULL, NULL, NULL };
	ret = root_path(conn, root_word, &ret_path->root);
	if (ret < 0)
		return ret;
	for (size_t len = strlen(ret_path->root); len && ret_path->root[len - 1] == '/'; len--)
		ret_path->root[len - 1] = '\0';
	ret = find_event(conn, event_word, ret_path);
	if (ret == -ENOMEM)
		cli_error("out of memory");
	return ret;
}

void event_path_done(struct event_path *path)
{
	free(path->root);
	free(path->name);
	free(path->dir);
	*path = (struct event_path){ NULL, NULL, NULL };
}

char *event_path_file(const struct event_path *path, const char *name)
{
	char *file;

	return asprintf(&file, "%s/%s", path->dir, name) < 0 ? NULL : file;
}
