/* SPDX-License-Identifier: MIT */
/* Print %p with the letters that may follow it. */
#include "event/print_impl.h"

#include <errno.h>

enum { MAX_ERRNO = 4095 };

typedef void ptr_fn(struct run *run, const char *ext, struct val val,
		    struct num_spec *spec);

/* Print (null) or (efault) for a pointer through which no data can be read. */
static void put_null_or_efault(struct run *run, struct val val)
{
	text_puts(run->out, val.kind == VAL_INT && !val.u ? "(null)" : "(efault)");
}

/* Returns the number to print for a pointer.  The number is the pointer's address.  For a
 * pointer into the record or into print_program.pool it is the offset. */
static uint64_t val_address(struct val val)
{
	return val.kind == VAL_FAULT || val.kind == VAL_NODE ? 0 : val.u;
}

static void put_padded_address(struct run *run, uint64_t address, struct num_spec *spec)
{
	print_address(run->out, address, *spec);
	spec->width = -1;
	spec->prec = -1;
}

static void ptr_raw(struct run *run, const char *ext, struct val val,
		    struct num_spec *spec)
{
	(void)ext;
	put_padded_address(run, val_address(val), spec);
}

/* Print a plain %p.  NULL and error values are not hashed, because they reveal no address. */
static void ptr_plain(struct run *run, const char *ext, struct val val,
		      struct num_spec *spec)
{
	uint64_t address = val_address(val);

	(void)ext;
	if (address && address < (uint64_t)-MAX_ERRNO && run->env &&
	    run->env->hash_ptr)
		address = run->env->hash_ptr(run->env->ctx, address);
	put_padded_address(run, address, spec);
}

static void ptr_symbol(struct run *run, const char *ext, struct val val,
		       struct num_spec *spec)
{
	uint64_t address = val_address(val);
	enum print_symbol style = PRINT_SYMBOL_OFFSET;

	(void)spec;
	if (ext[0] == 's' || ext[0] == 'f')
		style = PRINT_SYMBOL_NAME;
	else if (ext[0] == 'B')
		style = PRINT_SYMBOL_RETURN;
	if (run->env && run->env->symbol &&
	    run->env->symbol(run->env->ctx, address, style, run->out) == 0)
		return;
	text_write(run->out, "0x", 2);
	print_hex(run->out, address, 1);
}

typedef bool mem_fn(struct text *out, const char *ext, const uint8_t *mem,
		    size_t len);

static void ptr_mem(struct run *run, const char *ext, struct val val, mem_fn *fn)
{
	const uint8_t *mem;
	size_t len;

	mem = print_val_mem(run, val, &len);
	if (!mem || !fn(run->out, ext, mem, len))
		put_null_or_efault(run, val);
}

static void ptr_ip(struct run *run, const char *ext, struct val val,
		   struct num_spec *spec)
{
	(void)spec;
	ptr_mem(run, ext, val, print_ip);
}

static void ptr_mac(struct run *run, const char *ext, struct val val,
		    struct num_spec *spec)
{
	(void)spec;
	ptr_mem(run, ext, val, print_mac);
}

static void ptr_uuid(struct run *run, const char *ext, struct val val,
		     struct num_spec *spec)
{
	(void)spec;
	ptr_mem(run, ext, val, print_uuid);
}

static bool put_phys_addr(struct text *out, const char *ext, const uint8_t *mem,
			  size_t len)
{
	const struct value_type type = { .size = 8 };

	(void)ext;
	if (len < 8)
		return false;
	text_write(out, "0x", 2);
	print_hex(out, print_load(mem, type), 16);
	return true;
}

static void ptr_phys(struct run *run, const char *ext, struct val val,
		     struct num_spec *spec)
{
	(void)spec;
	ptr_mem(run, ext, val, put_phys_addr);
}

/* Print bytes for %ph.  The width in the format is the number of bytes to print, at most 64. */
static void ptr_bytes(struct run *run, const char *ext, struct val val,
		      struct num_spec *spec)
{
	size_t len, want = spec->width < 0 ? 1 : spec->width;
	char separator = ext[1] == 'C' ? ':' : ext[1] == 'D' ? '-' :
			 ext[1] == 'N' ? '\0' : ' ';
	const uint8_t *mem;

