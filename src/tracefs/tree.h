/* SPDX-License-Identifier: MIT */
/*
 * The tree from the inside: a file is a row (struct tracefs_def), a directory
 * a table of rows and, for what depends on the root, two functions.
 *
 * A new file is a row in files.c and its methods in the family's .c file; the
 * README is printed from the rows.
 */
#ifndef ULF_TRACEFS_TREE_H
#define ULF_TRACEFS_TREE_H

#include "base/text.h"
#include "server/core/root.h"
#include "server/rings/rings.h"
#include "tracefs/tracefs.h"

struct tracefs_dir;

typedef int (*tracefs_emit)(void *arg, const char *name, const struct stat *st);

/* A file that is more than a text.  Methods are called one at a time, and none
 * may block: -EAGAIN. */
struct tracefs_stream {
	/* optional; sets file->state */
	int (*open)(struct tracefs_file *file);
	/* optional; called once for each successful open */
	void (*close)(struct tracefs_file *file);
	ssize_t (*read)(struct tracefs_file *file, char *buf, size_t size,
			off_t offset);
	/* optional: what tracefs_read_whole() does */
	ssize_t (*read_whole)(struct tracefs_file *file, char *buf, size_t size);
	/* optional: the reader has got, or not got, what was read last; a
	 * consuming stream consumes here */
	void (*deliver)(struct tracefs_file *file, enum tracefs_delivery what);
	unsigned int (*poll)(struct tracefs_file *file);
	bool is_pipe;			/* no seeking, may block */
	bool is_snapshot;		/* reads the spare side */
	off_t size;			/* st_size */
};

/* Effect of an open file on rmdir() of its instance. */
enum tracefs_hold {
	TRACEFS_HOLDS,			/* rmdir() returns EBUSY */
	TRACEFS_GOES,			/* rmdir() succeeds; then the file returns ENODEV */
	TRACEFS_STAYS,			/* rmdir() succeeds; the file can be read as before */
};

struct tracefs_def {
	const char *name;
	mode_t mode;			/* permission bits */
	const char *help;		/* its line in README; NULL: none */
	/* One of the following three; none in a file that can only be written. */
	const struct tracefs_dir *dir;
	int (*show)(struct tracefs_node *node, struct text *out);
	const struct tracefs_stream *stream;
	/* optional: bytes taken, or -errno.  If processes must take the change
	 * in it calls tracefs_file_apply().  store, show, truncate and flush may
	 * return -ERESTART, with nothing changed: see tracefs_write(). */
	ssize_t (*store)(struct tracefs_file *file, const char *buf, size_t size,
			 pid_t tid);
	/* optional: has the change done all that the writer waits for?  The write
	 * returns after TRACEFS_DONE_NS even if not */
	bool (*is_done)(struct tracefs_file *file);
	/* optional: what was stored is in force everywhere */
	void (*applied)(struct tracefs_file *file);
	/* optional: a process could not do it, and the writer is told */
	void (*refused)(struct tracefs_file *file);
	/* optional: it was opened for writing with O_TRUNC */
	int (*truncate)(struct tracefs_file *file);
	/* optional: it is closed, or one who has written to it has closed it
	 * while others have it still */
	int (*flush)(struct tracefs_file *file);
	enum tracefs_hold hold;
	bool is_top_only;		/* instances do not have it */
	bool is_per_cpu;		/* there is one for each CPU, whose number
					 * is behind the name and in the node */
};

struct tracefs_dir {
	uint32_t number;		/* in inode numbers: 1 .. 15 */
	mode_t mode;
	const struct tracefs_def *defs;
	size_t nr_defs;			/* < 64 */
	/* directories that lookup() and list() make entries of; the first is the usual one */
	const struct tracefs_dir *child[2];
	bool is_cpu;			/* per_cpu/cpuN: the node's number is a CPU */
	/* optional: entries that are not in the table */
	int (*lookup)(struct tracefs_node *dir, const char *name,
		      struct tracefs_node **ret_node);
	int (*list)(struct tracefs_node *dir, tracefs_emit emit, void *arg);
	/* optional: users may make and remove directories in it */
	int (*mkdir)(struct tracefs_node *dir, const char *name);
	int (*rmdir)(struct tracefs_node *dir, const char *name);
};

