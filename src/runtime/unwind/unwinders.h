/* SPDX-License-Identifier: MIT */
/* Help the unwinders of the program to find their way out of slots and copies; see
 * unwinders.c. */
#ifndef ULF_RUNTIME_UNWINDERS_H
#define ULF_RUNTIME_UNWINDERS_H

/*
 * unwinders_serve - let the unwinders that are loaded now ask libulf for tables
 *
 * The caller holds runtime_lock(), has made sure that no wrapped dlclose() unmaps an object
 * meanwhile, and may be a thread that libc does not know.  An unwinder that is loaded later
 * needs another call.  The function has no effect if libc has no _dl_find_object(), or if
 * the memory of an unwinder cannot be changed.
 */
void unwinders_serve(void);
/* Let the next unwinders_serve() look at all objects, not only if the loader's list looks
 * different: objects were loaded or unloaded.  Lock held. */
void unwinders_forget(void);

#endif
