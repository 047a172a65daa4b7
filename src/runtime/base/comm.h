/* SPDX-License-Identifier: MIT */
/* Names of threads.  All functions of this file may be called in any context. */
#ifndef ULF_RUNTIME_BASE_COMM_H
#define ULF_RUNTIME_BASE_COMM_H

#include <stdint.h>

#include "abi/control.h"

/* Record the name of this thread in the root, if there is a root.  @tid: id of this thread. */
void comm_record(uint32_t tid);
/* Record the name of another thread.  There must be a root.  @tgid: pid of its process. */
void comm_record_other(uint32_t tid, uint32_t tgid, const char name[ABI_COMM_LEN]);
/* Get the name of this thread, padded with NULs. */
void comm_get(char ret_comm[ABI_COMM_LEN]);

#endif