struct tracefs_node {
	int refs;
	struct server *server;
	struct root *root;		/* referenced; NULL for the top */
	struct instance *instance;	/* of it; referenced; likewise */
	const struct tracefs_dir *dir;	/* it is one, or NULL */
	const struct tracefs_dir *in;	/* the one it is in, or NULL */
	const struct tracefs_def *def;	/* its row there, or NULL */
	uint64_t ino;
	/* which cpu, system or event its directory is about */
	uint32_t number;
};

struct tracefs_file {
	struct tracefs_node *node;	/* referenced */
	const struct tracefs_def *def;
	int flags;			/* open(2)'s */
	struct text text;		/* what show() said */
	bool is_shown;
	bool is_written;		/* and not flushed */
	pid_t poll_tid;			/* the reader that polled last; 0: none did */
	bool is_reading;		/* something was read since */
	pid_t write_tid;		/* the writer of the last write */
	uint64_t done_ns;		/* when a write does not wait any longer */
	bool must_truncate;		/* tracefs_settle() has to */
	uint64_t restart_serial;	/* of the parser, at the last -ERESTART */
	uint64_t restart_ns;		/* when to try again anyway; 0: there was none */
	void *state;			/* the stream's */
	bool is_new_tracer;		/* current_tracer's: it was written */
	uint32_t old_tracer;		/* before that: enum abi_tracer */
	struct function_set *functions;	/* set_ftrace_filter's: as it will be */
	bool is_fresh;			/* likewise: functions_refresh() was done for
					 * the call that is at work */
	struct text word;		/* likewise: one that is not all there yet */
	char *undo;			/* trigger's: what takes the last one away */
	struct apply apply;		/* what write waits for */
};

static inline struct instance *tracefs_instance(const struct tracefs_node *node)
{
	return node->instance;
}

/* The processes must take in what was changed. */
static inline void tracefs_file_apply(struct tracefs_file *file)
{
	apply_start(file->node->root, &file->apply);
}

/* ---- tree.c ---- */

/* A node for an entry of @parent that is not in its table; of the same instance,
 * or of the top one of @root. */
int tracefs_node_new(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     struct root *root, uint32_t number,
		     struct tracefs_node **ret_node);
/* Emit such an entry. */
int tracefs_emit_dir(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     const struct root *root, uint32_t number, const char *name,
		     tracefs_emit emit, void *arg);

/* ---- file.c ---- */

/* Lines that a read makes for so long it gives out; the reader comes back for the rest.
 * Meanwhile the server has others to answer. */
#define TRACEFS_READ_NS		20000000u
/* A write waits so long for struct tracefs_def.is_done. */
#define TRACEFS_DONE_NS		1000000000u

/* A number as the kernel reads one: decimal, one newline may follow. -EINVAL,
 * -ERANGE. */
int tracefs_parse_number(const char *buf, size_t size, uint64_t *ret_value);
/* Cut the next word out of what was written, as the kernel does: how much that took,
 * with the blanks before it and one, or a NUL, behind it.  "": there was none.
 * -EINVAL: longer than TRACEFS_WORD_MAX. */
#define TRACEFS_WORD_MAX	127
ssize_t tracefs_next_word(const char *buf, size_t size,
			  char ret_word[TRACEFS_WORD_MAX + 1]);
/* A word of a list of functions may be longer: a name, and a command. */
#define TRACEFS_FUNCTION_MAX	(2 * ELF_NAME_MAX)
/* The kernel's strim() on a copy of what was written: @text has room for
 * @room, of which what is written may use all but one. */
char *tracefs_trim(const char *buf, size_t size, char *text, size_t room);

#endif
