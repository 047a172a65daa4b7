/* SPDX-License-Identifier: MIT */
/*
 * CPUS{LIST} in filters.  LIST has the syntax of the kernel's boot options: numbers and
 * ranges, "all", N for the last CPU, and FIRST-LAST:USED/GROUP for the first USED of
 * every GROUP CPUs.  Commas and white space separate the items.  Example: 0-7:1/2 is 0,
 * 2, 4, 6.
 */
#include <strings.h>

#include "filter/term.h"

#define CPUS_MAX	8192u

/* The CPUs of a list CPUS{LIST}, as a mask. */
struct cpus {
	uint32_t nr_cpus;
	uint8_t mask[CPUS_MAX / 8];
};

static size_t mask_bytes(const struct cpus *cpus)
{
	return (cpus->nr_cpus + 7) / 8;
}

/* ---- parse LIST of CPUS{LIST}, up to the } ---- */

static bool parse_cpu_number(struct parser *p, uint32_t nr_cpus, uint32_t *ret_number)
{
	size_t start = p->at;
	uint32_t n = 0;

	if (term_accept(p, "N")) {
		*ret_number = nr_cpus - 1;
		return true;
	}
	while (p->text[p->at] >= '0' && p->text[p->at] <= '9') {
		if (n > CPUS_MAX)
			return false;
		n = n * 10 + (uint32_t)(p->text[p->at++] - '0');
	}
	*ret_number = n;
	return p->at > start;
}

static bool parse_cpu_range(struct parser *p, uint32_t nr_cpus, uint32_t *ret_first,
			    uint32_t *ret_last)
{
	if (!strncasecmp(p->text + p->at, "all", 3)) {
		p->at += 3;
		*ret_first = 0;
		*ret_last = nr_cpus - 1;
		return true;
	}
	if (!parse_cpu_number(p, nr_cpus, ret_first))
		return false;
	if (term_accept(p, "-"))
		return parse_cpu_number(p, nr_cpus, ret_last);
	*ret_last = *ret_first;
	return p->text[p->at] != ':';	/* only after a range may a group such as ":1/2"
					 * follow */
}

static bool is_list_separator(char c)
{
	return c == ',' || parser_is_space(c);
}

static bool parse_cpu_region(struct parser *p, struct cpus *cpus)
{
	uint32_t first, last, used = 1, group = 1, nr_cpus = cpus->nr_cpus;

	if (!parse_cpu_range(p, nr_cpus, &first, &last))
		return false;
	if (term_accept(p, ":") &&
	    !(parse_cpu_number(p, nr_cpus, &used) && term_accept(p, "/") &&
	      parse_cpu_number(p, nr_cpus, &group)))
		return false;
	if (p->text[p->at] != '}' && !is_list_separator(p->text[p->at]))
		return false;
	if (first > last || last >= nr_cpus || !group || used > group)
		return false;
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		if ((cpu - first) % group < used)
			cpus->mask[cpu / 8] |= 1u << cpu % 8;
	}
	return true;
}

static bool parse_cpu_regions(struct parser *p, struct cpus *cpus)
{
	for (;;) {
		while (is_list_separator(p->text[p->at]))
			p->at++;
		if (p->text[p->at] == '}')
			return true;
		if (!parse_cpu_region(p, cpus))
			return false;
	}
}

static int parse_cpu_list(struct parser *p, struct cpus *cpus)
{
	size_t start, end;

	if (!term_accept(p, "CPUS{"))
		return term_fail(p, FILTER_ERR_MISSING_BRACE_OPEN,
				 p->at + strlen("CPUS{"));
	start = p->at;
	end = start + strcspn(p->text + start, "}");
	if (!p->text[end])
		return term_fail(p, FILTER_ERR_MISSING_BRACE_CLOSE, end);
	if (start == end || !parse_cpu_regions(p, cpus))
		return term_fail(p, FILTER_ERR_INVALID_CPULIST, end);
	p->at = end + 1;
	return 0;
}

/* ---- emit the code that compares a field with the CPUs of LIST ---- */

static struct part emit_mask_compare(struct parser *p, const struct term *t,
				     const struct cpus *cpus)
{
	struct filter_insn insn = {
		.op = t->field.use == USE_MASK_LOC ? FILTER_OP_MASK_LOC :
			FILTER_OP_MASK_REL,
		.flags = t->op == OP_AND ? FILTER_INTERSECT : 0,
	};
	struct part part;

	code_pool(&p->code, &insn, cpus->mask, mask_bytes(cpus));
	part = term_emit(p, &t->field, insn);
	return t->op == OP_NE ? part_not(part) : part;
}

/* Returns the number of CPUs in the mask, and the highest of them in *@ret_last. */
static uint32_t count_cpus(const struct cpus *cpus, uint32_t *ret_last)
{
	uint32_t nr = 0;

	for (uint32_t cpu = 0; cpu < cpus->nr_cpus; cpu++) {
		if (cpus->mask[cpu / 8] >> cpu % 8 & 1) {
			*ret_last = cpu;
			nr++;
		}
	}
	return nr;
}

/* Compare the list of CPUs with a field that is a number.  The number counts as a mask that
 * contains only the CPU with this number. */
static struct part emit_number_in_mask(struct parser *p, const struct term *t,
				       const struct cpus *cpus)
{
	struct term_field field = t->field;
	struct filter_insn insn = { .op = FILTER_OP_IN };
	uint32_t cpu;

	field.is_signed = false;
	if (count_cpus(cpus, &cpu) == 1)
		return term_emit_compare(p, &field, t->op == OP_AND ? OP_EQ :
					 t->op, cpu);
	if (!field.bits || t->op == OP_EQ)
		return term_emit_never(p);
	/* The list has no CPU, or several CPUs.  So its mask never equals the mask of one
	 * CPU, and != is true for the number of every CPU.  A number that is no CPU's number
	 * never matches. */
	if (t->op == OP_NE)
		return term_emit_compare(p, &field, OP_LT, cpus->nr_cpus);
	insn.load = term_load(&field);
	code_pool(&p->code, &insn, cpus->mask, mask_bytes(cpus));
	return term_emit(p, &field, insn);
}

int term_parse_cpus(struct parser *p, const struct term *t,
		    struct part *ret_part)
{
	struct cpus cpus = { .nr_cpus = p->env->nr_cpus };
	int r;

	if (cpus.nr_cpus > CPUS_MAX)
		cpus.nr_cpus = CPUS_MAX;
	if (term_is_string(t) || t->field.use == USE_FLOAT ||
	    (t->op != OP_EQ && t->op != OP_NE && t->op != OP_AND))
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	r = parse_cpu_list(p, &cpus);
	if (r)
		return r;
	if (t->field.use == USE_MASK_LOC || t->field.use == USE_MASK_REL)
		*ret_part = emit_mask_compare(p, t, &cpus);
	else
		*ret_part = emit_number_in_mask(p, t, &cpus);
	return 0;
}
