/* SPDX-License-Identifier: MIT */
/*
 * The table of clocks.  The names are those of the kernel's clocks that make sense for
 * a program.  "local" and "global" are one clock here, because the TSC that both read
 * is synchronous on all CPUs.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "event/clock.h"

#define UPTIME_NS	10000000u	/* unit of the clock "uptime": 1/100 s, in ns */

/* ---- methods ---- */

static uint64_t read_posix(const struct clock_row *row, struct abi_control *control)
{
	(void)control;
	return clock_posix_ns(row->id);
}

static uint64_t read_uptime(const struct clock_row *row, struct abi_control *control)
{
	return read_posix(row, control) / UPTIME_NS;
}

static uint64_t read_perf(const struct clock_row *row, struct abi_control *control)
{
	return read_posix(row, control) +
	       __atomic_load_n(&control->perf_ns, __ATOMIC_RELAXED);
}

static uint64_t read_tsc(const struct clock_row *row, struct abi_control *control)
{
	(void)row;
	(void)control;
	return arch_tsc();
}

static uint64_t read_counter(const struct clock_row *row, struct abi_control *control)
{
	(void)row;
	return __atomic_add_fetch(&control->counter, 1, __ATOMIC_RELAXED);
}

/* For the clock that counts records: return the number that the next record will get.  The
 * counter is not raised, because only the next record raises it. */
static uint64_t peek_counter(const struct clock_row *row, struct abi_control *control)
{
	(void)row;
	return __atomic_load_n(&control->counter, __ATOMIC_RELAXED) + 1;
}

static bool ring_tsc_ns(const struct abi_clock *base, struct abi_clock *ret_scale)
{
	*ret_scale = *base;
	return base->mult;
}

static bool ring_tsc(const struct abi_clock *base, struct abi_clock *ret_scale)
{
	(void)base;
	*ret_scale = (struct abi_clock){ .mult = 1ull << 32 };
	return true;
}

/* ---- rows ---- */

/*
 * The clocks, in the order in which users see them: X(number, name, help, members of struct
 * clock_row).  abi_buffer.clock contains the number.  So a number must never change,
 * and never be used for another clock.  Numbers have no gaps.
 */
#define CLOCKS(X)							\
	X(0, "local", "TSC in ns on CLOCK_MONOTONIC's base: the default", \
	  .read = read_posix, .ring = ring_tsc_ns,			\
	  .id = CLOCK_MONOTONIC, .is_ns = true)				\
	X(1, "global", "the same clock as local, which is in step on all CPUs", \
	  .read = read_posix, .ring = ring_tsc_ns,			\
	  .id = CLOCK_MONOTONIC, .is_ns = true)				\
	X(2, "counter", "no clock: counts the records",			\
	  .read = read_counter, .peek = peek_counter)			\
	X(3, "uptime", "hundredths of a second since the machine's start", \
	  .read = read_uptime, .id = CLOCK_MONOTONIC_COARSE)		\
	X(9, "perf", "the clock of perf's records, if perf_event_open() is allowed", \
	  .read = read_perf, .id = CLOCK_MONOTONIC_RAW, .is_ns = true,	\
	  .has_offset = true)						\
	X(4, "mono", "CLOCK_MONOTONIC",					\
	  .read = read_posix, .id = CLOCK_MONOTONIC, .is_ns = true)	\
	X(5, "mono_raw", "CLOCK_MONOTONIC_RAW",				\
	  .read = read_posix, .id = CLOCK_MONOTONIC_RAW, .is_ns = true)	\
	X(6, "boot", "CLOCK_BOOTTIME: goes on while the machine sleeps", \
	  .read = read_posix, .id = CLOCK_BOOTTIME, .is_ns = true)	\
	X(7, "tai", "CLOCK_TAI: the date, without leap seconds",	\
	  .read = read_posix, .id = CLOCK_TAI, .is_ns = true)		\
	X(8, "x86-tsc", "the TSC's own count",				\
	  .read = read_tsc, .ring = ring_tsc, .is_tsc = true)

const struct clock_row clock_table[] = {
#define ROW(number, name_, help_, ...) \
	[number] = { .name = name_, .help = help_, __VA_ARGS__ },
	CLOCKS(ROW)
#undef ROW
};

const size_t clock_table_rows = sizeof(clock_table) / sizeof(clock_table[0]);

/* The numbers of the clocks, in the order of CLOCKS.  If two rows of CLOCKS had the same
 * number, clock_table would not compile.  So if @order and clock_table have the same length,
 * no number is left out. */
static const uint8_t order[] = {
#define NUMBER(number, ...)	number,
	CLOCKS(NUMBER)
#undef NUMBER
};

static_assert(sizeof(order) == sizeof(clock_table) / sizeof(clock_table[0]),
	      "numbers have no gaps");

const struct clock_row *clock_nth(size_t nth)
{
	return &clock_table[order[nth]];
}

const struct clock_row *clock_get(uint32_t number)
{
	return &clock_table[number < clock_table_rows ? number : 0];
}

int clock_find(const char *name)
{
	for (size_t i = 0; i < clock_table_rows; i++)
		if (!strcmp(clock_table[i].name, name))
			return (int)i;
	return -EINVAL;
}
