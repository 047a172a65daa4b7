/* SPDX-License-Identifier: MIT */
#ifndef ULF_SERVER_ROOT_ROW_H
#define ULF_SERVER_ROOT_ROW_H

#include "abi/socket.h"
#include "server/core/server.h"

/* Convert @info to the row that clients get. */
void root_row_fill(const struct server_root_info *info, struct abi_root_row *ret_row);

#endif
