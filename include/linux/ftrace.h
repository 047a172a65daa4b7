/* SPDX-License-Identifier: MIT */
/*
 * Function tracing for a program's own use: callbacks at the entry and at the
 * return of chosen functions.  Names and meaning are the kernel's.
 *
 * The functions must have been compiled with room at their entry, as
 *	gcc $(pkg-config --variable=ftrace_cflags ulf) ...
 * does.  Callbacks run in the thread that calls the function, perhaps in a
 * signal handler; what they call themselves is not traced.  They must return:
 * one that is left by longjmp() or an exception leaves its thread untraced, and
 * unregistering waits for it for ever.
 */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <stddef.h>

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word of C++, where the field is called private_. */
#ifdef __cplusplus
#define ULF_FTRACE_PRIVATE	private_
#else
#define ULF_FTRACE_PRIVATE	private
#endif

struct ftrace_regs;			/* none here: always NULL */
struct ftrace_ops;

typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

/* What a callback wants; the numbers are the kernel's.  There are no registers, so
 * SAVE_REGS and IPMODIFY are -EINVAL.  The others are always so, asked for or not. */
enum {
	FTRACE_OPS_FL_SAVE_REGS			= 1 << 2,
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	= 1 << 3,	/* NULL */
	FTRACE_OPS_FL_RECURSION			= 1 << 4,	/* see below */
	FTRACE_OPS_FL_IPMODIFY			= 1 << 12,
	FTRACE_OPS_FL_RCU			= 1 << 14,	/* nothing to wait for */
	FTRACE_OPS_FL_PERMANENT			= 1 << 16,	/* nobody stops it */
};

struct ftrace_ops {
	ftrace_func_t func;
	unsigned long flags;		/* FTRACE_OPS_FL_...; others are -EINVAL */
	void *ULF_FTRACE_PRIVATE;
	void *ulf;			/* libulf's */
};

/* With these a kernel's callback keeps itself from being called by what it calls.  Here
 * no callback ever is, so it may always go on. */
ULF_NOTRACE
static inline int ftrace_test_recursion_trylock(unsigned long ip, unsigned long parent_ip)
{
	(void)ip;
	(void)parent_ip;
	return 0;
}

ULF_NOTRACE
static inline void ftrace_test_recursion_unlock(int bit)
{
	(void)bit;
}

/* Choose functions by their addresses; @reset: forget those chosen before.  While
 * none is chosen all are meant.  -EINVAL: none that can be traced is there; -ENOENT:
 * @remove, and it was not chosen. */
ULF_EXPORT int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip,
				    int remove, int reset);
/* Choose them by name, @len bytes, which may be a glob, and begin with ! to take away.
 * Names are looked up in the symbol tables of the objects that are loaded now (-s strips
 * them, C++ mangles them).  @buf may be NULL: only @reset.  @ops may be registered.  Returns
 * -EINVAL if no such function can be traced. */
ULF_EXPORT int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len,
				 int reset);
/* Those that are not meant, whatever else. */
ULF_EXPORT int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len,
				  int reset);
/* Forget all of it; not while it is registered. */
ULF_EXPORT void ftrace_free_filter(struct ftrace_ops *ops);
ULF_EXPORT int register_ftrace_function(struct ftrace_ops *ops);
/* When it returns no callback runs any more. */
ULF_EXPORT int unregister_ftrace_function(struct ftrace_ops *ops);

struct ftrace_graph_ent {
	unsigned long func;
	int depth;
};

struct ftrace_graph_ret {
	unsigned long func;
	unsigned long retval;		/* 0 if it has left by a tail call */
	int depth;
	unsigned int overrun;
	unsigned long long calltime;	/* ns */
	unsigned long long rettime;
};

struct fgraph_ops;
/* Returns 0: this call is not followed. */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *ent,
				      struct fgraph_ops *ops);
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *ret,
				       struct fgraph_ops *ops);

struct fgraph_ops {
	trace_func_graph_ent_t entryfunc;
	trace_func_graph_ret_t retfunc;
	struct ftrace_ops ops;		/* its filter */
	void *ULF_FTRACE_PRIVATE;
};

/* One at a time. */
ULF_EXPORT int register_ftrace_graph(struct fgraph_ops *gops);
ULF_EXPORT void unregister_ftrace_graph(struct fgraph_ops *gops);

#undef ULF_FTRACE_PRIVATE

#ifdef __cplusplus
}
#endif

#endif
