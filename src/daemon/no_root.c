/* SPDX-License-Identifier: MIT */
/* Keep a list of programs that could not make a root; see no_root.h. */
#include "daemon/no_root.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "server/core/roots.h"
#include "server/core/server_roots.h"

void no_roots_add(struct no_roots *list, uint32_t run_id, uint32_t pid, uint32_t error,
		  const char *name)
{
	struct abi_no_root row = { .pid = pid, .error = error };

	snprintf(row.comm, sizeof(row.comm), "%s", name);
	for (uint32_t i = 0; i < NO_ROOTS; i++) {
		struct abi_no_root *old = &list->last[i].row;

		if (list->last[i].run_id == run_id && old->error == error &&
		    !strcmp(old->comm, row.comm)) {
			old->pid = pid;
			return;
		}
	}
	list->last[list->next].run_id = run_id;
	list->last[list->next].row = row;
	list->next = (list->next + 1) % NO_ROOTS;
}

void no_roots_show(const struct no_roots *list, uint32_t run_id,
		   struct server *server, struct text *out)
{
	struct abi_no_root missed = { .error = (uint32_t)-server_roots(server)->missed };

	for (uint32_t i = 0; i < NO_ROOTS; i++) {
		uint32_t at = (list->next + i) % NO_ROOTS;

		if (list->last[at].run_id && list->last[at].run_id == run_id)
			text_write(out, &list->last[at].row, sizeof(list->last[at].row));
	}
	if (missed.error)
		text_write(out, &missed, sizeof(missed));
}
