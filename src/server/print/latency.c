/* SPDX-License-Identifier: MIT */
/* Latency tracers: see latency.h, and abi/control.h for the words in shared memory. */
#include "server/print/latency.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "event/option.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"

#define SET_OPTIONS	(OPTION_LATENCY_FMT | OPTION_OVERWRITE)
#define STAT_BYTES	1024

/* Positions of numbers in /proc/TID/stat, counted from the state, which comes after the name. */
enum { STAT_NICE = 16, STAT_RT_PRIORITY = 37, STAT_POLICY = 38 };

uint64_t latency_max(const struct instance *instance)
{
	return abi_latency_us(shm_load(&instance->abi->latency.longest));
}

void latency_set_max(struct instance *instance, uint64_t us)
{
	shm_store(&instance->abi->latency.longest, abi_latency_word(us, 0));
}

uint64_t latency_thresh(const struct root *root)
{
	return shm_load(&root->top.abi->latency.thresh_us);
}

void latency_set_thresh(struct root *root, uint64_t us)
{
	struct instance *instance;

	for_each_instance(instance, root)
		shm_store(&instance->abi->latency.thresh_us, us);
}

bool latency_owns_spare(const struct instance *instance)
{
	return shm_load(&instance->abi->latency.owns_spare);
}

/* ---- the thread that had the latency ---- */

/* Copy the row of the latency with the serial number @serial.  Returns false if the row now
 * has another latency. */
static bool copy_row(const struct abi_latency *latency, uint32_t serial,
		     struct abi_latency_row *ret_row)
{
	const struct abi_latency_row *row = &latency->rows[serial % ABI_LATENCY_ROWS];

	if (!serial || __atomic_load_n(&row->serial, __ATOMIC_ACQUIRE) != serial)
		return false;				/* [latency.serial] */
	memcpy(ret_row, row, sizeof(*ret_row));
	ret_row->comm[sizeof(ret_row->comm) - 1] = '\0';
	for (char *c = ret_row->comm; *c; c++)	/* a newline in the name would begin another
						 * line of the header */
		if (iscntrl((unsigned char)*c))
			*c = '?';
	__atomic_thread_fence(__ATOMIC_ACQUIRE);	/* [latency.row] */
	return shm_load(&row->serial) == serial;
}

/* Return the number at position @at of the text of a stat file after the name, or 0. */
static long stat_number(const char *text, int at)
{
	long number = 0;

	for (; text && at; at--)
		text = strchr(text + 1, ' ');
	if (text)
		sscanf(text, "%ld", &number);
	return number;
}

/* Append how thread @tid is scheduled now, if it lives and has the name @comm. */
static void add_scheduling(uint32_t tid, const char *comm, char *text, size_t size)
{
	char path[64], stat[STAT_BYTES], name[ABI_COMM_LEN + 2];
	const char *at = NULL;
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tid);
	snprintf(name, sizeof(name), "(%s", comm);
	file = fopen(path, "re");
	if (file) {
		len = fread(stat, 1, sizeof(stat) - 1, file);
		fclose(file);
	}
	stat[len] = '\0';
	if (strstr(stat, name))
		at = strrchr(stat, ')');
	if (at)
		snprintf(text, size, " nice:%ld policy:%ld rt_prio:%ld",
			 stat_number(at + 2, STAT_NICE), stat_number(at + 2, STAT_POLICY),
			 stat_number(at + 2, STAT_RT_PRIORITY));
	else
		snprintf(text, size, " nice:? policy:? rt_prio:?");
}

void latency_get(const struct instance *instance, struct latency *ret_latency)
{
	const struct abi_latency *abi = &instance->abi->latency;
	/* acquire: the row is complete; mate: latency_claim() [latency.longest] */
	uint64_t word = __atomic_load_n(&abi->longest, __ATOMIC_ACQUIRE);
	struct latency latency = { .us = abi_latency_us(word) };
	struct abi_latency_row row;
	char scheduling[80];

	strcpy(latency.task, "-0 (uid:0 nice:0 policy:0 rt_prio:0)");
	if (copy_row(abi, word & ABI_LATENCY_SERIAL_MASK, &row)) {
		latency.tid = row.tid;
		latency.cpu = row.cpu;
		add_scheduling(row.tid, row.comm, scheduling, sizeof(scheduling));
		snprintf(latency.task, sizeof(latency.task), "%s-%" PRIu32 " (uid:%" PRIu32 "%s)",
			 row.comm, row.tid, shm_load(&instance->root->control->uid), scheduling);
	} else if (latency.us) {
		strcpy(latency.task, "<...>-0");
	}
	*ret_latency = latency;
}

/* ---- start and stop ---- */

static void set_options(struct instance *instance, uint64_t values)
{
	instance_set_option(instance, OPTION_LATENCY_FMT, values & OPTION_LATENCY_FMT);
	instance_set_option(instance, OPTION_OVERWRITE, values & OPTION_OVERWRITE);
}

int latency_start(struct instance *instance)
{
	struct abi_latency *abi = &instance->abi->latency;
	int r = instance_need_spare(instance);

	if (r)
		return r;
	latency_set_max(instance, 0);
	shm_store(&abi->thresh_us, latency_thresh(instance->root));
	shm_store(&abi->saved_options, instance_options(instance) & SET_OPTIONS);
	set_options(instance, SET_OPTIONS);
	shm_store(&abi->owns_spare, 1);
	instance_clear(instance, RINGS_SNAPSHOT, CPU_ALL);
	return 0;
}

void latency_stop(struct instance *instance)
{
	struct abi_latency *abi = &instance->abi->latency;

	if (!shm_load(&abi->owns_spare))
		return;
	shm_store(&abi->owns_spare, 0);
	set_options(instance, shm_load(&abi->saved_options));
	instance_free_spare(instance);
}
