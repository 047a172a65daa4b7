/* SPDX-License-Identifier: MIT */
/* Find C types by their text. */
#include "event/type.h"

#include <string.h>

/* Kinds of words in the text of a C type.  Only a word of the kind WORD_TYPEDEF has its own
 * size and sign. */
enum word_role {
	WORD_CHAR, WORD_SHORT, WORD_INT, WORD_LONG, WORD_SIGNED, WORD_UNSIGNED,
	WORD_BOOL, WORD_FLOAT, WORD_DOUBLE,
	WORD_VOID, WORD_QUALIFIER, WORD_TAG, WORD_ENUM, WORD_TYPEDEF,
};

struct word {
	const char *name;
	uint8_t role;
	uint8_t size;
	bool is_signed;
};

#define TYPEDEF(name, size, is_signed) { name, WORD_TYPEDEF, size, is_signed }

static const struct word words[] = {
	{ .name = "char", .role = WORD_CHAR },
	{ .name = "short", .role = WORD_SHORT },
	{ .name = "int", .role = WORD_INT },
	{ .name = "long", .role = WORD_LONG },
	{ .name = "signed", .role = WORD_SIGNED },
	{ .name = "__signed__", .role = WORD_SIGNED },
	{ .name = "unsigned", .role = WORD_UNSIGNED },
	{ .name = "bool", .role = WORD_BOOL },
	{ .name = "_Bool", .role = WORD_BOOL },
	{ .name = "float", .role = WORD_FLOAT },
	{ .name = "double", .role = WORD_DOUBLE },
	{ .name = "void", .role = WORD_VOID },
	{ .name = "const", .role = WORD_QUALIFIER },
	{ .name = "volatile", .role = WORD_QUALIFIER },
	{ .name = "register", .role = WORD_QUALIFIER },
	{ .name = "static", .role = WORD_QUALIFIER },
	{ .name = "__user", .role = WORD_QUALIFIER },
	{ .name = "__force", .role = WORD_QUALIFIER },
	{ .name = "restrict", .role = WORD_QUALIFIER },
	{ .name = "__restrict", .role = WORD_QUALIFIER },
	{ .name = "__const", .role = WORD_QUALIFIER },
	{ .name = "struct", .role = WORD_TAG },
	{ .name = "union", .role = WORD_TAG },
	{ .name = "enum", .role = WORD_ENUM },
	TYPEDEF("u8", 1, false), TYPEDEF("s8", 1, true),
	TYPEDEF("u16", 2, false), TYPEDEF("s16", 2, true),
	TYPEDEF("u32", 4, false), TYPEDEF("s32", 4, true),
	TYPEDEF("u64", 8, false), TYPEDEF("s64", 8, true),
	TYPEDEF("__u8", 1, false), TYPEDEF("__s8", 1, true),
	TYPEDEF("__u16", 2, false), TYPEDEF("__s16", 2, true),
	TYPEDEF("__u32", 4, false), TYPEDEF("__s32", 4, true),
	TYPEDEF("__u64", 8, false), TYPEDEF("__s64", 8, true),
	TYPEDEF("uint8_t", 1, false), TYPEDEF("int8_t", 1, true),
	TYPEDEF("uint16_t", 2, false), TYPEDEF("int16_t", 2, true),
	TYPEDEF("uint32_t", 4, false), TYPEDEF("int32_t", 4, true),
	TYPEDEF("uint64_t", 8, false), TYPEDEF("int64_t", 8, true),
	TYPEDEF("uintptr_t", 8, false), TYPEDEF("intptr_t", 8, true),
	TYPEDEF("uintmax_t", 8, false), TYPEDEF("intmax_t", 8, true),
	TYPEDEF("size_t", 8, false), TYPEDEF("ssize_t", 8, true),
	TYPEDEF("ptrdiff_t", 8, true), TYPEDEF("__kernel_size_t", 8, false),
	TYPEDEF("uchar", 1, false), TYPEDEF("ushort", 2, false),
	TYPEDEF("uint", 4, false), TYPEDEF("ulong", 8, false),
	TYPEDEF("u_char", 1, false), TYPEDEF("u_short", 2, false),
	TYPEDEF("u_int", 4, false), TYPEDEF("u_long", 8, false),
	TYPEDEF("__le16", 2, false), TYPEDEF("__be16", 2, false),
	TYPEDEF("__le32", 4, false), TYPEDEF("__be32", 4, false),
	TYPEDEF("__le64", 8, false), TYPEDEF("__be64", 8, false),
	TYPEDEF("pid_t", 4, true), TYPEDEF("uid_t", 4, false),
	TYPEDEF("gid_t", 4, false), TYPEDEF("mode_t", 4, false),
	TYPEDEF("umode_t", 2, false), TYPEDEF("off_t", 8, true),
	TYPEDEF("loff_t", 8, true), TYPEDEF("ino_t", 8, false),
	TYPEDEF("time_t", 8, true), TYPEDEF("ktime_t", 8, true),
	TYPEDEF("clockid_t", 4, true), TYPEDEF("socklen_t", 4, false),
	TYPEDEF("in_addr_t", 4, false), TYPEDEF("in_port_t", 2, false),
	TYPEDEF("gfp_t", 4, false), TYPEDEF("sector_t", 8, false),
	TYPEDEF("pgoff_t", 8, false), TYPEDEF("dma_addr_t", 8, false),
	TYPEDEF("phys_addr_t", 8, false), TYPEDEF("resource_size_t", 8, false),
	TYPEDEF("fmode_t", 4, false), TYPEDEF("blk_opf_t", 4, false),
	TYPEDEF("__kernel_rwf_t", 4, true), TYPEDEF("__poll_t", 4, false),
	TYPEDEF("pteval_t", 8, false), TYPEDEF("pmdval_t", 8, false),
	TYPEDEF("pudval_t", 8, false), TYPEDEF("p4dval_t", 8, false),
	TYPEDEF("pgdval_t", 8, false), TYPEDEF("time64_t", 8, true),
	TYPEDEF("u_int8_t", 1, false), TYPEDEF("u_int16_t", 2, false),
	TYPEDEF("u_int32_t", 4, false), TYPEDEF("u_int64_t", 8, false),
	TYPEDEF("off64_t", 8, true), TYPEDEF("blkcnt_t", 8, true),
	TYPEDEF("blksize_t", 8, true), TYPEDEF("clock_t", 8, true),
	TYPEDEF("suseconds_t", 8, true), TYPEDEF("useconds_t", 4, false),
	TYPEDEF("id_t", 4, false), TYPEDEF("key_t", 4, true),
	TYPEDEF("sa_family_t", 2, false), TYPEDEF("pthread_t", 8, false),
	TYPEDEF("wchar_t", 4, true),
};

