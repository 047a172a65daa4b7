/* SPDX-License-Identifier: MIT */
/* Make the row of a root in the answer to a client's list request. */
#ifndef ULF_DAEMON_ROOT_ROW_H
#define ULF_DAEMON_ROOT_ROW_H

#include "abi/socket.h"
#include "server/core/server.h"

/* Convert @info to the row that clients receive as the description of a root. */
void root_row_fill(const struct server_root_info *info, struct abi_root_row *ret_row);

#endif
