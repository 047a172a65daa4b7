/* SPDX-License-Identifier: MIT */
/*
 * The file ulf.conf, which contains boot settings (event/boot.h).  Its path is:
 *
 *	$ULF_CONFIG			if set; if it is "" there is no file
 *	$XDG_CONFIG_HOME/ulf.conf	if set
 *	$HOME/.config/ulf.conf		else
 *
 * An example of its contents:
 *
 *	# for all programs
 *	trace_clock=mono
 *	[kv*]
 *	trace_event=kv trace_buf_size=4M
 *	# for the server: server/core/dead_limits.h
 *	[ulf server]
 *	dead_roots=1000
 *
 * This code depends on libc alone and allocates nothing, because the runtime uses it, too.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include <stddef.h>

/*
 * config_words - get the boot settings for a program
 * @program: the name that is compared with the [GLOB] lines
 * @ret_words: the settings, separated by blanks; "" if there is no file, or after an
 * error
 * @bytes: size of @ret_words
 *
 * Returns 0; -E2BIG if the file is too large, or its settings do not fit into
 * @ret_words; -ENAMETOOLONG or the error of open() if $ULF_CONFIG names a file that
 * cannot be read.  Without $ULF_CONFIG a file that cannot be read counts as a file that
 * does not exist.
 */
int config_words(const char *program, char *ret_words, size_t bytes);

#endif
