/* SPDX-License-Identifier: MIT */
/*
 * Exceptions that leave a followed function.
 *
 * Unwinders see one frame more than without the graph tracer: the frame of the body
 * (ftrace.S of src/arch).  That frame has a size of 0, so the caller has the same CFA as
 * without the tracer.  Personality routines of the program may use that CFA.  But libgcc
 * and LLVM's libunwind compare CFAs.  An example: f() calls g(), which is followed and
 * throws, and f() catches.  f() has called g() with the stack pointer S.
 *
 *	frame		CFA of the frame below it
 *	g
 *	body of g	S
 *	f		S
 *
 * 1. The search for a handler asks ftrace_personality(), for the body, and then the
 *    personality routine of f(), which has a handler.  The unwinder stores S.
 * 2. The unwinder starts again, at g().  The first frame with S is the body, so the
 *    unwinder takes the body for the frame with the handler, and calls abort() if the
 *    personality routine does not stop there.
 * 3. So ftrace_personality() stops there.  The unwinder restores the registers and jumps
 *    to ftrace_graph_landing, which puts the return address of g() back and calls
 *    _Unwind_Resume() in the place of g().  The next frame is f() then, with S.
 *
 * Step 3 needs _Unwind_Resume() and three other functions of the unwinder that called
 * ftrace_personality(); a process may have several unwinders.  The functions are looked
 * up in the symbol table of the unwinder's object, without a lock.  An unwinder that is
 * linked into a program statically exports none.  Then the CFA of all bodies becomes odd
 * (ftrace_cfa_bias), from that search on.  So no body is taken for another frame, and
 * exceptions work, but _Unwind_GetCFA() returns one too much for a function that has
 * called a followed one.
 *
 * Other frames of libulf need no personality routine.  An exception leaves them only if a
 * signal handler throws it, and unwinders distinguish an interrupted frame from others.
 */
#include <assert.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unwind.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "runtime/function/shadow.h"
#include "runtime/unwind/unwind.h"

typedef void (*any_fn)(void);

/* The functions of an unwinder that ftrace_personality() needs, in the order of fn_names[]. */
struct unwinder {
	void (*resume)(struct _Unwind_Exception *exception);
	_Unwind_Ptr (*get_ip)(struct _Unwind_Context *context);
	void (*set_ip)(struct _Unwind_Context *context, _Unwind_Ptr ip);
	void (*set_register)(struct _Unwind_Context *context, int reg,
			     _Unwind_Word value);
};

uint64_t ftrace_cfa_bias;

/* ---- find the functions of an unwinder ---- */

/* The tables by which the loader finds symbols of an object. */
struct symbols {
	const Elf64_Sym *table;
	const char *names;
	const uint32_t *hash;		/* the hash table that the tag DT_GNU_HASH
					 * refers to */
};

