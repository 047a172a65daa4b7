/* SPDX-License-Identifier: MIT */
/* Handle the commands of dynamic_events, and split writes to dynamic_events and
 * synthetic_events into lines. */
#include "server/dynamic/dynamic_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/dynamic/dynamic.h"
#include "server/dynamic/eprobe.h"
#include "server/dynamic/synth.h"
#include "server/dynamic/words.h"

#define LINE_MAX_BYTES	4095u		/* maximum length of a line of a command file,
					 * with its newline, as in the kernel */

const struct dynamic_kind *const dynamic_kinds[] = {
	&dynamic_synth,
	&dynamic_eprobe,
};
const uint32_t nr_dynamic_kinds = sizeof(dynamic_kinds) / sizeof(dynamic_kinds[0]);

/* The events that a command `-:[SYSTEM/]NAME [ARGUMENTS]' removes. */
struct removal {
	const char *system, *name;	/* @system NULL: any */
	struct words arguments;		/* tokens of the command after the first one; not to
					 * be freed, because another struct words owns their
					 * memory */
};

/* Parse @words, the tokens of a command that removes events.  The members of
 * *@ret_removal point into @words.  Returns 0 or -EINVAL. */
static int parse_removal(const struct words *words, struct removal *ret_removal)
{
	char *name = strchr(words->word[0], ':'), *slash;

	if (!name || (words->word[0][0] == '-' && name != words->word[0] + 1))
		return -EINVAL;
	name++;
	*ret_removal = (struct removal){
		.arguments = { .word = words->word + 1, .nr = words->nr - 1 },
	};
	slash = strchr(name, '/');
	if (slash) {
		*slash = '\0';
		ret_removal->system = name;
		name = slash + 1;
	}
	ret_removal->name = name;
	return slash || *name ? 0 : -EINVAL;
}

/*
 * Remove all events that the command @removal names.  Returns 0 if at least one was
 * removed; -ENOENT if there is no such event; or the error of the first event that could
 * not be removed.
 */
static int remove_matching(struct root *root, const struct removal *removal)
{
	struct dynamic_event *event, *next;
	int r = -ENOENT;

	for (event = TAILQ_FIRST(&root_dynamic(root)->list); event; event = next) {
		const struct event_format *format = dynamic_row_of(root, event)->format;

		next = TAILQ_NEXT(event, link);
		if (!event->kind->is_match(format, event->def, removal->system, removal->name,
					   &removal->arguments))
			continue;
		r = dynamic_remove(root, event);
		if (r)
			break;
	}
	dynamic_clear_stale(root);
	return r;
}

static int remove_events(struct root *root, const char *line)
{
	struct removal removal;
	struct words words;
	int r = words_split(line, strlen(line), &words);

	if (r)
		return r;
	r = parse_removal(&words, &removal);
	if (!r)
		r = remove_matching(root, &removal);
	words_free(&words);
	return r;
}

int dynamic_command(struct root *root, const char *line)
{
	int r = -ECANCELED;

	if (*line == '-' || *line == '!')
		return remove_events(root, line);
	for (uint32_t i = 0; r == -ECANCELED && i < nr_dynamic_kinds; i++)
		r = dynamic_kinds[i]->create(root, line);
	return r == -ECANCELED ? -EINVAL : r;
}

int dynamic_run_lines(struct root *root, const char *data, size_t size,
		      int (*run)(struct root *root, const char *line))
{
	char line[LINE_MAX_BYTES + 1];
	int r = 0;

	for (size_t at = 0; !r && at < size; ) {
		const char *end = memchr(data + at, '\n', size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at;

		if (len + !!end > LINE_MAX_BYTES || memchr(data + at, '\0', len))
			return -EINVAL;
		memcpy(line, data + at, len);
		line[len] = '\0';
		line[strcspn(line, "#")] = '\0';
		r = run(root, line);
		at += len + 1;
	}
	return r;
}

void dynamic_list(const struct root *root, struct text *out)
{
	const struct dynamic_event *event;

	TAILQ_FOREACH(event, &root_dynamic(root)->list, link) {
		event->kind->show(event->def, out);
		text_putc(out, '\n');
	}
}
