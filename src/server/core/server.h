/* SPDX-License-Identifier: MIT */
/*
 * The server's core: the roots and their settings.  The event loop (daemon/loop.c)
 * drives the core; FUSE and the CLI's socket reach the core through tracefs/tracefs.h.
 *
 * Only one thread calls these functions.  A call waits for programs 2 ms at most.
 * Functions that return int return 0 or -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_SERVER_H
#define ULF_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct server;

struct server_parts;

/*
 * Start to serve @dir, the ulf directory ($ULF_DIR or its default), which must exist and
 * belong to this user.  @parts: the features, which must outlive the server; daemon/parts.h
 * has the usual ones.  Waits up to two seconds for parsers of roots that are being loaded.
 */
int server_open(const char *dir, const struct server_parts *parts, struct server **ret_server);
/*
 * Open the root @name, or all roots if @name is NULL, only to read them.  This works
 * while another server runs.  Changes that are made through such a view are visible in
 * no other process.  A process that calls this must not call server_open().
 */
int server_open_view(const char *dir, const char *name, const struct server_parts *parts,
		     struct server **ret_server);
/* Free the server.  A root with open files is freed when its files are closed.  @server
 * may be NULL. */
void server_free(struct server *server);
/* Return the parts of the server. */
const struct server_parts *server_parts(const struct server *server);

/*
 * Return an epoll descriptor that is readable when server_dispatch() has work: roots appear
 * or are removed (inotify), processes end (pidfd).
 */
int server_poll_fd(const struct server *server);
/* Handle the events of the descriptor that server_poll_fd() returns.  Does not wait.  May
 * free roots. */
void server_dispatch(struct server *server);
/*
 * Continue the work that waits for parsers.  Must be called when parse_dispatch() has
 * returned true.  The call is for all servers of this process, because they share the
 * parsers.
 */
void server_parsed(struct server *server);
/*
 * Do the regular work of the server.  The caller calls this every 5 ms while a request is
 * parked or the server is busy, else about once a second.  May free roots.
 */
void server_tick(struct server *server);
/*
 * Return true if the last tick has not finished its work.  The caller must call
 * server_tick() again soon: a tick ends after about 40 ms of CPU time, so that clients
 * are served.
 */
bool server_is_busy(const struct server *server);

enum server_root_state {
	SERVER_ROOT_ALIVE,
	SERVER_ROOT_DEAD,
	SERVER_ROOT_CORRUPT,		/* the root's memory is invalid, so only name and
					 * state of the root are known */
	SERVER_ROOT_FOREIGN,		/* the root's memory has another ABI version, so
					 * only name and state of the root are known */
};

/* The data of a root for `ulf ls`. */
struct server_root_info {
	const char *name;		/* name of the root; the text is valid only during
					 * the call of @emit */
	enum server_root_state state;
	uint32_t pid;			/* pid of the process that has made the root */
	uint32_t nr_processes;		/* number of processes of the root that are alive */
	bool has_figures;		/* true: the members from @events_on to @overruns are
					 * known; false: these members are 0 */
	uint32_t events_on, events_known;
	uint64_t entries;		/* number of records of the root that can be read */
	uint64_t bytes;			/* total size of the records of the root that can
					 * be read, bytes */
	uint64_t overruns;		/* number of records of the root that were lost,
					 * for any reason */
	uint64_t started_ns;		/* time when the program was started, CLOCK_BOOTTIME */
	uint32_t run_id;		/* number of the `ulf run` that has started the
					 * program */
};

/*
 * Call @emit for every root, newest first.  Stops when @emit returns a value other than 0,
 * and returns that value.  Wakes dead roots for a moment to read their figures.
 *
 * First updates the states of all roots: the CLI lists roots right after its waitpid(),
 * and a program that has ended must be shown as dead then, even if it claimed its slot
 * after the last scan. server_root_remove() updates the states first, too.
 */
int server_root_list(struct server *server,
		     int (*emit)(void *arg, const struct server_root_info *info),
		     void *arg);
/* List roots as server_root_list() does, but wake no root: dead roots that were never awake
 * have no figures. */
int server_root_names(struct server *server,
		      int (*emit)(void *arg, const struct server_root_info *info),
		      void *arg);
/* List roots as server_root_list() does, but only those that the `ulf run` with number
 * @run_id has started.  Reads figures for up to 20 ms.  Dead roots whose figures are
 * not read by then are listed without figures. */
int server_root_list_run(struct server *server, uint32_t run_id,
			 int (*emit)(void *arg, const struct server_root_info *info),
			 void *arg);
/*
 * Read figures of dead roots for about 20 ms, before server_root_names().  Returns
 * false if figures of some roots are still missing, so that the caller should call
 * again.  Returns true after 0.8 seconds in any case.
 */
bool server_root_list_prepare(struct server *server);
/*
 * Remove a dead or corrupt root with its records.  Returns 0; -ENOENT; -EBUSY if a process
 * of the root is alive; -EMFILE if no descriptor is left to find this out; or an error of
 * the file system.
 */
int server_root_remove(struct server *server, const char *name);

#endif
