/* SPDX-License-Identifier: MIT */
/* Find similar names for names that a user has mistyped. */
#include "cli/cli_suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_suggest_event(struct nearest *near, char *event, bool has_system)
{
	char *name = strchr(event, ':');

	if (has_system || !name) {
		nearest_offer(near, event);
		return;
	}
	nearest_offer(near, name + 1);
	*name = '\0';
	nearest_offer(near, event);
	*name = ':';
}

/* Offer the entries of a directory.  In @entries, the answer to ABI_SOCKET_READDIR, each
 * entry is 'd' or '-', the name and a NUL.  Returns true if one of the entries is the word
 * for which @near searches. */
static bool offer_entries(struct nearest *near, struct text *entries)
{
	const char *entry = text_str(entries), *end = entry + entries->len;

	for (; entry < end; entry += strlen(entry) + 1) {
		if (!*entry)
			continue;
		if (strlen(entry + 1) == near->len && !memcmp(entry + 1, near->word, near->len))
			return true;
		nearest_offer(near, entry + 1);
	}
	return false;
}

char *cli_suggest_path(struct conn *conn, const char *path)
{
	const char *name = path + strcspn(path, "/"), *near_name = NULL;
	char *dir, *found = NULL;
	struct nearest near;
	bool is_entry = true;

	while (is_entry && *name) {
		int dir_len = (int)(name - path);

		name += strspn(name, "/");
		nearest_init(&near, name, strcspn(name, "/"));
		if (!near.len || asprintf(&dir, "%.*s", dir_len, path) < 0)
			return NULL;
		is_entry = conn_path(conn, ABI_SOCKET_READDIR, dir) >= 0 &&
			   offer_entries(&near, &conn->data);
		free(dir);
		if (!is_entry)
			near_name = nearest_name(&near);
		if (near_name && asprintf(&found, "%.*s/%s", dir_len, path, near_name) < 0)
			found = NULL;
		name += near.len;
	}
	return found;
}
