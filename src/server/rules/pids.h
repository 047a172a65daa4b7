/* SPDX-License-Identifier: MIT */
/*
 * Whose events and functions an instance records: set_event_pid, set_ftrace_pid
 * and those that end in notrace_pid.
 * The lists are in shared memory and nowhere else; none at all is not the same as
 * one with nobody in it, which event-fork can leave behind.
 */
#ifndef ULF_SERVER_PIDS_H
#define ULF_SERVER_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"

struct instance;
struct text;

#define PIDS_MAX	(1u << 30)	/* the kernel's */

/* Make a list if there is none.  Then processes are to be told:
 * *@ret_is_new.  -ENOMEM, -ENOSPC. */
int pids_add(struct instance *instance, enum abi_pids_list list,
	     const uint32_t *pids, size_t nr, bool *ret_is_new);
/* False: there was none, and nobody has to be told. */
bool pids_drop(struct instance *instance, enum abi_pids_list list);
/* instance_part.drop */
void pids_drop_all(struct instance *instance);
void pids_show(struct instance *instance, enum abi_pids_list list,
	       struct text *out);
/* With event-fork threads that have ended are taken out. */
void pids_expire(struct instance *instance);

#endif
