/* SPDX-License-Identifier: MIT */
/*
 * Register the tables of a program or shared object with libulf when it is loaded.  Every
 * source file that includes <linux/tracepoint.h> or <ulf/tracing.h> gets the constructor below,
 * so it runs several times.  The linker merges all copies of __ulf_module into one, and only
 * the first registration has an effect.
 */
#ifndef ULF_MODULE_H
#define ULF_MODULE_H

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start and end of each section with rows for libulf, such as __ulf_sites.  The linker
 * defines these symbols; they are 0 if the section does not exist. */
extern struct ulf_site __start___ulf_sites[] __attribute__((__weak__)) ULF_HIDDEN;
extern struct ulf_site __stop___ulf_sites[] __attribute__((__weak__)) ULF_HIDDEN;
extern struct ulf_event *__start___ulf_events[] __attribute__((__weak__)) ULF_HIDDEN;
extern struct ulf_event *__stop___ulf_events[] __attribute__((__weak__)) ULF_HIDDEN;
extern struct tracepoint *__start___ulf_tracepoints[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern struct tracepoint *__stop___ulf_tracepoints[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern const struct ulf_eval *__start___ulf_evals[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern const struct ulf_eval *__stop___ulf_evals[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern const struct ulf_table *__start___ulf_tables[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern const struct ulf_table *__stop___ulf_tables[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern struct ulf_format __start___ulf_formats[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern struct ulf_format __stop___ulf_formats[]
	__attribute__((__weak__)) ULF_HIDDEN;
extern const char *__start___ulf_strings[] __attribute__((__weak__)) ULF_HIDDEN;
extern const char *__stop___ulf_strings[] __attribute__((__weak__)) ULF_HIDDEN;

__attribute__((__weak__)) ULF_HIDDEN struct ulf_module __ulf_module = {
	ULF_ABI_VERSION, 0,
	__start___ulf_sites, __stop___ulf_sites,
	__start___ulf_events, __stop___ulf_events,
	__start___ulf_tracepoints, __stop___ulf_tracepoints,
	__start___ulf_evals, __stop___ulf_evals,
	__start___ulf_tables, __stop___ulf_tables,
	__start___ulf_formats, __stop___ulf_formats,
	NULL, NULL,
	__start___ulf_strings, __stop___ulf_strings,
};

ULF_NOTRACE
__attribute__((__constructor__(101))) static void __ulf_module_coming(void)
{
	ulf_module_register(&__ulf_module);
}

ULF_NOTRACE
__attribute__((__destructor__(101))) static void __ulf_module_going(void)
{
	ulf_module_unregister(&__ulf_module);
}

#ifdef __cplusplus
}
#endif

#endif