static const struct word *find_type_word(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(words[i].name, text, len) == 0 && !words[i].name[len])
			return &words[i];
	}
	return NULL;
}

bool type_is_word(const char *word, size_t len)
{
	return find_type_word(word, len) != NULL;
}

/* The words that were found in the text of a type so far. */
struct spelling {
	unsigned int nr_roles[WORD_TYPEDEF + 1];
	const struct word *alias;	/* the typedef among the words; NULL: there is none */
	unsigned int nr_stars;
	bool has_tag_name;
};

static bool is_type_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Add a word of the type.  Returns false if the word is unknown. */
static bool add_type_word(struct spelling *sp, const char *text, size_t len)
{
	const struct word *word;

	/* The name of a struct, union or enum may be any word. */
	if ((sp->nr_roles[WORD_TAG] || sp->nr_roles[WORD_ENUM]) &&
	    !sp->has_tag_name) {
		sp->has_tag_name = true;
		return true;
	}
	word = find_type_word(text, len);
	if (!word)
		return false;
	sp->nr_roles[word->role]++;
	if (word->role == WORD_TYPEDEF)
		sp->alias = word;
	return true;
}

/* Set *@type to the type that the words name.  The `*` of a pointer is handled by
 * resolve_pointer_type(). */
static bool resolve_base_type(const struct spelling *sp, struct value_type *type)
{
	const unsigned int *nr = sp->nr_roles;

	type->is_signed = !nr[WORD_UNSIGNED];
	if (nr[WORD_TYPEDEF]) {
		type->size = sp->alias->size;
		type->is_signed = sp->alias->is_signed;
	} else if (nr[WORD_BOOL]) {
		*type = (struct value_type){ .size = 1, .is_bool = true };
	} else if (nr[WORD_FLOAT] || nr[WORD_DOUBLE]) {
		type->size = nr[WORD_FLOAT] ? 4 : 8;
		type->is_float = true;
		return !nr[WORD_LONG];	/* refuse long double, because its size of 16 bytes is
					 * not supported */
	} else if (nr[WORD_CHAR]) {
		type->size = 1;
	} else if (nr[WORD_SHORT]) {
		type->size = 2;
	} else if (nr[WORD_LONG]) {
		type->size = 8;
	} else if (nr[WORD_INT] || nr[WORD_SIGNED] || nr[WORD_UNSIGNED]) {
		type->size = 4;
	} else if (nr[WORD_VOID]) {
		/* gcc defines sizeof(void) as 1 */
		*type = (struct value_type){ .size = 1 };
	} else if (nr[WORD_ENUM] && sp->has_tag_name) {
		/* gcc represents an enum without negative values as an unsigned int */
		*type = (struct value_type){ .size = 4 };
	} else {
		return false;
	}
	return true;
}

/* Set *@type to the type of a pointer.  If the pointer points to a struct, type->size
 * is 0, because the size of the struct is unknown. */
static bool resolve_pointer_type(const struct spelling *sp, struct value_type *type)
{
	struct value_type elem = { .size = 0 };

	if (sp->nr_stars > 1) {
		elem.size = 8;
	} else if (!resolve_base_type(sp, &elem)) {
		if (!sp->has_tag_name)
			return false;
		elem = (struct value_type){ .size = 0 };
	}
	*type = elem;
	type->is_ptr = true;
	type->is_bool = false;
	return true;
}

bool type_lookup(const char *text, size_t len, struct value_type *ret_type)
{
	struct spelling sp = { .nr_stars = 0 };
	struct value_type type = { .size = 0 };
	size_t i = 0, start;

	while (i < len) {
		if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
			i++;
		} else if (text[i] == '*') {
			sp.nr_stars++;
			i++;
		} else if (is_type_word_char(text[i])) {
			for (start = i; i < len && is_type_word_char(text[i]); i++)
				;
			if (!add_type_word(&sp, text + start, i - start))
				return false;
		} else {
			return false;
		}
	}
	if (!(sp.nr_stars ? resolve_pointer_type(&sp, &type) : resolve_base_type(&sp, &type)))
		return false;
	*ret_type = type;
	return true;
}
