/* SPDX-License-Identifier: MIT */
/* What the parts of this program share. */
#ifdef __cplusplus
extern "C" {
#endif

#define FRAMES	256

/* Hit an event, and check that its stack is recorded. */
void hit_and_check(void);
/* The same while an exception flies. */
void hit_when_thrown(void);

#ifdef __cplusplus
}
#endif
