/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the parser of event probes share with each other. */
#ifndef ULF_SERVER_EPROBE_IMPL_H
#define ULF_SERVER_EPROBE_IMPL_H

#include "server/dynamic/eprobe_parse.h"
#include "server/dynamic/words.h"

/* The state of eprobe_parse() while it parses one definition. */
struct eprobe_parser {
	const struct words *words;
	const struct eprobe_env *env;	/* callbacks of the parser; NULL if there are
					 * none, see eprobe_parse() */
	const struct event_format *target;	/* format of the target event; NULL if it
						 * is unknown because @env is NULL */
	struct eprobe *eprobe;
	struct eprobe_errors *errors;
	uint32_t index;			/* index in @words of the token that is being
					 * parsed */
};

/* Report the mistake @code, and return @errnum.  @offset: position of the mistake, in
 * characters after the start of the current token. */
int eprobe_fail(struct eprobe_parser *p, enum eprobe_error_code code, uint32_t offset,
		int errnum);
/* Parse the text @word of an argument, and add the argument to p->eprobe.  Returns 0, or
 * -errno as eprobe_parse() does, with the mistake reported. */
int eprobe_parse_arg(struct eprobe_parser *p, const char *word);

#endif
