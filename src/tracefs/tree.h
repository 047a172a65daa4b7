/* SPDX-License-Identifier: MIT */
/*
 * Nodes, open files, and the tables that describe them.  A file is a row (struct
 * tracefs_def) of a table.  A directory is a table of rows, and two functions for the
 * entries that depend on the root.
 *
 * A new file needs a row in files.c and methods in the .c file of its family.  README is
 * printed from the rows.
 */
#ifndef ULF_TRACEFS_TREE_H
#define ULF_TRACEFS_TREE_H

#include <assert.h>

#include "abi/control.h"
#include "base/text.h"
#include "server/core/apply.h"
#include "server/rules/events.h"
#include "tracefs/tracefs.h"

struct function_set;
struct instance;
struct root;
struct server;
struct tracefs_dir;
struct tracer;

/* Callback that is called for each entry of a directory.  Returns 0 to continue with the
 * next entry; any other value ends the list. */
typedef int (*tracefs_emit)(void *arg, const char *name, const struct stat *st);

/*
 * The methods of a stream: a file whose contents are not just the text of a method show().
 * The server's thread calls them.  The methods must not block: the method read returns
 * -EAGAIN instead.
 */
struct tracefs_stream {
	/* Optional method open: prepare the file that is being opened, and set
	 * file->state. */
	int (*open)(struct tracefs_file *file);
	/* Optional method close: called once for each open() that has succeeded. */
	void (*close)(struct tracefs_file *file);
	/* Method read: read bytes for tracefs_read_begin(). */
	ssize_t (*read)(struct tracefs_file *file, char *buf, size_t size,
			off_t offset);
	/* Optional method read_whole: read bytes for the page cache; see
	 * tracefs_read_whole(). */
	ssize_t (*read_whole)(struct tracefs_file *file, char *buf, size_t size);
	/* Optional method deliver: handle what happened to the bytes of the last read.  A
	 * stream that consumes records removes them from the rings in this method. */
	void (*deliver)(struct tracefs_file *file, enum tracefs_delivery what);
	/* Optional method poll: return the ready events; see tracefs_poll().  Without
	 * this method the file is always ready. */
	unsigned int (*poll)(struct tracefs_file *file);
	bool is_pipe;			/* true: the file cannot seek, and a read may have
					 * to wait */
	bool is_snapshot;		/* true: the file reads the spare side of the
					 * buffer, which has the snapshot */
	off_t size;			/* size of the file that stat(2) reports
					 * (st_size), bytes */
};

/* The effect of an open file if users remove (rmdir()) the instance of the file. */
enum tracefs_hold {
	TRACEFS_HOLDS,			/* rmdir() returns EBUSY */
	TRACEFS_GOES,			/* rmdir() succeeds; later reads and writes of the
					 * file return ENODEV */
	TRACEFS_STAYS,			/* rmdir() succeeds; the open file can still be
					 * read afterwards */
};

/* A file, or a directory with a fixed name: a row of a table in files.c. */
struct tracefs_def {
	const char *name;
	mode_t mode;			/* permission bits */
	const char *help;		/* help text of the file in README; NULL if README
					 * does not name the file */
	/* Optional method put_help: append more lines to the file's help in README, for
	 * example the names that may be written to the file. */
	void (*put_help)(struct text *out);
	/* Each row sets one of @dir, @show and @stream, or none of them if the file can only
	 * be written. */
	const struct tracefs_dir *dir;
	int (*show)(struct tracefs_node *node, struct text *out);
	const struct tracefs_stream *stream;
	/*
	 * Optional method store: handle a write.  Returns the number of bytes that were
	 * accepted, or -errno.  If processes must apply the change, the method calls
	 * tracefs_file_apply(). store, show, truncate and flush may return -ERESTART,
	 * with nothing changed: see tracefs_settle().
	 */
	ssize_t (*store)(struct tracefs_file *file, const char *buf, size_t size,
			 pid_t tid);
	/* Optional method is_done: after all processes have applied a write, return true
	 * if write(2) may return.  After TRACEFS_DONE_NS, write(2) returns in any case. */
	bool (*is_done)(struct tracefs_file *file);
	/* Optional method applied: called when all processes have applied a write. */
	void (*applied)(struct tracefs_file *file);
	/* Optional method refused: called when a process could not apply a write, so that
	 * the write fails. */
	void (*refused)(struct tracefs_file *file);
	/* Optional method truncate: called when the file was opened for writing with
	 * O_TRUNC. */
	int (*truncate)(struct tracefs_file *file);
	/* Optional method flush: apply what was written.  Called when the file is closed,
	 * and when one of several descriptors of the open file is closed after a write. */
	int (*flush)(struct tracefs_file *file);
	enum tracefs_hold hold;
	bool is_top_only;		/* true: only the top instance has this file */
	bool is_per_cpu;		/* true: the row makes one file per CPU; the name
					 * of the file ends with the number of the CPU,
					 * which is also tracefs_node.number */
};

