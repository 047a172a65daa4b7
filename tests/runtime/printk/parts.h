/* SPDX-License-Identifier: MIT */
#ifndef PARTS_H
#define PARTS_H

void test_contexts(void);
void test_pointers(void);
void test_modules(void);

#endif
