/* SPDX-License-Identifier: MIT */
/*
 * The protocol between CLI and server on DIR/server.sock, a unix stream socket that only
 * processes of the same user may use.
 *
 * The client sends a request and the server answers it; then the client may send the
 * next request.  A connection has one request at a time.  The exception is
 * ABI_SOCKET_CANCEL, which gets no answer of its own: it makes the server answer a
 * waiting request (a blocking read) with -EINTR at once, and has no effect if no request
 * waits.
 *
 *	request:  struct abi_request, then `bytes` bytes
 *	answer:   struct abi_answer, then `bytes` bytes
 *
 * A client that does not get the last byte of an answer must drop the answer: the records
 * that this read would have consumed stay in the buffer for the next reader.
 *
 * Both sides limit what they accept.  A message that breaks a rule stated here ends the
 * connection.
 */
#ifndef ULF_ABI_SOCKET_H
#define ULF_ABI_SOCKET_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define ABI_SOCKET_VERSION	3u
#define ABI_SOCKET_REQUEST_MAX	(128u << 10)	/* maximum number of bytes that follow
						 * struct abi_request */
#define ABI_SOCKET_ANSWER_MAX	(8u << 20)	/* maximum number of bytes that follow
						 * struct abi_answer */
#define ABI_SOCKET_READ_MAX	(256u << 10)	/* maximum number of bytes that one
						 * ABI_SOCKET_READ asks for */
#define ABI_SOCKET_SYMBOLS_MAX	(256u << 20)	/* maximum number of bytes of the whole
						 * text of ABI_SOCKET_SYMBOLS */
#define ABI_SOCKET_FILES	64u		/* maximum number of open files of one
						 * connection */

/*
 *	op		request				answer
 *	HELLO		value: version; offset: 1 if	result: pid of the server
 *			sent by a mount that the
 *			server itself asked for
 *	OPEN		value: open(2) flags; path;	result: number of the file
 *			offset: 1 if the data is for a
 *			terminal: newlines in strings of
 *			the program are escaped
 *	READ		file; value: size; offset	data
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
 *			no path: mounted in a private
 *			namespace of the client
 *	UMOUNT		a mount was unmounted: forget
 *			mounts that are gone
 *	MOUNTS						paths, NUL after each
 *	SYMBOLS		name of a root; offset		its functions as lines of
 *							/proc/kallsyms, from @offset on
 *	SHUTDOWN					(answered, then the server ends)
 *	NO_ROOT		from libulf: it could not create (libulf does not wait for it)
 *			a root; offset: run_id; value:
 *			errno; name of the program.  Or:
 *			a program that it starts cannot
 *			be followed; value:
 *			enum abi_unfollowed
 *	NO_ROOTS	offset: a run_id		struct abi_no_root [], the newest
 *							last
 *	MKDIR		path of an instance that is
 *			made
 *	RMDIR		path of an instance that is
 *			removed
 *
 * `result` is -errno after an error.  The data of OPEN, WRITE and CLOSE is then the text of
 * the entries that this request has added to error_log, if any.  Paths are relative to the
 * tree's top for file operations and absolute for mounts; they do not end in a NUL.
 */
#define ABI_SOCKET_OPS(X) \
	X(HELLO) X(OPEN) X(READ) X(WRITE) X(CLOSE) X(READDIR) \
	X(LIST) X(REMOVE) X(MOUNT) X(UMOUNT) X(MOUNTS) X(SHUTDOWN) X(CANCEL) \
	X(SYMBOLS) X(NO_ROOT) X(NO_ROOTS) X(MKDIR) X(RMDIR)

enum abi_socket_op {
#define X(name) ABI_SOCKET_##name,
	ABI_SOCKET_OPS(X)
#undef X
	ABI_SOCKET_NR_OPS
};

