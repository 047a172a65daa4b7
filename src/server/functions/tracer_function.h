/* SPDX-License-Identifier: MIT */
/*
 * Methods for tracers that record functions; struct tracer (server/print/tracer.h)
 * describes them.  Only the server's thread calls them.
 */
#ifndef ULF_SERVER_TRACER_FUNCTION_H
#define ULF_SERVER_TRACER_FUNCTION_H

struct instance;

/*
 * Method tracer.check: check that the program has functions that can be traced, or
 * that boot settings wait for functions.  Returns 0; -ERESTART; or -EOPNOTSUPP if
 * there is no such function, which is reported in error_log.
 */
int tracer_function_check(struct instance *instance, const char *file, const char *name);
/* Method tracer.start: publish the functions that the tracers of all instances trace.
 * Returns 0 or -errno. */
int tracer_function_start(struct instance *instance);
/* Method tracer.stop: publish the functions that the remaining tracers of all instances
 * trace.  Returns 0 or -errno. */
int tracer_function_stop(struct instance *instance);

#endif
