/* SPDX-License-Identifier: MIT */
/* Stage 3: define struct trace_event_data_offsets_<class>.  For each dynamic field it has
 * the word with length and offset.  For a string it also has the address of the source
 * string and the ULF_STRING_... flags. */
#include <trace/stages/classes.h>

#define __field_ext(type, item, filter)
#define __field_struct_ext(type, item, filter)
#define __array(type, item, len)
#define __ULF_DYNAMIC(loc, type, text, item, nr)			\
	unsigned int item;
#define __ULF_STRING(loc, item, src, len, how)				\
	unsigned int item;						\
	const char *item##_ptr_;					\
	unsigned char item##_how_;

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_data_offsets_##name {			\
		char __ulf_first;					\
		tstruct							\
	};								\
	__ULF_END
