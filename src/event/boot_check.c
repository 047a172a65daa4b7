/* SPDX-License-Identifier: MIT */
/* Check the values of boot settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/boot.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"

#define ITEM_MAX	63		/* maximum length of an item in the value of a boot
					 * setting, bytes; writes to trace_options have the
					 * same limit */

/* Copy @token to @buf, and append a NUL.  Returns @buf, or NULL if @token is longer than any
 * valid name. */
static const char *copy_boot_text(const struct boot_token *token, char buf[ITEM_MAX + 1])
{
	if (token->len > ITEM_MAX)
		return NULL;
	memcpy(buf, token->text, token->len);
	buf[token->len] = '\0';
	return buf;
}

int boot_size(const struct boot_token *value, uint64_t *ret_bytes)
{
	static const char suffixes[] = "KMGTPE";
	char buf[ITEM_MAX + 1], *end;
	const char *text = copy_boot_text(value, buf), *suffix;
	unsigned int shift = 0;
	uint64_t bytes;

	if (!text || *text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	bytes = strtoull(text, &end, 0);
	suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
	if (suffix) {
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
		end++;
	}
	if (*end || !bytes)
		return -EINVAL;
	if (errno || bytes > UINT64_MAX >> shift)
		return -ERANGE;
	*ret_bytes = bytes << shift;
	return 0;
}

static bool is_option_name(const struct boot_token *item)
{
	char buf[ITEM_MAX + 1];
	const char *name = copy_boot_text(item, buf);

	if (name && !strncmp(name, "no", 2))
		name += 2;
	return name && option_find(name);
}

static bool is_boot_number(const struct boot_token *value)
{
	char buf[ITEM_MAX + 1], *end;
	const char *text = copy_boot_text(value, buf);

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	return strtoull(text, &end, 0) <= UINT32_MAX && !errno && !*end;
}

static const char *check_boot_options(struct boot_token list, const char **ret_at)
{
	struct boot_token item;

	while (boot_item(&list, &item)) {
		*ret_at = item.text;
		if (!is_option_name(&item))
			return "No such option";
	}
	return NULL;
}

static const char *check_boot_triggers(struct boot_token list, const char **ret_at)
{
	struct boot_trigger trigger;
	struct boot_token item;

	while (boot_item(&list, &item)) {
		*ret_at = item.text;
		if (!boot_trigger(&item, &trigger))
			return "Not a trigger: EVENT.TRIGGER";
	}
	return NULL;
}

/* Check that the boot setting @word has a value if it needs one, and no value if it
 * takes none. */
static const char *check_has_value(const struct boot_word *word)
{
	const char *wanted = boot_table[word->id].value;

	if (!wanted)
		return word->value.text ? "It takes no value" : NULL;
	return *wanted != '[' && !word->value.len ? "A value is missing" : NULL;
}

const char *boot_check(const struct boot_word *word, const char **ret_at)
{
	struct boot_instance instance;
	struct boot_filter filter;
	char buf[ITEM_MAX + 1];
	const char *error;
	uint64_t bytes;

	*ret_at = word->whole.text;
	if (word->id == BOOT_UNKNOWN)
		return "No such setting";
	error = check_has_value(word);
	if (error || !word->value.text)
		return error;
	*ret_at = word->value.text;
	switch (word->id) {
	case BOOT_BUF_SIZE:
		return boot_size(&word->value, &bytes) ?
		       "Not a size: a number, and K, M or G" : NULL;
	case BOOT_CLOCK:
		return !copy_boot_text(&word->value, buf) || clock_find(buf) < 0 ?
		       "No such clock" : NULL;
	case BOOT_TRACER:
		return !copy_boot_text(&word->value, buf) || tracer_find(buf) < 0 ?
		       "No such tracer" : NULL;
	case BOOT_GRAPH_DEPTH:
		return is_boot_number(&word->value) ? NULL : "Not a number";
	case BOOT_OPTIONS:
		return check_boot_options(word->value, ret_at);
	case BOOT_DUMP:
		return boot_token_is(&word->value, "orig_cpu") ? NULL :
		       "There is orig_cpu, or no value at all";
	case BOOT_TRIGGER:
		return check_boot_triggers(word->value, ret_at);
	case BOOT_EVENT_FILTER:
		return boot_filter(&word->value, &filter) ? NULL : "Not a filter: EVENTS FILTER";
	case BOOT_INSTANCE:
		return boot_instance(&word->value, &instance, ret_at);
	default:
		return NULL;
	}
}
