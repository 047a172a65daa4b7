/* SPDX-License-Identifier: MIT */
/* The names of system calls. */
#ifndef HIST_SYSCALL_NAME_H
#define HIST_SYSCALL_NAME_H

#include <stdint.h>

/* Returns the name of a system call of this CPU, such as "sys_read", or NULL. */
const char *hist_syscall_name(uint64_t nr);

#endif
