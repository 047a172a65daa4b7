/* SPDX-License-Identifier: MIT */
/* Parse REC and its members. */
#include "event/print_parse.h"

#include <errno.h>
#include <string.h>

static const struct event_field *find_field(struct compiler *c,
					    const char *name, size_t len)
{
	const struct event_field *field = event_format_find(c->fmt, name, len);

	if (!field)
		print_fail(c, -EINVAL, "no such field");
	return field;
}

/* Parse REC->__data_loc_x, which is the word with length and offset of field x. */
static uint32_t parse_loc_word(struct compiler *c, size_t prefix_len)
{
	const struct event_field *field = find_field(c, c->tok.text + prefix_len,
						     c->tok.len - prefix_len);
	struct event_field word;

	if (!field)
		return 0;
	word = *field;
	word.kind = FIELD_PLAIN;
	word.type = "u32";
	word.is_signed = false;
	return print_node_field(c, &word);
}

uint32_t print_parse_rec(struct compiler *c)
{
	print_next_token(c);
	return print_node(c, (struct node){
		.op = OP_ADDR, .type = { .is_ptr = true }, .a = UINT32_MAX });
}

bool print_is_rec(const struct compiler *c, uint32_t n)
{
	const struct node *node = print_node_at(c, n);

	return node->op == OP_ADDR && !node->imm && node->a == UINT32_MAX;
}

/*
 * The members of structs that the compiler knows.  A format contains the size of a struct but
 * not its members.  So the table lists only structs that have the same layout in every
 * program.
 */
static const struct member {
	const char *type, *name;
	uint8_t offset;
} members[] = {
	{ "struct timespec", "tv_sec", 0 }, { "struct timespec", "tv_nsec", 8 },
	{ "struct timespec64", "tv_sec", 0 }, { "struct timespec64", "tv_nsec", 8 },
	{ "struct timeval", "tv_sec", 0 }, { "struct timeval", "tv_usec", 8 },
};

/* Parse a member of a struct, for example tv_sec in REC->ts.tv_sec.  The current token is
 * the name of the member.  Returns 0 if the member is unknown. */
static uint32_t parse_struct_member(struct compiler *c, struct event_field field)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(members[i].type, field.type) != 0 ||
		    !print_is_name(c, members[i].name))
			continue;
		field.type = "long";
		field.offset += members[i].offset;
		field.size = 8;
		field.is_signed = true;
		print_next_token(c);
		return print_node_field(c, &field);
	}
	return 0;
}

uint32_t print_parse_member(struct compiler *c)
{
	const struct event_field *field;
	struct mark mark;
	uint32_t n;

	if (c->tok.kind != TOK_NAME) {
		print_fail(c, -EINVAL, "no such field");
		return 0;
	}
	if (c->tok.len > 11 && memcmp(c->tok.text, "__data_loc_", 11) == 0) {
		n = parse_loc_word(c, 11);
		print_next_token(c);
		return n;
	}
	if (c->tok.len > 10 && memcmp(c->tok.text, "__rel_loc_", 10) == 0) {
		n = parse_loc_word(c, 10);
		print_next_token(c);
		return n;
	}
	field = find_field(c, c->tok.text, c->tok.len);
	print_next_token(c);
	if (!field)
		return 0;
	mark = print_mark(c);
	if (field->kind == FIELD_PLAIN && field->size == 16 &&
	    print_accept_punct(c, '.')) {
		n = parse_struct_member(c, *field);
		if (n)
			return n;
		print_rewind(c, mark);
	}
	return print_node_field(c, field);
}
