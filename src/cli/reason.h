/* SPDX-License-Identifier: MIT */
/* Errors for people: what an errno means for the ulf directory, and the remedy. */
#ifndef ULF_CLI_REASON_H
#define ULF_CLI_REASON_H

/* Why a server cannot work in its directory; @error is -errno. */
const char *reason_server(int error);
/* Why libulf could not make a root for its program; @error is -errno. */
const char *reason_no_root(int error);

#endif
