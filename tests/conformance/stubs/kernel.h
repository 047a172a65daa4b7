/* SPDX-License-Identifier: MIT */
/*
 * The types that the kernel's trace headers take from the rest of the kernel, for Linux 6.1
 * on x86-64, as short as possible.  This file is included before each trace header.  A
 * structure has the members that a trace header names, in any order.  A function is declared
 * and never called.  If `format` shows a value or a size, it is that of the kernel from which
 * the formats were taken.
 */
#ifndef ULF_CONFORMANCE_KERNEL_H
#define ULF_CONFORMANCE_KERNEL_H

#include "config.h"
#include "base.h"
#include "block.h"
#include "btrfs.h"
#include "device.h"
#include "disk.h"
#include "ext4.h"
#include "fs.h"
#include "media.h"
#include "mm.h"
#include "net.h"
#include "netfs.h"
#include "rdma.h"
#include "sched.h"
#include "sunrpc.h"

#endif
