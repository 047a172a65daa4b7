/* SPDX-License-Identifier: MIT */
/* On and off. */
#ifndef MINI_POWER_H
#define MINI_POWER_H

int power_init(void);
void press_power_button(void);	/* from outside of the machine */
void kernel_power_off(void);	/* init's last act: no task but it is left then */

#endif
