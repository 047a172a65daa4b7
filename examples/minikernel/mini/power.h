/* SPDX-License-Identifier: MIT */
/* Switching off. */
#ifndef MINI_POWER_H
#define MINI_POWER_H

int power_init(void);
void press_power_button(void);	/* called from outside of the mini kernel */
void kernel_power_off(void);	/* init's last call: no other task is left */

#endif
