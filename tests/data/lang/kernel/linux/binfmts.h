/* SPDX-License-Identifier: MIT */
/* See kthread.h. */
#ifndef STUB_LINUX_BINFMTS_H
#define STUB_LINUX_BINFMTS_H

struct linux_binprm {
	const char *filename;
};

#endif
