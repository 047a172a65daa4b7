/* SPDX-License-Identifier: MIT */
/* Which of many names are this one?  Many may be. */
#ifndef ULF_SERVER_NAME_INDEX_H
#define ULF_SERVER_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct name_index {
	const char *const *names;	/* [nr], the caller's; NULL: has none */
	uint32_t *first;		/* [mask + 1], by hash; of both: 1 + ... */
	uint32_t *next;			/* [nr] */
	uint32_t mask;
};

/* -ENOMEM */
int name_index_init(struct name_index *index, const char *const *names, uint32_t nr);
void name_index_done(struct name_index *index);

/* The first one after number @from, itself and the answer counted from 1 (so that
 * 0 asks for the first, and says that there is none).  In rising order. */
uint32_t name_index_find(const struct name_index *index, const char *name,
			 size_t len, uint32_t from);

#endif
