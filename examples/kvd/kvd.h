/* SPDX-License-Identifier: MIT */
/*
 * kvd: a server that keeps keys and values, with one thread, as some real ones.
 *
 * A client connects to a unix socket, sends lines and gets a line for each:
 *
 *	set KEY VALUE		ok
 *	get KEY			the value, or `none'
 *	save FILE		ok; the server writes all keys to FILE and does nothing else
 *				meanwhile, so a slow file makes every client wait
 */
#ifndef KVD_H
#define KVD_H

#include <stdbool.h>
#include <stdio.h>

#define LINE_BYTES	256		/* size of a line, with its newline and a NUL */

enum kv_op { KV_GET, KV_SET, KV_SAVE };

/* Return the value of @key; NULL: there is no such key. */
const char *table_get(const char *key);
/* Give @key a value.  Returns false if there is no memory. */
bool table_set(const char *key, const char *value);
/* Return the number of keys. */
unsigned int table_nr_keys(void);
/* Write a line for each key. */
void table_print(FILE *out);

#endif
