/* SPDX-License-Identifier: MIT */
/*
 * Function tracing for a program's own use: callbacks at the entry and at the return of
 * chosen functions.  Names and meaning are the kernel's.
 *
 * The functions must have been compiled with NOPs at their entry, as
 *	gcc $(pkg-config --variable=ftrace_cflags ulf) ...
 * does.  A callback runs in the thread that calls the traced function, possibly inside a
 * signal handler.  Functions that a callback calls are not traced.  A callback must
 * return.  If longjmp() or an exception leaves a callback, its thread stays untraced,
 * and unregistering the callback waits for ever.
 *
 * Unless stated otherwise, functions that return int return 0 or -errno.  The functions
 * take locks and may allocate memory, so a signal handler must not call them.
 */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <stddef.h>

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `private` is a keyword of C++, so in C++ the member `private` is called private_. */
#ifdef __cplusplus
#define ULF_FTRACE_PRIVATE	private_
#else
#define ULF_FTRACE_PRIVATE	private
#endif

struct ftrace_regs;			/* never defined, because callbacks always get
					 * NULL instead of registers */
struct ftrace_ops;

/*
 * A callback at the entry of a function.
 * @ip: address of the NOPs at the entry of the traced function.
 * @parent_ip: return address of the traced function.
 * @op: the struct with which the callback was registered.
 * @fregs: always NULL.
 */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

/* Flags of ftrace_ops.flags, with the kernel's numbers.  Registers are not available.  So
 * registering fails with -EINVAL if IPMODIFY is set, or if SAVE_REGS is set without
 * SAVE_REGS_IF_SUPPORTED.  The other flags are accepted and change nothing, because all
 * callbacks behave as these flags demand. */
enum {
	FTRACE_OPS_FL_SAVE_REGS			= 1 << 2,
	/* accepted, but a callback gets NULL as @fregs */
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	= 1 << 3,
	/* accepted and always in force: libulf never calls a callback from inside
	 * another callback */
	FTRACE_OPS_FL_RECURSION			= 1 << 4,
	FTRACE_OPS_FL_IPMODIFY			= 1 << 12,
	/* accepted without effect, because a program has no RCU */
	FTRACE_OPS_FL_RCU			= 1 << 14,
	/* accepted and always in force: no setting of ulf stops callbacks */
	FTRACE_OPS_FL_PERMANENT			= 1 << 16,
};

struct ftrace_ops {
	ftrace_func_t func;		/* the callback at function entries, which
					 * must not be NULL */
	unsigned long flags;		/* bits FTRACE_OPS_FL_...; with any other bit,
					 * registering fails with -EINVAL */
	void *ULF_FTRACE_PRIVATE;	/* data of the program, which libulf does not use */
	void *ulf;			/* data of libulf; NULL before the first registration */
};

/* Take and release the lock that protects a callback from recursion.  In the kernel these
 * two functions protect a callback from being called again by the functions that it calls.
 * Here libulf protects every callback, so the lock always succeeds. */
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

/*
 * Add the function at address @ip to the functions that @ops traces.  While the list of
 * these functions is empty, @ops traces all functions.
 * @remove: not 0: remove the function from the list instead.
 * @reset: not 0: empty the list first.
 *
 * @ops may be registered: the change then takes effect at once.
 * Returns 0, -EINVAL (no function at @ip can be traced), -ENOENT (@remove, and the
 * function was not in the list) or -ENOMEM.  After an error the list is as before.
 */
ULF_EXPORT int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip,
				    int remove, int reset);
/*
 * Add functions by name to the list of functions that @ops traces.
 * @buf: a name or a glob, @len bytes; with a leading `!` the functions are removed from
 *	the list.  NULL: only apply @reset.
 * @reset: not 0: empty the list first.
 *
 * Names are looked up in the symbol tables of the objects that are loaded now.  `strip
 * -s` removes these names, and C++ names are mangled.  @ops may be registered.
 * Returns 0, -EINVAL (no function of that name can be traced, or @len is negative) or
 * -ENOMEM.
 */
ULF_EXPORT int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len,
				 int reset);
/* Add functions by name to the list of functions that @ops never traces.  This list comes
 * first: it also excludes functions that ftrace_set_filter() has selected.  The
 * parameters and the result are those of ftrace_set_filter(). */
ULF_EXPORT int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len,
				  int reset);
/* Free the lists of functions that ftrace_set_filter() and ftrace_set_notrace() have
 * made for @ops.  Does nothing while @ops is registered. */
ULF_EXPORT void ftrace_free_filter(struct ftrace_ops *ops);
/*
 * Call ops->func at the entry of every function that the lists of @ops select.  @ops
 * must stay valid and unchanged until it is unregistered.
 * Returns 0, -EINVAL (ops->func is NULL, or a flag is not supported), -EBUSY (@ops is
 * registered already, or too many other structs are registered) or another -errno.
 */
ULF_EXPORT int register_ftrace_function(struct ftrace_ops *ops);
/*
 * Stop the callbacks of @ops, and wait until none of them runs.  A callback must not call
 * this.
 * Returns 0, or -EBUSY if @ops is not registered.
 */
ULF_EXPORT int unregister_ftrace_function(struct ftrace_ops *ops);

/* Argument of the entry callback: describes the call of the traced function. */
struct ftrace_graph_ent {
	unsigned long func;		/* address of the NOPs at the function's entry */
	int depth;			/* number of traced calls around this call; 0 for
					 * the outermost call */
};

/* Argument of the return callback: describes the call that has returned. */
struct ftrace_graph_ret {
	unsigned long func;		/* address of the NOPs at the function's entry */
	unsigned long retval;		/* the return value; 0 if the function ended in
					 * a tail call */
	int depth;			/* number of traced calls around this call; 0 for
					 * the outermost call */
	unsigned int overrun;		/* number of calls so far, in all
					 * threads, that could not be traced */
	unsigned long long calltime;	/* time of the call, ns */
	unsigned long long rettime;	/* time of the return, ns */
};

struct fgraph_ops;
/* The type of the entry callback.  If the callback returns 0, this call is not traced.
 * Otherwise the return callback is called when the function returns. */
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *ent,
				      struct fgraph_ops *ops);
/* The type of the return callback, which is called when a traced function returns. */
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *ret,
				       struct fgraph_ops *ops);

struct fgraph_ops {
	trace_func_graph_ent_t entryfunc;	/* callback at the entry of a traced
						 * function; must not be NULL */
	trace_func_graph_ret_t retfunc;	/* callback at the return of a traced function;
					 * must not be NULL */
	struct ftrace_ops ops;		/* the lists of @ops select the traced functions; set the
					 * lists with ftrace_set_filter(&gops->ops, ...) */
	void *ULF_FTRACE_PRIVATE;	/* data of the program, which libulf does not use */
};

/*
 * Call the callbacks of @gops for every function that the lists of gops->ops select.
 * Only one struct fgraph_ops can be registered at a time.
 * Returns 0, -EINVAL (a callback is NULL), -EBUSY (another struct fgraph_ops is
 * registered) or another -errno.
 */
ULF_EXPORT int register_ftrace_graph(struct fgraph_ops *gops);
/* Stop the callbacks of @gops, and wait until none of them runs.  A callback must not
 * call this. */
ULF_EXPORT void unregister_ftrace_graph(struct fgraph_ops *gops);

#undef ULF_FTRACE_PRIVATE

#ifdef __cplusplus
}
#endif

#endif
