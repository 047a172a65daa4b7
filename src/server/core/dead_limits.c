/* SPDX-License-Identifier: MIT */
/* Read how much space dead roots may take; see dead_limits.h. */
#include "server/core/dead_limits.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/config.h"

#define SECTION		"ulf server"	/* name of the server's section in ulf.conf; other
					 * sections are named after programs, and the
					 * blank in this name keeps it different from
					 * theirs */
#define WORDS_BYTES	8192
#define ROOTS		32768u
#define ROOTS_MAX	65536u		/* largest value of the setting dead_roots; one
					 * answer of the server can list so many roots */
#define PERCENT		50u		/* default of the setting dead_bytes, in percent
					 * of the size of the file system */
#define DAYS		7u
#define DAYS_MAX	36500u
#define PREFIX		"dead_"

static uint64_t part_of(const char *dir, uint64_t percent)
{
	struct statvfs vfs;

	if (statvfs(dir, &vfs))
		return UINT64_MAX;
	return (uint64_t)vfs.f_blocks * vfs.f_frsize / 100 * percent;
}

/* Parse a number from 1 to @most at the start of @text. *@ret_end is set to the text
 * after the number. */
static bool parse_number(const char *text, uint64_t most, uint64_t *ret_value,
			 const char **ret_end)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*ret_value = strtoull(text, &end, 10);
	*ret_end = end;
	return *ret_value && *ret_value <= most;
}

static bool parse_count(const char *text, uint32_t most, uint32_t *ret_count)
{
	uint64_t value;
	const char *end;

	if (!parse_number(text, most, &value, &end) || *end)
		return false;
	*ret_count = (uint32_t)value;
	return true;
}

static bool parse_bytes(const char *text, const char *dir, uint64_t *ret_bytes)
{
	static const char units[] = "KMG";
	uint64_t value;
	const char *end, *unit;

	if (!parse_number(text, 1ull << 32, &value, &end))
		return false;
	if (!strcmp(end, "%")) {
		*ret_bytes = part_of(dir, value);
		return value <= 100;
	}
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*end && (!unit || end[1]))
		return false;
	*ret_bytes = unit ? value << (10 * (unit - units + 1)) : value;
	return true;
}

/* Parse one token of the section [ulf server] of ulf.conf.  Tokens without the prefix
 * "dead_" are ignored: they set something other than the limits of dead roots. */
static bool parse_word(const char *word, const char *dir, struct dead_limits *limits)
{
	const char *value = strchr(word, '=');
	size_t len = value ? (size_t)(value++ - word) : 0;

	if (strncmp(word, PREFIX, strlen(PREFIX)))
		return true;
	if (len == strlen("dead_roots") && !strncmp(word, "dead_roots", len))
		return parse_count(value, ROOTS_MAX, &limits->roots);
	if (len == strlen("dead_bytes") && !strncmp(word, "dead_bytes", len))
		return parse_bytes(value, dir, &limits->bytes);
	if (len == strlen("dead_days") && !strncmp(word, "dead_days", len))
		return parse_count(value, DAYS_MAX, &limits->days);
	return false;
}

void dead_limits_load(const char *dir, struct dead_limits *ret_limits, char *ret_bad)
{
	struct dead_limits limits = { ROOTS, part_of(dir, PERCENT), DAYS };
	char words[WORDS_BYTES], *save, *word;

	if (ret_bad)
		*ret_bad = '\0';
	if (config_words(SECTION, words, sizeof(words)))
		*words = '\0';
	for (word = strtok_r(words, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		struct dead_limits changed = limits;

		if (parse_word(word, dir, &changed))
			limits = changed;
		else if (ret_bad && !*ret_bad)
			snprintf(ret_bad, DEAD_LIMITS_BAD_BYTES, "%s", word);
	}
	*ret_limits = limits;
}
