/* SPDX-License-Identifier: MIT */
/* A trace header as the kernel has them, with only the kernel's own includes. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kernel

#if !defined(KERNEL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KERNEL_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(kernel_words,
	TP_PROTO(u32 dev, const char *comm, const atomic_t *count,
		 const void *ptr, unsigned long ip),
	TP_ARGS(dev, comm, count, ptr, ip),
	TP_STRUCT__entry(
		__field(u32, dev)
		__array(char, comm, TASK_COMM_LEN)
		__array(char, cut, 4)
		__field(s8, small)
		__field(u64, big)
		__field(umode_t, mode)
		__field(pgoff_t, index)
		__field(int, count)
		__field(long, error)
		__field(unsigned long, ip)
		__field(__be32, be)
		__field(bool, is_on)
	),
	TP_fast_assign(
		const unsigned long bits[] = { 0, 2 };

		__entry->dev = dev;
		strscpy_pad(__entry->comm, comm, TASK_COMM_LEN);
		strscpy(__entry->cut, comm);
		__entry->small = -3;
		__entry->big = div_u64(9000000000ULL, 1000);
		__entry->mode = 0644;
		__entry->index = min_t(pgoff_t, BIT(40), 7 << PAGE_SHIFT);
		__entry->count = atomic_read(count);
		__entry->error = IS_ERR(ptr) ? PTR_ERR(ptr) : 0;
		__entry->ip = ip;
		__entry->be = (__force __be32)cpu_to_be32(0x1234);
		__entry->is_on = IS_ENABLED(CONFIG_KERNEL_WORDS) &&
				 !IS_ENABLED(CONFIG_OTHER_WORDS) &&
				 test_bit(65, bits);
	),
	TP_printk("dev=%u:%u comm=%s cut=%s small=%d big=%llu mode=%o index=%lu "
		  "count=%d error=%ld be=%#x is_on=%d",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->comm,
		  __entry->cut, __entry->small, __entry->big, __entry->mode,
		  __entry->index >> PAGE_SHIFT, __entry->count, __entry->error,
		  be32_to_cpu(__entry->be), __entry->is_on)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kernel_trace
#include <trace/define_trace.h>
