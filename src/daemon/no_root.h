/* SPDX-License-Identifier: MIT */
/*
 * Programs of `ulf run` that could not make a root.  libulf prints nothing, so it reports to the
 * server why, and `ulf run` asks for it.  The last NO_ROOTS of them are kept.
 */
#ifndef ULF_SERVER_NO_ROOT_H
#define ULF_SERVER_NO_ROOT_H

#include "abi/socket.h"

struct server;
struct text;

#define NO_ROOTS	32u

struct no_roots {
	struct {
		uint32_t run_id;	/* 0: none */
		struct abi_no_root row;
	} last[NO_ROOTS];
	uint32_t next;			/* the oldest one's place */
};

/* @name is cut to what fits. */
void no_roots_add(struct no_roots *list, uint32_t run_id, uint32_t pid, uint32_t error,
		  const char *name);
/* Append the rows of @run_id, and one for roots that @server cannot open now. */
void no_roots_show(const struct no_roots *list, uint32_t run_id,
		   struct server *server, struct text *out);

#endif
