/* SPDX-License-Identifier: MIT */
/*
 * Print the entries: the key, the values, and the variables of onmax(), onchange() and
 * save().
 */
#include <limits.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "hist/show_impl.h"

#define ENTRIES_PER_STEP	64u
#define BAR_LEN			20u

/* ---- values ---- */

bool show_count_stats(struct hist_show *show, struct text *out)
{
	uint32_t end = min_u32(show->nr_entries, show->at + 64 * ENTRIES_PER_STEP);

	(void)out;
	for (; show->at < end; show->at++) {
		for (uint32_t i = 0; i < show->def->nr_vals; i++) {
			uint64_t value = show_value(show, show->at, i);

			show->stats[i].total += value;
			show->stats[i].max = max_u64(show->stats[i].max, value);
		}
	}
	return show->at == show->nr_entries;
}

/* Returns @value as hundredths of a percent of @total; UINT_MAX if that cannot be computed.
 * A total that does not fit in 64 bits wraps around, as in the kernel. */
static uint32_t percent_of_total(uint64_t value, uint64_t total)
{
	if (total && value < UINT64_MAX / 10000)
		return (uint32_t)(value * 10000 / total);
	if (total / 10000)
		return (uint32_t)(value / (total / 10000));
	return value ? UINT_MAX : 0;
}

static void put_percent(uint64_t value, const struct show_stat *stat, struct text *out)
{
	uint32_t percent = percent_of_total(value, stat->total);

	if (percent == UINT_MAX) {
		text_puts(out, " (%):[ERROR]");
		return;
	}
	text_puts(out, " (%): ");
	show_put_number(percent / 100, 3, out);
	text_printf(out, ".%02u", percent % 100);
}

static void put_bar(uint64_t value, const struct show_stat *stat, struct text *out)
{
	static const char error[] = "[ERROR]";
	uint32_t percent = percent_of_total(value, stat->max), len;

	text_puts(out, ": ");
	if (percent == UINT_MAX) {
		text_fill(out, ' ', BAR_LEN - (sizeof(error) - 1));
		text_puts(out, error);
		return;
	}
	len = min_u32(percent * BAR_LEN / 10000, BAR_LEN);
	text_fill(out, '#', len);
	text_fill(out, ' ', BAR_LEN - len);
}

/* Append a value of an entry.  A value that is an expression is not printed: the kernel only
 * sums it up and sorts by it. */
static void put_value(const struct hist_show *show, uint32_t entry, uint32_t nr,
		      struct text *out)
{
	const struct hist_node *node = show->def->vals[nr];
	uint64_t value = show_value(show, entry, nr);

	if (hist_node_is_expr(node->kind))
		return;
	text_puts(out, "  ");
	show_put_name(node, out);
	switch (node->modifier) {
	case HIST_MOD_PERCENT:
		put_percent(value, &show->stats[nr], out);
		return;
	case HIST_MOD_GRAPH:
		put_bar(value, &show->stats[nr], out);
		return;
	case HIST_MOD_HEX:
		text_printf(out, ": %10llx", (unsigned long long)value);
		return;
	default:
		text_puts(out, ": ");
		show_put_number(value, 10, out);
	}
}

/* ---- variables ---- */

/* Returns the address of variable @nr of the entry @index, or NULL if the variable has no
 * value. */
static const char *find_var(const struct hist_show *show, uint32_t index, uint32_t nr)
{
	const struct hist_layout *layout = &show->view->layout;
	const char *entry = show_entry_at(show, index);
	/* mate: [hist.set] */
	uint64_t set = __atomic_load_n((const uint64_t *)(entry + layout->set_off),
				       __ATOMIC_ACQUIRE);

	if (!(set >> show->def->vars[nr].bit & 1))
		return NULL;
	return entry + layout->vars_off + show->def->vars[nr].offset;
}

static uint64_t load_number(const struct hist_show *show, uint32_t index, uint32_t nr)
{
	const char *var = find_var(show, index, nr);

	return var ? show_load(var) : 0;
}

/* Append a string that save() has stored; "(null)" if there is none, as in the kernel. */
static void put_saved_string(const char *var, struct text *out)
{
	uint64_t copy[HIST_STR_BYTES / 8 + 1] = { 0 };
	size_t start = out->len;

	for (uint32_t i = 0; var && i < HIST_STR_BYTES / 8; i++)
		copy[i] = show_load(var + 8 * i);
	text_puts(out, var ? (const char *)copy : "(null)");
	show_pad(out, start, 32);
	text_one_line(out, start);
}

/* Append a stack that save() has stored, one return address on each line.  The kernel prints
 * the address of its array instead, which is useless. */
