/* SPDX-License-Identifier: MIT */
/* A number that C and assembly share: the signature with which glibc registers rseq areas. */
#ifndef ULF_ARCH_RSEQ_SIGNATURE_H
#define ULF_ARCH_RSEQ_SIGNATURE_H

#define RSEQ_SIGNATURE		0x53053053

#endif
