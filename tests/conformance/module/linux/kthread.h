/* SPDX-License-Identifier: MIT */
/* The kernel's modules include this header, but the modules here have no threads. */
