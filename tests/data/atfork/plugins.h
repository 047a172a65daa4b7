/* SPDX-License-Identifier: MIT */
#ifndef PLUGINS_H
#define PLUGINS_H

/* Close @plugin with the library's lock held, when another thread is about to fork. */
int plugin_close(void *plugin);

#endif
