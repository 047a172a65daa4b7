/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kmem

#if !defined(_TRACE_KMEM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_KMEM_H

#include <linux/tracepoint.h>

#include <mini/slab.h>

/* The names of flags.  Combinations come first: the remaining bits of a mask are then named
 * one by one. */
#define gfp_name(flag) {(__force unsigned long)flag, #flag}
#define show_gfp_flags(flags)						\
	(flags) ? __print_flags(flags, "|",				\
		gfp_name(GFP_TRANSHUGE), gfp_name(GFP_TRANSHUGE_LIGHT),	\
		gfp_name(GFP_HIGHUSER_MOVABLE), gfp_name(GFP_HIGHUSER),	\
		gfp_name(GFP_USER), gfp_name(GFP_KERNEL_ACCOUNT),	\
		gfp_name(GFP_KERNEL), gfp_name(GFP_NOFS),		\
		gfp_name(GFP_ATOMIC), gfp_name(GFP_NOIO),		\
		gfp_name(GFP_NOWAIT), gfp_name(GFP_DMA),		\
		gfp_name(__GFP_HIGHMEM), gfp_name(GFP_DMA32),		\
		gfp_name(__GFP_HIGH), gfp_name(__GFP_ATOMIC),		\
		gfp_name(__GFP_IO), gfp_name(__GFP_FS),			\
		gfp_name(__GFP_NOWARN), gfp_name(__GFP_RETRY_MAYFAIL),	\
		gfp_name(__GFP_NOFAIL), gfp_name(__GFP_NORETRY),	\
		gfp_name(__GFP_COMP), gfp_name(__GFP_ZERO),		\
		gfp_name(__GFP_NOMEMALLOC), gfp_name(__GFP_MEMALLOC),	\
		gfp_name(__GFP_HARDWALL), gfp_name(__GFP_THISNODE),	\
		gfp_name(__GFP_RECLAIMABLE), gfp_name(__GFP_MOVABLE),	\
		gfp_name(__GFP_ACCOUNT), gfp_name(__GFP_WRITE),		\
		gfp_name(__GFP_RECLAIM), gfp_name(__GFP_DIRECT_RECLAIM),\
		gfp_name(__GFP_KSWAPD_RECLAIM), gfp_name(__GFP_ZEROTAGS)\
	) : "none"

TRACE_EVENT(kmem_cache_alloc,

	TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req,
		 size_t bytes_alloc, gfp_t gfp_flags, int node),

	TP_ARGS(call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),

	TP_STRUCT__entry(
		__field(	unsigned long,	call_site	)
		__field(	const void *,	ptr		)
		__field(	size_t,		bytes_req	)
		__field(	size_t,		bytes_alloc	)
		__field(	unsigned long,	gfp_flags	)
		__field(	int,		node		)
		__field(	bool,		accounted	)
	),

	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__entry->bytes_req = bytes_req;
		__entry->bytes_alloc = bytes_alloc;
		__entry->gfp_flags = (__force unsigned long)gfp_flags;
		__entry->node = node;
		__entry->accounted = gfp_flags & __GFP_ACCOUNT;
	),

	TP_printk("call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu "
		  "gfp_flags=%s node=%d accounted=%s",
		  (void *)__entry->call_site, __entry->ptr,
		  __entry->bytes_req, __entry->bytes_alloc,
		  show_gfp_flags(__entry->gfp_flags), __entry->node,
		  __entry->accounted ? "true" : "false")
);

/* kmalloc() does not account memory, whatever the mask is. */
#define KMALLOC_ACCOUNTS 0

TRACE_EVENT(kmalloc,

	TP_PROTO(unsigned long call_site, const void *ptr, size_t bytes_req,
		 size_t bytes_alloc, gfp_t gfp_flags, int node),

	TP_ARGS(call_site, ptr, bytes_req, bytes_alloc, gfp_flags, node),

	TP_STRUCT__entry(
		__field(	unsigned long,	call_site	)
		__field(	const void *,	ptr		)
		__field(	size_t,		bytes_req	)
		__field(	size_t,		bytes_alloc	)
		__field(	unsigned long,	gfp_flags	)
		__field(	int,		node		)
	),

	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__entry->bytes_req = bytes_req;
		__entry->bytes_alloc = bytes_alloc;
		__entry->gfp_flags = (__force unsigned long)gfp_flags;
		__entry->node = node;
	),

	TP_printk("call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu "
		  "gfp_flags=%s node=%d accounted=%s",
		  (void *)__entry->call_site, __entry->ptr,
		  __entry->bytes_req, __entry->bytes_alloc,
		  show_gfp_flags(__entry->gfp_flags), __entry->node,
		  (KMALLOC_ACCOUNTS &&
		   (__entry->gfp_flags & (__force unsigned long)__GFP_ACCOUNT)) ?
		  "true" : "false")
);

TRACE_EVENT(kfree,

	TP_PROTO(unsigned long call_site, const void *ptr),

	TP_ARGS(call_site, ptr),

	TP_STRUCT__entry(
		__field(	unsigned long,	call_site	)
		__field(	const void *,	ptr		)
	),

	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
	),

	TP_printk("call_site=%pS ptr=%p",
		  (void *)__entry->call_site, __entry->ptr)
);

TRACE_EVENT(kmem_cache_free,

	TP_PROTO(unsigned long call_site, const void *ptr, const char *name),

	TP_ARGS(call_site, ptr, name),

	TP_STRUCT__entry(
		__field(	unsigned long,	call_site	)
		__field(	const void *,	ptr		)
		__string(	name,		name		)
	),

	TP_fast_assign(
		__entry->call_site = call_site;
		__entry->ptr = ptr;
		__assign_str(name, name);
	),

	TP_printk("call_site=%pS ptr=%p name=%s",
		  (void *)__entry->call_site, __entry->ptr, __get_str(name))
);

#endif /* _TRACE_KMEM_H */

/* This line is outside of the guard, because the header is read again for every stage. */
#include <trace/define_trace.h>
