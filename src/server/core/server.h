/* SPDX-License-Identifier: MIT */
/*
 * The server's core: which roots there are, what is wished of them.  The
 * event loop (loop.c) drives it; FUSE and the CLI's socket reach it through
 * tracefs/tracefs.h.  One thread; nothing here blocks for more than 2 ms.
 */
#ifndef ULF_SERVER_SERVER_H
#define ULF_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct server;

struct server_parts;

/* Start to serve @dir, the ulf directory ($ULF_DIR ...), which exists and belongs to this
 * user.  @parts: the features, which must outlive the server; daemon/parts.h has the usual
 * ones.  Returns -errno. */
int server_open(const char *dir, const struct server_parts *parts, struct server **ret_server);
/*
 * Look at the root @name, or at all roots if that is NULL, also while another server runs:
 * nothing that is done through a view is seen by any other process.  The process must have
 * no other kind of server.  Returns -errno.
 */
int server_open_view(const char *dir, const char *name, const struct server_parts *parts,
		     struct server **ret_server);
void server_free(struct server *server);
const struct server_parts *server_parts(const struct server *server);

/* An epoll descriptor that is readable when server_dispatch() has work:
 * roots come and go (inotify), processes die (pidfd). */
int server_poll_fd(const struct server *server);
void server_dispatch(struct server *server);
/* parse_dispatch() says that a parser is further than before: go on with what waits for
 * it.  For all servers of the process. */
void server_parsed(struct server *server);
/* Called every 5 ms while a request is parked or the server is busy, else about every
 * second. */
void server_tick(struct server *server);
/* Has the last tick left work behind?  A tick ends after about 40 ms of it. */
bool server_is_busy(const struct server *server);

enum server_root_state {
	SERVER_ROOT_ALIVE,
	SERVER_ROOT_DEAD,
	SERVER_ROOT_CORRUPT,		/* only name and state are valid */
	SERVER_ROOT_FOREIGN,		/* of another version; the same */
};

/* What `ulf ls` says about a root. */
struct server_root_info {
	const char *name;		/* valid during the call */
	enum server_root_state state;
	uint32_t pid;			/* of the process that made it */
	uint32_t nr_processes;		/* alive */
	bool has_figures;		/* the next five; else they are 0 */
	uint32_t events_on, events_known;
	uint64_t entries;		/* records there to be read */
	uint64_t bytes;			/* of records there to be read */
	uint64_t overruns;		/* records lost, by any cause */
	uint64_t started_ns;		/* CLOCK_BOOTTIME */
	uint32_t run_id;		/* of the `ulf run` that started it */
};

/*
 * Calls @emit for every root; stops when it is not 0 and returns that.  The
 * states are those of this moment: the CLI lists right after its waitpid(), and
 * a program that has ended is dead then, also if it claimed its slot after the
 * last scan.  The same holds for server_root_remove().
 */
int server_root_list(struct server *server,
		     int (*emit)(void *arg, const struct server_root_info *info),
		     void *arg);
/* The same at once: dead roots that nobody has used yet are without figures. */
int server_root_names(struct server *server,
		      int (*emit)(void *arg, const struct server_root_info *info),
		      void *arg);
/* As server_root_list(), those that the `ulf run` of that number started. */
int server_root_list_run(struct server *server, uint32_t run_id,
			 int (*emit)(void *arg, const struct server_root_info *info),
			 void *arg);
/* Look at such roots for some milliseconds; false: more are left, call it again before
 * server_root_names().  True after a second in any case. */
bool server_root_list_prepare(struct server *server);
/* Remove a dead or corrupt root with all it recorded.  -ENOENT, -EBUSY if a process of it
 * is alive, or -EMFILE if there are no descriptors to find that out. */
int server_root_remove(struct server *server, const char *name);

#endif
