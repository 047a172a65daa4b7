/* SPDX-License-Identifier: MIT */
/* Shared by the parts of this program. */
#ifdef __cplusplus
extern "C" {
#endif

#define FRAMES	256

/* Hit an event, and check that its stack is recorded. */
void hit_and_check(void);
/* Hit an event, and check its stack, while an exception is in flight. */
void hit_when_thrown(void);

#ifdef __cplusplus
}
#endif
