/* SPDX-License-Identifier: MIT */
/* The file untraceable_syscalls, which shows the system calls in the code that are not
 * recorded completely. */
#include <inttypes.h>

#include "base/bits.h"
#include "server/functions/function_need.h"
#include "server/functions/functions.h"
#include "tracefs/files.h"

/* Return a text that says why @call is not recorded completely, or NULL. */
static const char *reason_of(const struct moved_syscall *call)
{
#define REASON_TEXT(number, name, text) [MOVED_SYSCALL_##name] = text,
	static const char *const texts[] = { MOVED_SYSCALL_REASONS(REASON_TEXT) };

	if (call->reason)
		return call->reason < ARRAY_SIZE(texts) ? texts[call->reason] : "";
	if (call->after_insn)
		return NULL;
	return call->nr == MOVED_SYSCALL_UNKNOWN ?
	       "its return is not seen: its number is not constant" :
	       "its return is not seen: the instruction after it cannot be replaced by a jump";
}

/* Print the function that contains the system call @call, the call's address in the file,
 * and the reason. */
static void print_call(const struct function_object *object, const struct moved_syscall *call,
		       const char *reason, struct text *out)
{
	const struct elf_symbol *symbol = elf_symbols_find(&object->symbols, call->vaddr);
	size_t start = out->len;

	if (symbol)
		text_printf(out, "%s+0x%" PRIx64 " ", symbol->name, call->vaddr - symbol->addr);
	text_printf(out, "(0x%" PRIx64 ")", call->vaddr);
	if (object->module)
		text_printf(out, " [%s]", object->module);
	text_one_line(out, start);
	text_printf(out, "\t%s\n", reason);
}

static void print_object(const struct function_object *object, struct text *out)
{
	const struct moved_head *head = object->moved.head;
	uint32_t nr_seen = 0, nr_returns = 0;

	for (uint32_t i = 0; i < head->nr_syscalls; i++) {
		nr_seen += !moved_syscalls(head)[i].reason;
		nr_returns += moved_syscalls(head)[i].after_insn != 0;
	}
	text_printf(out, "# %s: %u of %u calls are seen, and the returns of %u\n",
		    object->module ? object->module : "the program", nr_seen, head->nr_syscalls,
		    nr_returns);
	for (uint32_t i = 0; i < head->nr_syscalls; i++) {
		const struct moved_syscall *call = &moved_syscalls(head)[i];
		const char *reason = reason_of(call);

		if (reason)
			print_call(object, call, reason, out);
	}
}

int untraceable_syscalls_show(struct tracefs_node *node, struct text *out)
{
	const struct functions *functions = root_functions(node->root);
	int r = functions_refresh_all(node->root);

	for (uint32_t i = 0; !r && i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (object->is_moved && object->is_there && object->moved.head)
			print_object(object, out);
		else if (object->is_moved && object->is_there)
			text_printf(out, "# %s: no call is seen: %s\n",
				    object->module ? object->module : "the program",
				    function_left_out_reason(object->moved.left_out));
	}
	return r;
}
