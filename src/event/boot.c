/* SPDX-License-Identifier: MIT */
/* Boot settings: split a text into settings, a setting into name and value, and a value into
 * items. */
#include <string.h>

#include "abi/own_systems.h"
#include "base/glob.h"
#include "event/boot.h"

#define BLANKS		" \t\n"
#define NAME_MAX_LEN	255

const struct boot_row boot_table[BOOT_UNKNOWN] = {
#define ROW(id, name, value)	[BOOT_##id] = { name, value },
	BOOT_WORDS(ROW)
#undef ROW
};

/* Returns true if @name is equal to @row_name.  A '-' in @name counts as a '_'. */
static bool is_boot_name(const struct boot_token *name, const char *row_name)
{
	if (strlen(row_name) != name->len)
		return false;
	for (size_t i = 0; i < name->len; i++) {
		char c = name->text[i] == '-' ? '_' : name->text[i];

		if (c != row_name[i])
			return false;
	}
	return true;
}

static enum boot_id find_boot_row(const struct boot_token *name)
{
	enum boot_id id = 0;

	while (id < BOOT_UNKNOWN && !is_boot_name(name, boot_table[id].name))
		id++;
	return id;
}

/* Returns the length of the setting at @text.  A setting ends at a blank that is not in
 * quotes. */
static size_t boot_word_len(const char *text)
{
	bool is_quoted = false;
	size_t len = 0;

	for (; text[len] && (is_quoted || !strchr(BLANKS, text[len])); len++)
		is_quoted ^= text[len] == '"';
	return len;
}

static struct boot_token unquote_boot_value(const char *text, size_t len)
{
	if (len && *text == '"') {
		text++;
		len--;
		if (len && text[len - 1] == '"')
			len--;
	}
	return (struct boot_token){ text, len };
}

bool boot_next(const char **text, struct boot_word *ret_word)
{
	const char *start = *text + strspn(*text, BLANKS), *equals;
	struct boot_token name;
	size_t len = boot_word_len(start);

	if (!len)
		return false;
	*text = start + len;
	equals = memchr(start, '=', len);
	name = (struct boot_token){ start, equals ? (size_t)(equals - start) : len };
	*ret_word = (struct boot_word){ find_boot_row(&name), { start, len }, { 0 } };
	if (equals)
		ret_word->value = unquote_boot_value(equals + 1, len - name.len - 1);
	return true;
}

bool boot_find(const char *text, enum boot_id id, struct boot_word *ret_word)
{
	struct boot_word word;
	bool is_found = false;

	while (boot_next(&text, &word)) {
		if (word.id != id)
			continue;
		*ret_word = word;
		is_found = true;
	}
	return is_found;
}

bool boot_has(const char *text, enum boot_id id)
{
	struct boot_word word;

	return boot_find(text, id, &word);
}

/* Remove the first @len bytes of *@from, and the separator after them.  Returns these bytes
 * without the separator. */
static struct boot_token cut_boot_token(struct boot_token *from, size_t len)
{
	struct boot_token token = { from->text, len };

	if (len < from->len)
		len++;		/* also remove the separator after the @len bytes */
	from->text += len;
	from->len -= len;
	return token;
}

/* Returns the number of bytes of @token before the first @end, or all bytes if it contains
 * no @end. */
static size_t length_to_char(const struct boot_token *token, char end)
{
	const char *at = token->len ? memchr(token->text, end, token->len) : NULL;

	return at ? (size_t)(at - token->text) : token->len;
}

bool boot_item(struct boot_token *list, struct boot_token *ret_item)
{
	do {
		if (!list->len)
			return false;
		*ret_item = cut_boot_token(list, length_to_char(list, ','));
	} while (!ret_item->len);
	return true;
}

bool boot_fits(const struct boot_token *item, const char *system, const char *name)
{
	bool is_off = item->len && *item->text == '!';
	const char *text = item->text + is_off, *colon;
	size_t len = item->len - is_off, left;

	colon = len ? memchr(text, ':', len) : NULL;
	if (!colon)
		return glob_match_n(text, len, system) ||
		       glob_match_n(text, len, name);
	left = (size_t)(colon - text);
	return (!left || glob_match_n(text, left, system)) &&
	       (left + 1 == len || glob_match_n(colon + 1, len - left - 1, name));
}

bool boot_list_fits(struct boot_token list, const char *system, const char *name)
{
	struct boot_token item;

	while (boot_item(&list, &item))
		if (boot_fits(&item, system, name))
			return true;
	return false;
}

bool boot_token_is(const struct boot_token *token, const char *text)
{
	return token->len == strlen(text) && !memcmp(token->text, text, token->len);
}

const char *boot_instance(const struct boot_token *value,
			  struct boot_instance *ret_instance, const char **ret_at)
{
	struct boot_token events = *value;
	struct boot_token flags = cut_boot_token(&events, length_to_char(&events, ','));
	struct boot_token name = cut_boot_token(&flags, length_to_char(&flags, '^'));
	bool is_off = false;

	*ret_at = name.text;
	if (!name.len || name.len > NAME_MAX_LEN || boot_token_is(&name, ".") ||
	    boot_token_is(&name, "..") || memchr(name.text, '/', name.len))
		return "Not a name for an instance";
	while (flags.len) {
		struct boot_token flag = cut_boot_token(&flags, length_to_char(&flags, '^'));

		*ret_at = flag.text;
		if (!boot_token_is(&flag, "traceoff"))
			return "No such flag: there is traceoff";
		is_off = true;
	}
	*ret_instance = (struct boot_instance){ name, events, is_off };
	return NULL;
}

bool boot_trigger(const struct boot_token *item, struct boot_trigger *ret_trigger)
{
	struct boot_token command = *item;
	struct boot_token event = cut_boot_token(&command, length_to_char(&command, '.'));

	*ret_trigger = (struct boot_trigger){ event, command };
	return event.len && command.len;
}

bool boot_trigger_fits(const struct boot_trigger *trigger, const char *system, const char *name)
{
	struct boot_token event = trigger->event;
	const char *colon = memchr(event.text, ':', event.len);

	if (colon) {
		struct boot_token of = { event.text, (size_t)(colon - event.text) };

		if (!boot_token_is(&of, system))
			return false;
		event = (struct boot_token){ colon + 1, event.len - of.len - 1 };
	}
	return boot_token_is(&event, name);
}

bool boot_filter(const struct boot_token *value, struct boot_filter *ret_filter)
{
	struct boot_token filter = *value;
	struct boot_token events = cut_boot_token(&filter, length_to_char(&filter, ' '));

	*ret_filter = (struct boot_filter){ events, filter };
	return events.len && filter.len;
}

/* ---- libulf's own events ---- */

bool boot_names_own(const struct boot_token *item)
{
	size_t first = item->len && *item->text == '!', len = first;

	while (len < item->len && item->text[len] != ':')
		len++;
	return abi_is_own_system(item->text + first, len - first);
}

static bool list_has_own(struct boot_token list)
{
	struct boot_token item;

	while (boot_item(&list, &item))
		if (boot_names_own(&item))
			return true;
	return false;
}

bool boot_has_own(const char *words)
{
	struct boot_instance instance;
	struct boot_word word;
	const char *at;

	while (boot_next(&words, &word))
		if ((word.id == BOOT_EVENT && list_has_own(word.value)) ||
		    (word.id == BOOT_INSTANCE && !boot_instance(&word.value, &instance, &at) &&
		     list_has_own(instance.events)))
			return true;
	return false;
}
