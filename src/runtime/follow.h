/* SPDX-License-Identifier: MIT */
/* Whether `ulf run --follow` also traces the programs that this program
 * starts. */
#ifndef ULF_RUNTIME_FOLLOW_H
#define ULF_RUNTIME_FOLLOW_H

#include <stdbool.h>

/*
 * Environment variable by which `ulf run --follow` asks libulf to follow: "RUN_ID:PATH".
 * RUN_ID is the value of ULF_HOLD.  PATH is that of libulf.so, for LD_PRELOAD.  If a
 * program under this `ulf run` calls another `ulf run`, that one sets another ULF_HOLD, and
 * this variable is ignored.
 */
#define FOLLOW_VARIABLE	"ULF_FOLLOW"

/* Returns true if `ulf run --follow` traces the programs that this program starts.  Reads
 * the environment, so it may be called only during the start. */
bool follow_is_wanted(void);

#endif
