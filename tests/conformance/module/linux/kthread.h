/* SPDX-License-Identifier: MIT */
/* Included by the kernel's modules; none of those here has a thread. */
