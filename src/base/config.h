/* SPDX-License-Identifier: MIT */
/*
 * The file of settings from the start (event/boot.h):
 *
 *	$ULF_CONFIG			if set; "": none
 *	$XDG_CONFIG_HOME/ulf.conf	if set
 *	$HOME/.config/ulf.conf		else
 *
 *	# for all programs
 *	trace_clock=mono
 *	[kv*]
 *	trace_event=kv trace_buf_size=4M
 *	# for the server: server/core/dead_limits.h
 *	[ulf server]
 *	dead_roots=1000
 *
 * Depends on libc alone and allocates nothing: the runtime reads it, too.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stddef.h>

/*
 * config_words - the words for a program of that name, with blanks between them
 * @ret_words: always set; "" if there is no such file
 *
 * -E2BIG: too much for @bytes; or why the file that $ULF_CONFIG names cannot be
 * read.
 */
int config_words(const char *program, char *ret_words, size_t bytes);

#endif
