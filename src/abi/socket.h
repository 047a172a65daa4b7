/* SPDX-License-Identifier: MIT */
/*
 * What the CLI and the server say to each other over DIR/server.sock, a unix
 * stream socket that only processes of the same user may use.
 *
 * The client sends a request, the server answers it, then the next may come:
 * one is under way at a time on a connection.  The exception is
 * ABI_SOCKET_CANCEL, which has no answer of its own: it makes a request that
 * waits (a blocking read) be answered with -EINTR at once, and does nothing if
 * none waits any more.
 *
 *	request:  struct abi_request, then `bytes` bytes
 *	answer:   struct abi_answer, then `bytes` bytes
 *
 * A client must drop an answer of which it does not get the last byte: what such a
 * read would have taken out of a buffer stays there for the next reader.
 *
 * Both sides bound what they take; a message that breaks a rule here ends the
 * connection.
 */
#ifndef ULF_ABI_SOCKET_H
#define ULF_ABI_SOCKET_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_SOCKET_VERSION	3u
#define ABI_SOCKET_REQUEST_MAX	(128u << 10)	/* bytes after the header */
#define ABI_SOCKET_ANSWER_MAX	(8u << 20)	/* bytes after the header */
#define ABI_SOCKET_READ_MAX	(256u << 10)	/* one ABI_SOCKET_READ */
#define ABI_SOCKET_SYMBOLS_MAX	(256u << 20)	/* all that SYMBOLS gives */
#define ABI_SOCKET_FILES	64u		/* open at a time, a connection */

/*
 *	op		request				answer
 *	HELLO		value: version; offset: 1 if	result: pid of the server
 *			sent by a mount that the
 *			server itself asked for
 *	OPEN		value: open(2) flags; path;	result: number of the file
 *			offset: 1 if what is read
 *			goes to a terminal: newlines in
 *			strings of the program are escaped
 *	READ		file, value: size, offset	data
 *	WRITE		file; data			result: bytes taken
 *	CLOSE		file
 *	READDIR		path				entries: a character d or -,
 *							name, NUL
 *	LIST		value: enum abi_list; offset:	struct abi_root_row []
 *			a run_id for ABI_LIST_RUN
 *	REMOVE		name of a root
 *	MOUNT		path of a directory, and the	(unmounted when the server
 *			descriptor of /dev/fuse that	ends)
 *			is mounted there (SCM_RIGHTS);
 *			no path: in a namespace of the
 *			client's own
 *	UMOUNT		something was unmounted: forget
 *			what is dead
 *	MOUNTS						paths, NUL after each
 *	SYMBOLS		name of a root; offset		its functions, in the lines of
 *							/proc/kallsyms, from there on
 *	SHUTDOWN					(answered, then the server ends)
 *	NO_ROOT		by libulf: it could not make	(nobody waits for it)
 *			a root; offset: run_id; value:
 *			errno; name of the program
 *	NO_ROOTS	offset: a run_id		struct abi_no_root [], the newest
 *							last
 *
 * `result` is -errno if it went wrong; the data of OPEN, WRITE and CLOSE is then the text
 * of the entries that this very request has put into error_log, if any.  Paths are relative
 * to the tree's top for the file operations, absolute for the mounts; no NUL at the end.
 */
#define ABI_SOCKET_OPS(X) \
	X(HELLO) X(OPEN) X(READ) X(WRITE) X(CLOSE) X(READDIR) \
	X(LIST) X(REMOVE) X(MOUNT) X(UMOUNT) X(MOUNTS) X(SHUTDOWN) X(CANCEL) \
	X(SYMBOLS) X(NO_ROOT) X(NO_ROOTS)

enum abi_socket_op {
#define X(name) ABI_SOCKET_##name,
	ABI_SOCKET_OPS(X)
#undef X
	ABI_SOCKET_NR_OPS
};

struct abi_request {
	uint32_t bytes;			/* that follow */
	uint32_t op;			/* enum abi_socket_op */
	uint32_t file;
	uint32_t value;
	uint64_t offset;
};

struct abi_answer {
	uint32_t bytes;			/* that follow */
	int32_t result;
};

enum abi_list {
	ABI_LIST_ALL,
	ABI_LIST_NAMES,			/* at once: more of the dead roots are without figures */
	ABI_LIST_RUN,			/* those that one `ulf run` started */
};

enum abi_root_state {
	ABI_ROOT_ALIVE,
	ABI_ROOT_DEAD,
	ABI_ROOT_CORRUPT,		/* of the row only name is valid */
	ABI_ROOT_FOREIGN,		/* of another version; the same */
};

/* In events_known: the server has not looked at the events and the records of a dead root yet;
 * the figures are 0. */
#define ABI_EVENTS_UNREAD	UINT32_MAX

struct abi_root_row {
	char name[64];			/* NUL terminated */
	uint32_t state;			/* enum abi_root_state */
	uint32_t pid;
	uint32_t nr_processes;		/* alive */
	uint32_t events_on, events_known;	/* or ABI_EVENTS_UNREAD */
	uint32_t run_id;		/* of the `ulf run` that started it */
	uint64_t entries;		/* records there to be read */
	uint64_t bytes;			/* of records there to be read */
	uint64_t overruns;		/* records lost, by any cause */
	uint64_t started_ns;		/* CLOCK_BOOTTIME */
};

/* A program that has no root, or if @pid is 0 a root that the server cannot open. */
struct abi_no_root {
	uint32_t pid;
	uint32_t error;			/* errno */
	char comm[16];			/* NUL terminated */
};

static_assert(sizeof(struct abi_no_root) == 24, "ABI");
static_assert(sizeof(struct abi_request) == 24, "ABI");
static_assert(sizeof(struct abi_answer) == 8, "ABI");
static_assert(sizeof(struct abi_root_row) == 120, "ABI");
static_assert(offsetof(struct abi_root_row, entries) == 88, "ABI");

#endif