struct abi_request {
	uint32_t bytes;			/* number of bytes of data that follow this
					 * struct */
	uint32_t op;			/* enum abi_socket_op */
	uint32_t file;			/* number of an open file */
	uint32_t value;			/* parameter whose meaning depends on @op (see
					 * ABI_SOCKET_OPS) */
	uint64_t offset;		/* parameter whose meaning depends on @op (see
					 * ABI_SOCKET_OPS) */
};

struct abi_answer {
	uint32_t bytes;			/* number of bytes of data that follow this
					 * struct */
	int32_t result;			/* -errno after an error, else a result that
					 * depends on the request's op (see
					 * ABI_SOCKET_OPS) */
};

enum abi_list {
	ABI_LIST_ALL,			/* all roots */
	ABI_LIST_NAMES,			/* all roots, without delay: the server does
					 * not read the records of dead roots for this
					 * answer, so the rows of such roots possibly
					 * have no figures (ABI_EVENTS_UNREAD) */
	ABI_LIST_RUN,			/* the roots of programs that one `ulf run`
					 * started */
};

enum abi_root_state {
	ABI_ROOT_ALIVE,
	ABI_ROOT_DEAD,
	ABI_ROOT_CORRUPT,		/* the root is corrupt: only the row's name is valid */
	ABI_ROOT_FOREIGN,		/* the root has another ABI version: only the
					 * row's name is valid */
};

/* Value of abi_root_row.events_known for a dead root whose events and records the server
 * has not read yet.  All figures in the row of such a root are 0. */
#define ABI_EVENTS_UNREAD	UINT32_MAX

struct abi_root_row {
	char name[64];			/* NUL terminated */
	uint32_t state;			/* enum abi_root_state */
	uint32_t pid;
	uint32_t nr_processes;		/* number of living processes of the root */
	uint32_t events_on, events_known;	/* number of events that are on, and
						 * number of all events or
						 * ABI_EVENTS_UNREAD */
	uint32_t run_id;		/* number of the `ulf run` that started
					 * the program; 0: no `ulf run` did */
	uint64_t entries;		/* number of records that can be read */
	uint64_t bytes;			/* size of the records that can be read,
					 * bytes */
	uint64_t overruns;		/* number of records that were lost, for any reason */
	uint64_t started_ns;		/* time of the program's start, CLOCK_BOOTTIME, ns */
};

/* Reasons why `ulf run --follow` cannot follow a program that a traced program starts.
 * These numbers are larger than any errno. */
enum abi_unfollowed {
	ABI_UNFOLLOWED = 1 << 16,
	ABI_UNFOLLOWED_STATIC,		/* linked statically */
	ABI_UNFOLLOWED_LIBC,		/* the program has another dynamic linker than
					 * the program that starts it, because of
					 * another C library or of a chroot */
	ABI_UNFOLLOWED_MACHINE,		/* built for another CPU or for 32 bits */
	ABI_UNFOLLOWED_SECURE,		/* set-uid, set-gid, or its file has
					 * capabilities */
	ABI_UNFOLLOWED_ASAN,		/* built with AddressSanitizer, whose library
					 * must be loaded before libulf */
	ABI_UNFOLLOWED_LIBULF,		/* contains libulf.a */
	ABI_UNFOLLOWED_UNREADABLE,	/* the file of the program cannot be read */
	ABI_UNFOLLOWED_PATH,		/* the path of libulf.so is not valid for the program */
	ABI_UNFOLLOWED_ENV,		/* the environment of the program is too large */
	ABI_UNFOLLOWED_END,
};

/* A program that could not create a root or could not be followed; if @pid is 0, a root
 * that the server cannot open. */
struct abi_no_root {
	uint32_t pid;
	uint32_t error;			/* errno, or enum abi_unfollowed */
	char comm[16];			/* NUL terminated */
};

static_assert(sizeof(struct abi_no_root) == 24, "ABI");
static_assert(sizeof(struct abi_request) == 24, "ABI");
static_assert(sizeof(struct abi_answer) == 8, "ABI");
static_assert(sizeof(struct abi_root_row) == 120, "ABI");
static_assert(offsetof(struct abi_root_row, entries) == 88, "ABI");

#endif
