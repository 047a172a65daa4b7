/* SPDX-License-Identifier: MIT */
/* A library with nothing that can be traced. */
int later_plain(void);
int later_plain(void)
{
	return 1;
}
