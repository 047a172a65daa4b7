/* SPDX-License-Identifier: MIT */
/*
 * The probes that programs and libraries carry in notes (USDT), as events.
 *
 *	option usdt on
 *	/proc/PID/maps --> files --> parsers --> tables (abi/usdt.h)
 *	tables --> DIR/moved/ID		the processes read the tables there
 *	objects with a table --> a block of the arena, abi_control.usdt
 *	processes --> rows of the table of events, as for events of modules
 *
 * So the processes add and remove these events, and the server treats them as events
 * of modules.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_USDT_H
#define ULF_SERVER_USDT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/moved_file.h"
#include "abi/usdt.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

struct extent_list;
struct parse_job;
struct parsed;

/* A file that processes have mapped, and the probes in it. */
struct usdt_file {
	struct usdt_file *next;
	char *path;
	struct abi_moved_file file;	/* header of the table's file in DIR/moved; it
					 * identifies the mapped file */
	uint64_t id;			/* number of the table, which is the name of its
					 * file in DIR/moved */
	struct parse_job *job;		/* job of the parser that works on the file; NULL
					 * if there is none */
	struct parsed *parsed;		/* result of the parser; NULL if there is none */
	const struct usdt_head *table;	/* table of probes in @parsed; NULL if the mapped
					 * file has no probes, or is not parsed yet */
	bool is_stored;			/* true: the table's file in DIR/moved was written */
};

/* An object with probes: a file with probes that is mapped at one address. */
struct usdt_object {
	struct usdt_file *file;
	uint64_t text;			/* address of the object's code in memory */
};

/* The USDT probes of a root.  This is the state of ROOT_PART_USDT. */
struct root_usdt {
	struct usdt_file *files;
	struct usdt_object objects[ABI_USDT_OBJECTS_MAX];	/* objects that the last look
								 * at the mappings of the
								 * processes has found */
	uint32_t nr_objects;
	bool is_parsing;		/* true: the last look at the mappings of the
					 * processes has found a file that is still being
					 * parsed */
	uint64_t bytes_read;		/* number of bytes that parsers have read for this
					 * root; limited */
	struct abi_ring_ref block;	/* the published block */
	uint64_t published;		/* checksum of the objects in the published block;
					 * 0 if no block is published */
};

/* Return the state of ROOT_PART_USDT of @root. */
static inline struct root_usdt *root_usdt(const struct root *root)
{
	return root->part_state[ROOT_PART_USDT];
}

/*
 * Called when the option usdt of @instance has changed.  The caller must call apply_start()
 * afterwards.  Returns 0; -ERESTART if files are still being parsed, so that the caller must call
 * again later; or another -errno.
 */
int usdt_option_changed(struct instance *instance);

/* Methods of the part that handles USDT probes; see core/part.h. */
int usdt_load(struct root *root);
void usdt_done(struct root *root);
void usdt_tick(struct root *root);
int usdt_prepare(struct root *root);
bool usdt_answer(struct root *root);
void usdt_settle(struct root *root);
void usdt_settled(struct root *root, bool is_awaited);
void usdt_list_blocks(const struct root *root, struct extent_list *list);

/* ---- functions that are defined in usdt_block.c ---- */

/*
 * Publish the objects that the last look at the mappings of the processes has found, or none
 * if the option usdt is off. If these objects are not published yet, *@ret_changed is set to
 * true, and the caller must call apply_start().  Returns 0, -ENOMEM, -ENOSPC or -EIO.
 */
int usdt_publish(struct root *root, bool *ret_changed);

#endif
