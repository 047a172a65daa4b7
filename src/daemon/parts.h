/* SPDX-License-Identifier: MIT */
/* Open servers with all parts of ulf; see server/core/part.h. */
#ifndef ULF_DAEMON_PARTS_H
#define ULF_DAEMON_PARTS_H

struct server;

/* Open a server with all parts of ulf.  See server_open() and server_open_view(). */
int server_new(const char *dir, struct server **ret_server);
int server_view(const char *dir, const char *name, struct server **ret_server);

#endif
