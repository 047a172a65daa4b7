/* SPDX-License-Identifier: MIT */
/* A cache of the parameters of functions.  A session of the parser finds the parameters. */
#include "server/names/params.h"

#include <errno.h>
#include <stdlib.h>

#include "event/clock.h"
#include "symbols/elf_args.h"
#include "symbols/parse_result.h"

#define FOUND		1024u		/* number of functions whose parameters are
					 * cached; a power of two */

struct found {
	uint64_t addr;			/* address of the function to which this row
					 * belongs; 0 if the row is free */
	struct elf_params *params;	/* parameters of the function; NULL if they are
					 * unknown */
};

struct params {
	struct parse_job *session;	/* session of the parser for this file; NULL if
					 * there is none */
	bool is_over;			/* true: no other session is started for the file,
					 * because the session has failed or takes too
					 * long */
	const char *why;		/* reason that params_why() returns; NULL if there
					 * is nothing to report */
	uint64_t asked;			/* address whose parameters the session is looking
					 * for; 0 if it looks for nothing */
	uint64_t used_ns;
	struct found found[FOUND];	/* cache of parameters, indexed by a hash of the
					 * function's address; a new entry replaces an old
					 * one */
};

struct params *params_new(void)
{
	return calloc(1, sizeof(struct params));
}

void params_free(struct params *params)
{
	if (!params)
		return;
	parse_free(params->session);
	for (uint32_t i = 0; i < FOUND; i++)
		free(params->found[i].params);
	free(params);
}

int params_start(struct params *params, const struct parse_want *want)
{
	return parse_start(want, &params->session);
}

void params_stop(struct params *params)
{
	parse_free(params->session);
	params->session = NULL;
	params->asked = 0;
}

bool params_has_session(const struct params *params)
{
	return params->session;
}

uint64_t params_bytes(const struct params *params)
{
	return params->session ? parse_bytes_read(params->session) : 0;
}

uint64_t params_used_ns(const struct params *params)
{
	return params->used_ns;
}

const char *params_why(struct params *params)
{
	const char *why = params->why;

	params->why = NULL;
	return why;
}

static struct found *place_of(struct params *params, uint64_t addr)
{
	return &params->found[(addr ^ addr >> 10) % FOUND];
}

static void take_answer(struct params *params)
{
	uint32_t bytes;
	const struct parse_answer *answer = parse_answer(params->session, &bytes);
	struct found *found;

	if (!answer)
		return;
	found = place_of(params, params->asked);
	free(found->params);
	*found = (struct found){
		params->asked, parsed_params(answer, bytes, params->asked),
	};
	params->asked = 0;
	params->is_over |= answer->is_over;
}

/* Handle a session of the parser that has ended although the server did not end it.  No
 * other session is started for this file. */
static void end_session(struct params *params)
{
	params->is_over = true;
	params->why = parse_why(params->session);
	params_stop(params);
}

int params_find(struct params *params, uint64_t addr, const struct elf_params **ret_params)
{
	const struct found *found = place_of(params, addr);
	int r = params->session ? parse_poll(params->session) : -ENOENT;

	*ret_params = NULL;
	if (!r)
		take_answer(params);
	else if (r == -ECANCELED)
		params_stop(params);
	else if (params->session && r != -EINPROGRESS)
		end_session(params);
	if (found->addr == addr || params->is_over) {
		if (found->addr == addr)
			*ret_params = found->params;
		return 0;
	}
	if (r)
		return r == -ECANCELED ? -ENOENT : r;
	params->used_ns = clock_posix_ns(CLOCK_MONOTONIC);
	if (params->asked)
		return -EINPROGRESS;
	if (parse_query(params->session, addr)) {
		end_session(params);
		return 0;
	}
	params->asked = addr;
	take_answer(params);		/* without an event loop, parse_query() has
					 * waited, so the answer is already available */
	if (found->addr == addr)
		*ret_params = found->params;
	return found->addr == addr ? 0 : -EINPROGRESS;
}
