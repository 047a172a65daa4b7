/* SPDX-License-Identifier: MIT */
/*
 * Record a hit of a USDT probe.  All registers of the program are saved (usite.S).
 *
 * An argument may be in memory, at an address in a register.  The note of the probe may be
 * wrong, and the program may have freed the memory, so a load must not fault.  The memory
 * page of the stack pointer exists, because this code uses it.  All other memory is copied
 * by a system call, which fails if the address is invalid.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/usdt/usdt.h"
#include <ulf/record.h>

#define NESTING_MAX	16u		/* maximum nesting depth of hits and probes in a thread; a
					 * deeper hit is not recorded */

/* ---- compute the values of arguments ---- */

/* Returns true if @bytes bytes at @addr are on the stack page of the thread whose stack pointer is
 * @sp, or in its red zone. */
static bool is_on_stack(uint64_t addr, uint32_t bytes, uint64_t sp)
{
	uint64_t low = sp - USITE_RED_ZONE, end = arch_page_end(sp + 1);

	return addr >= low && addr < end && end - addr >= bytes;
}

static uint64_t load(uint64_t addr, uint32_t bytes, uint64_t sp, uint32_t tid)
{
	uint64_t value = 0;

	if (is_on_stack(addr, bytes, sp))
		memcpy(&value, (const void *)addr, bytes);
	else if (arch_read_memory(tid, addr, &value, bytes) != bytes)
		value = 0;
	return value;
}

static uint64_t register_of(const struct usite_regs *regs, uint8_t number)
{
	return number == USDT_NO_REGISTER ? 0 : regs->by_number[number];
}

/* Returns the value of the argument @arg, extended to 64 bits. */
static uint64_t value_of(const struct usdt_arg *arg, const struct usite_regs *regs,
			 const struct usdt_place *place, uint32_t tid)
{
	uint32_t unused_bits = 64 - 8 * arg->bytes;
	uint64_t value = arg->value, sp = regs->by_number[USDT_RSP];

	switch (arg->kind) {
	case USDT_CONSTANT:
		break;
	case USDT_ADDRESS:
		value += place->bias;
		break;
	case USDT_REGISTER:
		value = regs->by_number[arg->base] >> arg->shift;
		break;
	case USDT_MEMORY:
		value += register_of(regs, arg->base) + register_of(regs, arg->index) * arg->scale;
		value = load(value, arg->bytes, sp, tid);
		break;
	case USDT_OBJECT:
		value = load(value + place->bias, arg->bytes, sp, tid);
		break;
	default:
		return 0;
	}
	value <<= unused_bits;
	return arg->is_signed ? (uint64_t)((int64_t)value >> unused_bits) : value >> unused_bits;
}

/* ---- hits ---- */

void usdt_probe(void *event, const struct usite_regs *regs, const struct usdt_place *place)
{
	const struct usdt_made *made = event;
	char *entry = ULF_RECORD_ALLOC(sizeof(struct trace_entry) +
				       (1 + USDT_ARGS_MAX) * sizeof(uint64_t));
	uint32_t tid = ulf_this_thread->tid;

	memset(entry, 0, made->bytes);
	memcpy(entry + sizeof(struct trace_entry), &place->code, sizeof(place->code));
	for (uint32_t i = 0; i < made->nr_args; i++) {
		uint64_t value;

		if (!made->offsets[i])
			continue;
		value = value_of(&place->args[i], regs, place, tid);
		memcpy(entry + made->offsets[i], &value, made->sizes[i]);
	}
	ulf_event_commit(&made->event, entry, made->bytes);
}

uint64_t usdt_hit(uint64_t regs, uint64_t data, uint64_t c)
{
	const struct usdt_place *place = (const struct usdt_place *)data;
	const struct ulf_thread *thread = ulf_probe_enter();
	const struct tracepoint_func *funcs;

	(void)c;
	if (!thread)
		return 0;
	/* acquire: the list is complete; mate: publish_probes() [probe.publish] */
	funcs = __atomic_load_n(&place->made->tracepoint.funcs, __ATOMIC_ACQUIRE);
	if ((thread->nesting & ULF_NESTING_MASK) <= NESTING_MAX)
		for (; funcs && funcs->func; funcs++)
			((__typeof__(&usdt_probe))funcs->func)(funcs->data,
							       (const struct usite_regs *)regs,
							       place);
	ulf_probe_exit();
	return 0;
}
