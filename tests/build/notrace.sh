#!/bin/sh
# SPDX-License-Identifier: MIT
# The functions of ulf's headers cannot be traced: main() alone has space at its entry.
set -u
fail() { echo "FAIL: $*" >&2; exit 1; }

cd "$TMPDIR" || exit 1
cat >words.h <<'END'
#undef TRACE_SYSTEM
#define TRACE_SYSTEM words
#if !defined(WORDS_H) || defined(TRACE_HEADER_MULTI_READ)
#define WORDS_H
#include <linux/tracepoint.h>
TRACE_EVENT(words_hit,
	TP_PROTO(const char *text), TP_ARGS(text),
	TP_STRUCT__entry(__string(text, text) __array(char, some, 8)),
	TP_fast_assign(__assign_str(text);
		strscpy(__entry->some, text); strscpy_pad(__entry->some, text);),
	TP_printk("%s", __get_str(text))
);
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#include <trace/define_trace.h>
END
cat >program.c <<'END'
#include <ulf/kernel.h>
#define CREATE_TRACE_POINTS
#include "words.h"
#include <ulf/tracing.h>
static char to[8];
int main(void)
{
	trace_words_hit("text");
	trace_printk("%d\n", 1);
	return register_trace_words_hit(NULL, NULL) + unregister_trace_words_hit(NULL, NULL) +
	       trace_words_hit_enabled() + (int)strscpy(to, "a") + (int)strscpy(to, "a", 8) +
	       (int)strscpy_pad(to, "a") + (int)strscpy_pad(to, "a", 8) + (int)strlcpy(to, "a", 8) +
	       (int)ktime_get_ns() + (int)PTR_ERR(ERR_PTR(-1)) + IS_ERR(to);
}
END
for compiler in gcc g++ clang clang++; do
	command -v $compiler >/dev/null || continue
	case $compiler in
	*++) language=c++ ;;
	*) language=c ;;
	esac
	for level in -O0 -O2; do
		$compiler -x $language $level -w -D_GNU_SOURCE -fpatchable-function-entry=5 \
			-I. -I"$ULF_SRC/include" -c program.c -o program.o || fail "$compiler $level cannot compile it"
		nr=$(readelf -rW program.o | awk '
			/^Relocation section/ { is_table = /patchable_function_entries/ }
			is_table && /R_X86_64_64/ { nr++ } END { print nr + 0 }')
		[ "$nr" = 1 ] || fail "$compiler $level: $nr functions can be traced"
	done
done
exit 0