static void put_saved_stack(const struct hist_show *show, const char *var, struct text *out)
{
	uint64_t ips[HIST_STACK_DEPTH] = { 0 };
	uint64_t nr = var ? min_u64(show_load(var), HIST_STACK_DEPTH) : 0;

	for (uint64_t i = 0; i < nr; i++)
		ips[i] = show_load(var + 8 + 8 * i);
	text_putc(out, '\n');
	show_put_stack(show, ips, out);
	if (!out->error && out->len)
		text_truncate(out, out->len - 1);
}

static void put_saved(const struct hist_show *show, const struct hist_action_def *save,
		      uint32_t index, struct text *out)
{
	for (uint32_t i = 0; i < save->nr_params; i++) {
		uint32_t nr = save->first_save + i;

		text_printf(out, "  %s: ", save->params[i]);
		switch (show->def->vars[nr].kind) {
		case HIST_STR:
			put_saved_string(find_var(show, index, nr), out);
			break;
		case HIST_STACK:
			put_saved_stack(show, find_var(show, index, nr), out);
			break;
		default:
			show_put_number(load_number(show, index, nr), 10, out);
		}
	}
}

static const struct hist_action_def *find_save(const struct hist_def *def)
{
	for (uint32_t i = 0; i < def->nr_actions; i++) {
		if (def->actions[i].kind == HIST_DO_SAVE)
			return &def->actions[i];
	}
	return NULL;
}

/* Append a line for each onmax() and onchange().  As in the kernel, each of these lines has
 * the values of save(), too. */
static void put_actions(const struct hist_show *show, uint32_t index, struct text *out)
{
	const struct hist_action_def *save = find_save(show->def);

	for (uint32_t i = 0; i < show->def->nr_actions; i++) {
		const struct hist_action_def *action = &show->def->actions[i];

		if (action->handler == HIST_ON_MATCH || action->kind == HIST_DO_SNAPSHOT)
			continue;
		text_puts(out, action->handler == HIST_ON_MAX ? "\n\tmax: " : "\n\tchanged: ");
		show_put_number(load_number(show, index, action->track_var), 10, out);
		if (save)
			put_saved(show, save, index, out);
	}
}

/* ---- entries ---- */

static void put_entry(const struct hist_show *show, uint32_t nr, struct text *out)
{
	const struct show_entry *entry = &show->entries[nr];

	show_put_key(show, show->keys + entry->key, entry->index, out);
	if (!show->def->is_nohitcount) {
		text_puts(out, " hitcount: ");
		show_put_number(entry->hits, 10, out);
	}
	for (uint32_t i = 0; i < show->def->nr_vals; i++)
		put_value(show, nr, i, out);
	put_actions(show, entry->index, out);
	text_putc(out, '\n');
}

bool show_print_entries(struct hist_show *show, struct text *out)
{
	uint32_t end = min_u32(show->nr_entries, show->at + ENTRIES_PER_STEP);

	for (; show->at < end && !out->error; show->at++)
		put_entry(show, show->items[show->at].entry, out);
	return show->at == show->nr_entries;
}

/* ---- snapshot ---- */

/* The last snapshot of a histogram, copied to private memory. */
struct last {
	uint32_t action, entry;
	uint64_t value;
};

static struct last load_last(const struct hist_table *table)
{
	/* acquire: load the members in this order; mate: note_snapshot() [hist.last] */
	return (struct last){
		.action = __atomic_load_n(&table->last_action, __ATOMIC_ACQUIRE),
		.entry = __atomic_load_n(&table->last_entry, __ATOMIC_ACQUIRE),
		.value = __atomic_load_n(&table->last_value, __ATOMIC_ACQUIRE),
	};
}

/* Load the last snapshot.  This thread does not take the lock of its writers, but loads it
 * again until two loads are equal. */
static struct last read_last(const struct hist_table *table)
{
	struct last last = load_last(table), again;

	for (uint32_t tries = 0; tries < 100; tries++) {
		again = load_last(table);
		if (again.action == last.action && again.entry == last.entry &&
		    again.value == last.value)
			break;
		last = again;
	}
	return last;
}

void show_put_snapshot(const struct hist_show *show, struct text *out)
{
	const struct hist_table *table = (const struct hist_table *)show->view->base;
	struct last last = read_last(table);
	const struct hist_action_def *action;
	uint64_t key[HIST_KEY_WORDS_MAX];

	if (!last.action || last.action > show->def->nr_actions ||
	    last.entry >= show->view->geometry.nr_entries)
		return;
	action = &show->def->actions[last.action - 1];
	if (action->kind != HIST_DO_SNAPSHOT || action->handler == HIST_ON_MATCH)
		return;
	text_printf(out, "\nSnapshot taken (see tracing/snapshot).  Details:\n"
			 "\ttriggering value { %s($%s) }: ",
		    action->handler == HIST_ON_MAX ? "onmax" : "onchange", action->var);
	show_put_number(last.value, 10, out);
	text_puts(out, "\ttriggered by event with key: ");
	show_read_key(show, last.entry, key);
	show_put_key(show, key, last.entry, out);
	text_putc(out, '\n');
}
