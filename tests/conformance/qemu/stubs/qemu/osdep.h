/* SPDX-License-Identifier: MIT */
/* Stands for the types of QEMU that files of its tracetool need. */
#ifndef STUB_QEMU_OSDEP_H
#define STUB_QEMU_OSDEP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#endif
