/* SPDX-License-Identifier: MIT */
/* Types that prototypes of the kernel's xfs_trace.h name and that libxfs does not have. */
#ifndef XFS_TRACE_TYPES_H
#define XFS_TRACE_TYPES_H

/* Device numbers have the C library's encoding here, not the kernel's. */
#define MAJOR(dev)	((unsigned int) (((dev) >> 8) & 0xfff))
#define MINOR(dev)	((unsigned int) (((dev) & 0xff) | (((dev) >> 12) & 0xffffff00)))
#include <ulf/kernel.h>

struct inode;
struct iov_iter;
struct kiocb;
struct shrink_control;
enum page_entry_size { PE_SIZE_PTE, PE_SIZE_PMD, PE_SIZE_PUD };

#endif