/* The kinds of directories.  Their numbers are a part of inode numbers. */
enum tracefs_kind {
	TRACEFS_TOP = 1,
	TRACEFS_ROOT,
	TRACEFS_INSTANCES,
	TRACEFS_INSTANCE,
	TRACEFS_EVENTS,
	TRACEFS_SYSTEM,
	TRACEFS_EVENT,
	TRACEFS_FTRACE,
	TRACEFS_FTRACE_EVENT,
	TRACEFS_FTRACE_PRINT,
	TRACEFS_PER_CPU,
	TRACEFS_CPU,
	TRACEFS_TRACE_STAT,
	TRACEFS_OPTIONS,
	TRACEFS_KINDS,
};

/*
 * The parts of an inode number:
 *
 *	instance's serial << 42 | kind of directory << 34 | row + 1 << 24 | number
 *
 * The serial has 22 bits, the kind 8, the row 10, and the number of a CPU, system or
 * event 24.  The layout has space for ten times as many kinds, rows and events as
 * there are, so a new file never needs another layout.
 */
#define TRACEFS_SERIAL_SHIFT	42
#define TRACEFS_KIND_SHIFT	34
#define TRACEFS_ROW_SHIFT	24

static_assert(10 * TRACEFS_KINDS <= 1 << (TRACEFS_SERIAL_SHIFT - TRACEFS_KIND_SHIFT),
	      "space for ten times the kinds of directories");
static_assert(10 * ABI_EVENTS <= 1 << TRACEFS_ROW_SHIFT &&
	      2 * EVENT_NUMBERS <= 1 << TRACEFS_ROW_SHIFT &&
	      10 * ABI_CPUS <= 1 << TRACEFS_ROW_SHIFT,
	      "space for ten times the events and CPUs");

#define TRACEFS_NR(table)	(sizeof(table) / sizeof((table)[0]))
/*
 * TRACEFS_ROWS initialises tracefs_dir.defs and tracefs_dir.nr_defs from @table.  If
 * @table has so many rows that inode numbers have no space for ten times as many, the
 * code does not compile.
 */
#define TRACEFS_ROWS(table)						\
	.defs = table,							\
	.nr_defs = TRACEFS_NR(table) + 0 * sizeof(struct {		\
		static_assert(10 * (TRACEFS_NR(table) + 1) <=		\
			      1 << (TRACEFS_KIND_SHIFT - TRACEFS_ROW_SHIFT), \
			      "space for ten times the rows");		\
		char unused;						\
	})

/* A kind of directory, with its methods. files.c defines one such struct for each kind. */
struct tracefs_dir {
	enum tracefs_kind kind;		/* number of this kind of directory, which is a
					 * part of inode numbers */
	mode_t mode;			/* permission bits */
	const struct tracefs_def *defs;	/* table of the entries that all directories of
					 * this kind have */
	size_t nr_defs;			/* number of rows in @defs (TRACEFS_ROWS) */
	/*
	 * Kinds of the directories that a directory of this kind contains: child[0] is the
	 * kind of all directories that the methods lookup() and list() make, except
	 * events/ftrace/print, whose kind is child[1].
	 */
	const struct tracefs_dir *child[2];
	bool is_cpu;			/* true: directories of this kind are
					 * per_cpu/cpuN, and the number of their nodes is
					 * the CPU */
	/* Optional methods lookup and list: find and list the entries that are not in
	 * @defs. */
	int (*lookup)(struct tracefs_node *dir, const char *name,
		      struct tracefs_node **ret_node);
	int (*list)(struct tracefs_node *dir, tracefs_emit emit, void *arg);
	/* Optional methods mkdir and rmdir, for a directory in which users may make and
	 * remove directories. */
	int (*mkdir)(struct tracefs_node *dir, const char *name);
	int (*rmdir)(struct tracefs_node *dir, const char *name);
};

/* A file or directory of the tree. */
struct tracefs_node {
	int refs;			/* number of references to this node */
	struct server *server;
	struct root *root;		/* root of the node, of which it holds a
					 * reference; NULL for the top directory */
	struct instance *instance;	/* instance of @root, of which the node holds a
					 * reference; NULL for the top directory */
	const struct tracefs_dir *dir;	/* kind of the directory that the node is; NULL if
					 * the node is a file */
	const struct tracefs_dir *in;	/* kind of the directory that contains the node;
					 * NULL for the top directory */
	const struct tracefs_def *def;	/* row of the node in the table of its parent;
					 * NULL if it is not in this table */
	uint64_t ino;			/* inode number; see tree.c */
	uint32_t number;		/* number of the CPU, system or event to which
					 * this directory belongs; for a file, the number
					 * of the directory that contains it */
};

