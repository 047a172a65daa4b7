/* SPDX-License-Identifier: MIT */
/* Print escaped text, error names, times and four-character codes. */
#include "event/print_impl.h"

#include <time.h>

/* Flags for the letters after %pE: which characters are escaped, and how. */
enum {
	ESCAPE_SPACE	= 1 << 0,
	ESCAPE_SPECIAL	= 1 << 1,
	ESCAPE_NUL	= 1 << 2,
	ESCAPE_OCTAL	= 1 << 3,
	ESCAPE_PRINT	= 1 << 4,	/* flag: do not escape printable characters */
	ESCAPE_HEX	= 1 << 5,
	ESCAPE_ANY	= ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NUL | ESCAPE_OCTAL,
};

static unsigned int escape_flags(const char *letters)
{
	unsigned int flags = 0;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'a': flags |= ESCAPE_ANY; break;
		case 'c': flags |= ESCAPE_SPECIAL; break;
		case 'h': flags |= ESCAPE_HEX; break;
		case 'n': flags |= ESCAPE_NUL; break;
		case 'o': flags |= ESCAPE_OCTAL; break;
		case 'p': flags |= ESCAPE_PRINT; break;
		case 's': flags |= ESCAPE_SPACE; break;
		}
	}
	return flags ? flags : ESCAPE_ANY | ESCAPE_PRINT;
}

/* Returns the letter of the escape sequence for a byte, for example 'n' for a newline.
 * Returns 0 if the byte has no such escape sequence. */
static char escape_letter(uint8_t byte, unsigned int flags)
{
	static const char from[] = "\n\r\t\v\f\\\a\033\"", to[] = "nrtvf\\ae\"";
	const char *at = byte ? strchr(from, byte) : NULL;

	if (!byte)
		return flags & ESCAPE_NUL ? '0' : '\0';
	if (!at || !(flags & (at < from + 5 ? ESCAPE_SPACE : ESCAPE_SPECIAL)))
		return '\0';
	return to[at - from];
}

void print_escaped(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	const struct num_spec octal = { .base = 8, .prec = 3, .width = -1 };
	unsigned int flags = escape_flags(ext + 1);
	char letter;

	for (size_t i = 0; i < len; i++) {
		letter = escape_letter(mem[i], flags);
		if ((flags & ESCAPE_PRINT) && print_is_printable(mem[i])) {
			text_putc(out, mem[i]);
		} else if (letter) {
			text_putc(out, '\\');
			text_putc(out, letter);
		} else if (flags & ESCAPE_OCTAL) {
			text_putc(out, '\\');
			print_num(out, mem[i], false, octal);
		} else if (flags & ESCAPE_HEX) {
			text_puts(out, "\\x");
			print_hex(out, mem[i], 2);
		} else {
			text_putc(out, mem[i]);
		}
	}
}

void print_errno(struct text *out, int error)
{
	const char *name = strerrorname_np(error);

	text_putc(out, '-');
	if (name)
		text_puts(out, name);
	else
		print_dec(out, error, false);
}

static void put_time_part(struct text *out, int value, int width, char before)
{
	const struct num_spec spec = { .base = 10, .flags = FLAG_ZEROPAD,
				       .width = width, .prec = -1 };

	if (before)
		text_putc(out, before);
	print_num(out, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0,
		  spec);
}

/* Load a time from @mem.  For %ptR the memory contains a struct rtc_time, which begins like a
 * struct tm; for %ptT it contains a number of seconds. */
static bool load_time(char kind, const uint8_t *mem, size_t len, struct tm *tm)
{
	const struct value_type number = { .size = 4, .is_signed = true };
	time_t seconds;

	if (kind == 'T') {
		if (len < sizeof(seconds))
			return false;
		memcpy(&seconds, mem, sizeof(seconds));
		return gmtime_r(&seconds, tm) != NULL;
	}
	if (len < 6 * 4)
		return false;
	tm->tm_sec = print_load(mem, number);
	tm->tm_min = print_load(mem + 4, number);
	tm->tm_hour = print_load(mem + 8, number);
	tm->tm_mday = print_load(mem + 12, number);
	tm->tm_mon = print_load(mem + 16, number);
	tm->tm_year = print_load(mem + 20, number);
	return true;
}

bool print_time(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	bool has_date = ext[2] != 't', has_time = ext[2] != 'd';
	const char *rest = ext + 2 + !(has_date && has_time);
	bool is_raw = strchr(rest, 'r'), has_space = strchr(rest, 's');
	struct tm tm;

	if (!load_time(ext[1], mem, len, &tm))
		return false;
	if (has_date) {
		/* tm_year counts from 1900 and tm_mon from 0.  If is_raw is true, both are
		 * printed unchanged. */
		put_time_part(out, (int)((unsigned int)tm.tm_year + (is_raw ? 0 : 1900)), 4, 0);
		put_time_part(out, (int)((unsigned int)tm.tm_mon + !is_raw), 2, '-');
		put_time_part(out, tm.tm_mday, 2, '-');
	}
	if (has_date && has_time)
		text_putc(out, has_space ? ' ' : 'T');
	if (has_time) {
		put_time_part(out, tm.tm_hour, 2, 0);
		put_time_part(out, tm.tm_min, 2, ':');
		put_time_part(out, tm.tm_sec, 2, ':');
	}
	return true;
}

/* Print a four-character code.  If the highest bit of the code is set, the byte order is
 * big-endian. */
bool print_fourcc(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	const struct value_type number = { .size = 4 };
	uint32_t code;

	(void)ext;
	if (len < 4)
		return false;
	code = print_load(mem, number);
	for (unsigned int i = 0; i < 4; i++) {
		char c = (code & 0x7fffffff) >> i * 8 & 0xff;

		text_putc(out, c >= ' ' && c <= '~' ? c : '.');
	}
	text_puts(out, code >> 31 ? " big-endian (0x" : " little-endian (0x");
	print_hex(out, code, 8);
	text_putc(out, ')');
	return true;
}