static bool find_symbols(const struct image *image, struct symbols *ret)
{
	const ElfW(Dyn) *row = image->dynamic;
	uint64_t table = 0, names = 0, hash = 0;

	for (; row && row->d_tag != DT_NULL; row++) {
		if (row->d_tag == DT_SYMTAB)
			table = row->d_un.d_ptr;
		else if (row->d_tag == DT_STRTAB)
			names = row->d_un.d_ptr;
		else if (row->d_tag == DT_GNU_HASH)
			hash = row->d_un.d_ptr;
	}
	ret->table = (const void *)table;
	ret->names = (const void *)names;
	ret->hash = (const void *)hash;
	/* Check that the addresses are relocated.  The loader has relocated them
	 * in all objects but the vDSO, where they are small numbers. */
	return table > image->start && names > image->start && hash > image->start;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* Returns the address of the function @name that the object exports, or 0 if there is no
 * such function. */
static uint64_t find_function(const struct image *image, const struct symbols *symbols,
			      const char *name)
{
	uint32_t nr_buckets = symbols->hash[0], first = symbols->hash[1];
	const uint32_t *buckets = symbols->hash + 4 + symbols->hash[2] * 2;
	const uint32_t *chain = buckets + nr_buckets;
	uint32_t hash = hash_of(name);
	uint32_t i = nr_buckets ? buckets[hash % nr_buckets] : 0;

	if (i < first)
		return 0;
	for (;; i++) {
		const Elf64_Sym *symbol = &symbols->table[i];

		if ((chain[i - first] | 1) == (hash | 1) &&
		    ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    symbol->st_shndx != SHN_UNDEF &&
		    !strcmp(symbols->names + symbol->st_name, name))
			return image->bias + symbol->st_value;
		if (chain[i - first] & 1)
			return 0;
	}
}

/* Weak references, which the linker resolves if libulf.a and the unwinder are linked
 * into one program. */
#pragma weak _Unwind_Resume
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_SetIP
#pragma weak _Unwind_SetGR

static bool is_inside(const struct image *image, any_fn fn)
{
	return (uint64_t)fn >= image->start && (uint64_t)fn < image->end;
}

/* Find the functions of the unwinder in @image by the weak references, if all four
 * refer to @image. */
static bool find_linked(const struct image *image, struct unwinder *ret)
{
	if (!is_inside(image, (any_fn)_Unwind_Resume) ||
	    !is_inside(image, (any_fn)_Unwind_GetIP) ||
	    !is_inside(image, (any_fn)_Unwind_SetIP) ||
	    !is_inside(image, (any_fn)_Unwind_SetGR))
		return false;
	ret->resume = _Unwind_Resume;
	ret->get_ip = _Unwind_GetIP;
	ret->set_ip = _Unwind_SetIP;
	ret->set_register = _Unwind_SetGR;
	return true;
}

/* Find the functions of the unwinder that contains @code.  Returns false if one of them is
 * not found. */
static bool find_unwinder(uint64_t code, struct unwinder *ret)
{
	static const char *const fn_names[] = {
		"_Unwind_Resume", "_Unwind_GetIP", "_Unwind_SetIP", "_Unwind_SetGR",
	};
	uint64_t found[ARRAY_SIZE(fn_names)];
	struct symbols symbols;
	struct image image;

	if (!unwind_find(code, &image))
		return false;
	if (find_linked(&image, ret))
		return true;
	if (!find_symbols(&image, &symbols))
		return false;
	for (uint32_t i = 0; i < ARRAY_SIZE(fn_names); i++) {
		found[i] = find_function(&image, &symbols, fn_names[i]);
		if (!found[i])
			return false;
	}
	static_assert(sizeof(*ret) == sizeof(found), "a name for each");
	memcpy(ret, found, sizeof(found));
	return true;
}

/* ---- functions that ftrace.S uses ---- */

_Unwind_Reason_Code ftrace_personality(int version, _Unwind_Action actions,
				       _Unwind_Exception_Class class,
				       struct _Unwind_Exception *exception,
				       struct _Unwind_Context *context)
{
	struct unwinder unwinder;
	bool is_known;
	uint64_t body;

	(void)version;
	(void)class;
	if (!(actions & (_UA_SEARCH_PHASE | _UA_HANDLER_FRAME)))
		return _URC_CONTINUE_UNWIND;
	is_known = find_unwinder((uint64_t)__builtin_return_address(0), &unwinder);
	if (!is_known)
		__atomic_store_n(&ftrace_cfa_bias, 1, __ATOMIC_RELAXED);
	if (!is_known || actions & _UA_SEARCH_PHASE)
		return _URC_CONTINUE_UNWIND;
	body = unwinder.get_ip(context) & -(uint64_t)GRAPH_BODY_BYTES;
	unwinder.set_register(context, GRAPH_LANDING_EXCEPTION, (_Unwind_Word)exception);
	unwinder.set_register(context, GRAPH_LANDING_RESUME, (_Unwind_Word)unwinder.resume);
	unwinder.set_ip(context, body + GRAPH_BODY_LANDING);
	return _URC_INSTALL_CONTEXT;
}

uint64_t ftrace_graph_landed(const uint64_t *place)
{
	return shadow_at(place)->ret;
}