/* An open file. */
struct tracefs_file {
	struct tracefs_node *node;	/* node of the file, of which the open file holds
					 * a reference */
	const struct tracefs_def *def;	/* row of the file in its directory's table
					 * (node->def) */
	int flags;			/* flags of tracefs_open() */
	struct text text;		/* output of show() */
	bool is_shown;			/* true: the method show() has filled @text */
	bool is_written;		/* true: bytes were written to the file since the
					 * last flush */
	pid_t poll_tid;			/* id of the thread that was the last to call
					 * poll(2) for the file; 0 if none has */
	bool is_reading;		/* true: the reader has got bytes since the last
					 * poll(2) */
	pid_t write_tid;		/* thread of the last write */
	uint64_t done_ns;		/* time until which a write waits for the method
					 * is_done(), CLOCK_MONOTONIC */
	bool must_truncate;		/* true: the file was opened with O_TRUNC, and
					 * tracefs_settle() must still truncate it */
	uint64_t restart_serial;	/* result of parse_serial() when a call for the file
					 * last returned -ERESTART */
	uint64_t restart_ns;		/* time until which a call is not tried again
					 * unless a parser has made progress,
					 * CLOCK_MONOTONIC; 0 if the last call did not
					 * return -ERESTART */
	void *state;			/* data that the methods of the stream keep for
					 * the open file */
	const struct tracer *old_tracer;	/* for current_tracer: tracer before a
						 * change that not all processes have
						 * applied yet; NULL if there is no such
						 * change */
	struct function_set *functions;	/* for lists of functions: new list, which a flush
					 * publishes; NULL if the list was not changed */
	bool is_fresh;			/* for lists of functions: true if the current
					 * call has called functions_refresh() */
	struct text word;		/* for lists of functions: start of a token whose
					 * end was not written yet */
	char *undo;			/* for `trigger`: command that would remove the
					 * trigger that was written last, or NULL */
	struct apply apply;		/* settings that processes must apply before the
					 * current write returns */
};

/* Return the instance of a file or directory; NULL only for the top directory. */
static inline struct instance *tracefs_instance(const struct tracefs_node *node)
{
	return node->instance;
}

/* Notify the processes of the file's root that settings have changed.  The current write
 * returns when the processes have applied them. */
static inline void tracefs_file_apply(struct tracefs_file *file)
{
	apply_start(file->node->root, &file->apply);
}

/* ---- functions that are defined in tree.c ---- */

/*
 * tracefs_node_new - make the node of a directory that is not in @parent's table
 * @dir: kind of the directory
 * @root: root of the node.  The node belongs to the instance of @parent, or, if
 *   @parent is the top directory, to the top instance of @root
 * @number: number of the CPU, system or event
 *
 * Returns 0 and a reference, which the caller releases; or -ENOMEM.
 */
int tracefs_node_new(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     struct root *root, uint32_t number,
		     struct tracefs_node **ret_node);
/* Call @emit with the name @name and the attributes of the node that tracefs_node_new() would
 * make.  Returns what @emit returns. */
int tracefs_emit_dir(struct tracefs_node *parent, const struct tracefs_dir *dir,
		     const struct root *root, uint32_t number, const char *name,
		     tracefs_emit emit, void *arg);

/* ---- functions that are defined in file.c ---- */

/*
 * Time after which a read stops printing lines, ns, so that the server can answer other
 * clients.  The read returns the lines that it has, and the reader must read again to get
 * the rest.
 */
#define TRACEFS_READ_NS		20000000u
/* Maximum time that a write waits for the method is_done() (struct tracefs_def), ns. */
#define TRACEFS_DONE_NS		1000000000u

/* Parse a number as the kernel does: decimal digits, with an optional + before and one
 * optional newline after them.  Returns 0, -EINVAL or -ERANGE. */
int tracefs_parse_number(const char *buf, size_t size, uint64_t *ret_value);
#define TRACEFS_WORD_MAX	127		/* maximum length of a token in a write,
						 * without a NUL, bytes */
/*
 * tracefs_next_word - get the next token of a write, as the kernel does
 * @ret_word: gets the token; "" if there is none
 *
 * Returns the number of bytes used: the blanks before the token, the token, and the one blank
 * or NUL after it.  Returns -EINVAL if the token is longer than TRACEFS_WORD_MAX.
 * Example: " a:b c" returns 5 and "a:b".
 */
ssize_t tracefs_next_word(const char *buf, size_t size,
			  char ret_word[TRACEFS_WORD_MAX + 1]);
/* Limit of the length of a token in a list of functions, bytes.  The token may consist of
 * a name and a command. */
#define TRACEFS_FUNCTION_MAX	(2 * ELF_NAME_MAX)
/*
 * Copy @buf to @text, without the blanks at both ends, as the kernel's strim() does.
 * @text has space for @text_bytes bytes; if @buf is longer, only its start is copied.
 * Returns the address in @text of the first character that is not a blank.
 */
char *tracefs_trim(const char *buf, size_t size, char *text, size_t text_bytes);

#endif
