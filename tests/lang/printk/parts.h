/* SPDX-License-Identifier: MIT */
#ifndef PARTS_H
#define PARTS_H

#ifdef __cplusplus
extern "C" {
#endif

void test_conversions(void);
void test_cxx(void);

#ifdef __cplusplus
}
#endif

#endif
