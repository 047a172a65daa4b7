/* SPDX-License-Identifier: MIT */
/* Read tables of moved functions, and of USDT probes, from the files of the server
 * (abi/moved_file.h). */
#ifndef ULF_RUNTIME_MOVED_FILE_H
#define ULF_RUNTIME_MOVED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Method runtime_part.init: store the path of the directory of tables and its owner.  Creates
 * the directory if there is none. */
void moved_file_init(void);
/* Method runtime_part.agent_start: keep the directory open for the agent.  @has_own_table: the
 * agent has its own descriptor table. */
void moved_file_agent(bool has_own_table);

/*
 * moved_file_load - read a table for the object that is mapped at @addr
 * @id: name of the file, a number that another process has stored
 * @check: checks the table: moved_check() or usdt_check()
 *
 * Lock held.  The caller frees *@ret_table with memory_free().  Returns 0; -ENOENT: there is no
 * such file, or its table belongs to another object; -EACCES: this process has no right to read
 * it; -EPERM: another user owns the file, or may write it; -EBADMSG: the table is wrong;
 * -ENOMEM; or another -errno.
 */
typedef bool moved_file_check(const void *table, uint64_t bytes);
int moved_file_load(uint64_t id, uint64_t addr, moved_file_check *check, const void **ret_table);

#endif