	spec->width = -1;
	if (!want)
		return;
	if (want > 64)
		want = 64;
	mem = print_val_mem(run, val, &len);
	if (mem && want <= len)
		print_bytes(run->out, mem, want, separator);
	else
		put_null_or_efault(run, val);
}

/* Print escaped text for %pE.  The width in the format is the number of bytes to print. */
static void ptr_escaped(struct run *run, const char *ext, struct val val,
			struct num_spec *spec)
{
	size_t len, want = spec->width < 0 ? 1 : spec->width;
	const uint8_t *mem = print_val_mem(run, val, &len);

	spec->width = -1;
	if (mem && want <= len)
		print_escaped(run->out, ext, mem, want);
	else
		put_null_or_efault(run, val);
}

/* Print the name of an error for %pe.  If the pointer is not an error, print it as %p
 * does. */
static void ptr_error(struct run *run, const char *ext, struct val val,
		      struct num_spec *spec)
{
	uint64_t error = -val_address(val);

	if (error && error <= MAX_ERRNO)
		print_errno(run->out, error);
	else
		ptr_plain(run, ext, val, spec);
}

static void ptr_time(struct run *run, const char *ext, struct val val,
		     struct num_spec *spec)
{
	spec->width = -1;
	ptr_mem(run, ext, val, print_time);
}

static void ptr_fourcc(struct run *run, const char *ext, struct val val,
		       struct num_spec *spec)
{
	(void)spec;
	ptr_mem(run, ext, val, print_fourcc);
}

/* Print a bitmap for %pb.  The width in the format is the number of bits to print. */
static void ptr_bitmap(struct run *run, const char *ext, struct val val,
		       struct num_spec *spec)
{
	size_t len, want = spec->width < 0 ? 0 : spec->width;
	const uint8_t *mem;

	spec->width = -1;
	mem = print_val_mem(run, val, &len);
	if (!mem || (want + 7) / 8 > len)
		put_null_or_efault(run, val);
	else if (ext[1] == 'l')
		print_bitmap_list(run->out, mem, want);
	else
		print_bitmap(run->out, mem, want);
}

/* The conversions with %p, found by the letters after %p.  The first row whose letters are a
 * prefix of the conversion's letters applies.  So "ad" must come before "a". */
static const struct {
	const char *ext;
	ptr_fn *print;
} pointers[] = {
	{ "I4", ptr_ip }, { "i4", ptr_ip }, { "I6", ptr_ip }, { "i6", ptr_ip },
	{ "IS", ptr_ip }, { "iS", ptr_ip },
	{ "ad", ptr_phys }, { "ap", ptr_phys }, { "a", ptr_phys },
	{ "NF", ptr_phys },
	{ "S", ptr_symbol }, { "s", ptr_symbol }, { "B", ptr_symbol },
	{ "F", ptr_symbol }, { "f", ptr_symbol },
	{ "M", ptr_mac }, { "m", ptr_mac }, { "U", ptr_uuid },
	{ "h", ptr_bytes }, { "b", ptr_bitmap },
	{ "x", ptr_raw }, { "e", ptr_error }, { "E", ptr_escaped },
	{ "tR", ptr_time }, { "tT", ptr_time }, { "4cc", ptr_fourcc },
	/* this row applies if no other row does: the letters are ignored, and the pointer is
	 * printed as with %p */
	{ "", ptr_plain },
};

/*
 * First letters after %p for which the kernel prints the object to which the pointer points:
 * dentries, resources, clocks, device nodes, a va_list, strings, or flags whose names differ
 * between kernels.  The record does not contain this object.  So the print fmt of such an
 * event is not used.  Its records are printed as fields, which show at least the pointer.
 */
static const char elsewhere[] = "4ACDGINORVdgikrtu";

int print_ptr_find(const char *ext)
{
	size_t i = 0;

	while (strncmp(ext, pointers[i].ext, strlen(pointers[i].ext)) != 0)
		i++;
	if (!pointers[i].ext[0] && ext[0] && strchr(elsewhere, ext[0]))
		return -EINVAL;
	return i;
}

void print_ptr(struct run *run, const struct directive *dir, struct val val,
	       struct num_spec spec)
{
	size_t start = run->out->len;

	pointers[dir->ptr].print(run, dir->ext, val, &spec);
	print_pad(run->out, start, spec);
}
