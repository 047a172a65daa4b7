/* SPDX-License-Identifier: MIT */
/* Whether `ulf run --follow` also traces the programs that this one starts. */
#ifndef ULF_RUNTIME_FOLLOW_H
#define ULF_RUNTIME_FOLLOW_H

#include <stdbool.h>

/*
 * Environment variable by which `ulf run --follow` asks libulf to follow: "RUN_ID:PATH".  RUN_ID
 * is the value of ULF_HOLD.  PATH is that of libulf.so, for LD_PRELOAD.  Another `ulf run` further
 * down sets another ULF_HOLD, and then this variable counts no more.
 */
#define FOLLOW_VARIABLE	"ULF_FOLLOW"

/* Returns true if `ulf run --follow` traces the programs that this one starts.  Reads the
 * environment, so it may be called only during the start. */
bool follow_is_wanted(void);

#endif
