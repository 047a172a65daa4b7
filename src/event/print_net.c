/* SPDX-License-Identifier: MIT */
/* Print network addresses and UUIDs: %pI4 %pI6 %pI6c %pIS, %pM, %pU and their variants. */
#include "event/print_impl.h"

#include <netinet/in.h>
#include <sys/socket.h>

static bool has_letter(const char *ext, char c)
{
	return strchr(ext, c) != NULL;
}

static void put_ip4(struct text *out, const uint8_t *mem, bool has_zeros,
		    bool is_little)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct num_spec spec = { .base = 10, .width = has_zeros ? 3 : 0,
					 .flags = FLAG_ZEROPAD, .prec = -1 };

		if (i)
			text_putc(out, '.');
		print_num(out, mem[is_little ? 3 - i : i], false, spec);
	}
}

static void put_ip6(struct text *out, const uint8_t *mem, bool has_colons)
{
	for (unsigned int i = 0; i < 16; i += 2) {
		if (i && has_colons)
			text_putc(out, ':');
		print_hex(out, mem[i] << 8 | mem[i + 1], 4);
	}
}

/* Returns true if the last 32 bits of an IPv6 address are an IPv4 address, because the
 * address is IPv4-mapped or ISATAP. */
static bool has_embedded_ip4(const uint8_t *mem)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(mem, mapped, 12) == 0 ||
	       ((mem[8] & 0xfd) == 0 && mem[9] == 0 && mem[10] == 0x5e &&
		mem[11] == 0xfe);
}

/* Find the longest run of zero groups of an IPv6 address, of at least 2 groups.  Of several
 * runs with this length, the first is found. */
static void find_longest_zero_run(const uint8_t *mem, unsigned int groups,
				  unsigned int *ret_start, unsigned int *ret_len)
{
	unsigned int len = 0;

	*ret_start = groups;
	*ret_len = 1;
	for (unsigned int i = 0; i < groups; i++) {
		len = mem[i * 2] | mem[i * 2 + 1] ? 0 : len + 1;
		if (len > *ret_len) {
			*ret_len = len;
			*ret_start = i + 1 - len;
		}
	}
}

/* Print an IPv6 address as RFC 5952 says: the longest run of zero groups is written as :: */
static void put_ip6_short(struct text *out, const uint8_t *mem)
{
	unsigned int groups = has_embedded_ip4(mem) ? 6 : 8, start, len, i = 0;
	bool needs_colon = false;

	find_longest_zero_run(mem, groups, &start, &len);
	while (i < groups) {
		if (i == start) {
			text_write(out, "::", 2);
			needs_colon = false;
			i += len;
			continue;
		}
		if (needs_colon)
			text_putc(out, ':');
		print_hex(out, mem[i * 2] << 8 | mem[i * 2 + 1], 1);
		needs_colon = true;
		i++;
	}
	if (groups == 6) {
		if (needs_colon)
			text_putc(out, ':');
		put_ip4(out, mem + 12, false, false);
	}
}

static bool print_sockaddr4(struct text *out, const char *ext, const uint8_t *mem,
			    size_t len)
{
	struct sockaddr_in sa;

	if (len < 8)
		return false;
	memset(&sa, 0, sizeof(sa));
	memcpy(&sa, mem, 8);
	put_ip4(out, (const uint8_t *)&sa.sin_addr, ext[0] == 'i', false);
	if (has_letter(ext, 'p')) {
		text_putc(out, ':');
		print_dec(out, ntohs(sa.sin_port), false);
	}
	return true;
}

static bool print_sockaddr6(struct text *out, const char *ext, const uint8_t *mem,
			    size_t len)
{
	bool has_brackets = has_letter(ext, 'p') || has_letter(ext, 'f') || has_letter(ext, 's');
	struct sockaddr_in6 sa;

	if (len < sizeof(sa))
		return false;
	memcpy(&sa, mem, sizeof(sa));
	if (has_brackets)
		text_putc(out, '[');
	if (ext[0] == 'I' && has_letter(ext, 'c'))
		put_ip6_short(out, sa.sin6_addr.s6_addr);
	else
		put_ip6(out, sa.sin6_addr.s6_addr, ext[0] == 'I');
	if (has_brackets)
		text_putc(out, ']');
	if (has_letter(ext, 'p')) {
		text_putc(out, ':');
		print_dec(out, ntohs(sa.sin6_port), false);
	}
	if (has_letter(ext, 'f')) {
		text_putc(out, '/');
		print_dec(out, ntohl(sa.sin6_flowinfo) & 0x0fffffff, false);
	}
	if (has_letter(ext, 's')) {
		text_putc(out, '%');
		print_dec(out, sa.sin6_scope_id, false);
	}
	return true;
}

static bool print_sockaddr(struct text *out, const char *ext, const uint8_t *mem,
			   size_t len)
{
	sa_family_t family;

	if (len < sizeof(family))
		return false;
	memcpy(&family, mem, sizeof(family));
	if (family == AF_INET)
		return print_sockaddr4(out, ext, mem, len);
	if (family == AF_INET6)
		return print_sockaddr6(out, ext, mem, len);
	text_puts(out, "(einval)");
	return true;
}

bool print_ip(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	bool is_small = ext[0] == 'i';

	switch (ext[1]) {
	case '4':
		if (len < 4)
			return false;
		put_ip4(out, mem, is_small, ext[2] == 'h' || ext[2] == 'l');
		return true;
	case '6':
		if (len < 16)
			return false;
		if (!is_small && ext[2] == 'c')
			put_ip6_short(out, mem);
		else
			put_ip6(out, mem, !is_small);
		return true;
	default:
		return print_sockaddr(out, ext, mem, len);
	}
}

bool print_mac(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	char separator = ext[0] == 'm' ? '\0' : has_letter(ext, 'F') ? '-' : ':';
	bool is_reversed = has_letter(ext, 'R');

	if (len < 6)
		return false;
	for (unsigned int i = 0; i < 6; i++) {
		if (i && separator)
			text_putc(out, separator);
		print_hex(out, mem[is_reversed ? 5 - i : i], 2);
	}
	return true;
}

bool print_uuid(struct text *out, const char *ext, const uint8_t *mem, size_t len)
{
	static const uint8_t big[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = has_letter(ext, 'l') || has_letter(ext, 'L') ? little : big;
	bool is_upper = has_letter(ext, 'L') || has_letter(ext, 'B');
	size_t start = out->len;

	if (len < 16)
		return false;
	for (unsigned int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text_putc(out, '-');
		print_hex(out, mem[order[i]], 2);
	}
	for (size_t i = start; is_upper && i < out->len; i++) {
		if (out->data[i] >= 'a' && out->data[i] <= 'f')
			out->data[i] -= 'a' - 'A';
	}
	return true;
}
