/* SPDX-License-Identifier: MIT */
#ifndef STUB_QEMU_MODULE_H
#define STUB_QEMU_MODULE_H

#define trace_init(function)						\
	static void __attribute__((__constructor__)) init(void) { function(); }

#endif
