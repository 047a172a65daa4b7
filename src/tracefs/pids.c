/* SPDX-License-Identifier: MIT */
/* The files set_event_pid, set_event_notrace_pid, set_ftrace_pid and set_ftrace_notrace_pid. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/apply.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/rules/pids.h"
#include "tracefs/files.h"

/* Parse a thread id as the kernel does: 0x10 (hexadecimal) and 010 (octal) are valid,
 * too.  If the number is too large, the error is -EPERM. */
static int parse_pid(const char *word, uint32_t *ret_pid)
{
	const char *digits = word + (*word == '+');
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*digits))
		return -EINVAL;
	errno = 0;
	value = strtoul(digits, &end, 0);
	if (errno || *end)
		return -EINVAL;
	if (value >= PIDS_MAX)
		return -EPERM;
	*ret_pid = (uint32_t)value;
	return 0;
}

/*
 * Parse the thread ids in @buf, up to the first NUL or the end.  Stores them in @pids,
 * which must have space for @size / 2 + 1 ids.  Returns the number of bytes used, or
 * -errno.
 */
static ssize_t parse_pids(const char *buf, size_t size, uint32_t *pids,
			  size_t *ret_nr)
{
	char word[TRACEFS_WORD_MAX + 1];
	size_t taken = 0;

	*ret_nr = 0;
	while (taken < size) {
		ssize_t n = tracefs_next_word(buf + taken, size - taken, word);
		int r;

		if (n < 0)
			return n;
		taken += (size_t)n;
		if (!*word)
			break;
		r = parse_pid(word, &pids[*ret_nr]);
		if (r)
			return r;
		++*ret_nr;
	}
	return (ssize_t)taken;
}

/* Return which list of threads (enum abi_pids_list) belongs to a file, by the file's
 * name. */
static enum abi_pids_list list_of(const struct tracefs_node *node)
{
	static const char *const files[ABI_PIDS_LISTS] = {
		[ABI_PIDS_TRACE] = "set_event_pid",
		[ABI_PIDS_NOTRACE] = "set_event_notrace_pid",
		[ABI_PIDS_FUNCTION] = "set_ftrace_pid",
		[ABI_PIDS_FUNCTION_NOTRACE] = "set_ftrace_notrace_pid",
	};
	enum abi_pids_list list = 0;

	while (strcmp(node->def->name, files[list]))
		list++;
	return list;
}

int event_pids_show(struct tracefs_node *node, struct text *out)
{
	pids_show(tracefs_instance(node), list_of(node), out);
	return 0;
}

ssize_t event_pids_store(struct tracefs_file *file, const char *buf, size_t size,
			 pid_t tid)
{
	uint32_t *pids;
	bool is_new;
	ssize_t taken;
	size_t nr;
	int r;

	(void)tid;
	if (file->node->root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	pids = malloc((size / 2 + 1) * sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	taken = parse_pids(buf, size, pids, &nr);
	if (taken > 0 && nr) {
		r = pids_add(tracefs_instance(file->node), list_of(file->node),
			     pids, nr, &is_new);
		if (r)
			taken = r;
		else if (is_new)
			tracefs_file_apply(file);
	}
	free(pids);
	return taken;
}

int event_pids_truncate(struct tracefs_file *file)
{
	if (!pids_drop(tracefs_instance(file->node), list_of(file->node)))
		return 0;
	tracefs_file_apply(file);
	apply_wait(&file->apply, APPLY_WAIT_NS);
	return 0;
}
