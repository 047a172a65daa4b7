/* SPDX-License-Identifier: MIT */
#ifndef PLUGINS_H
#define PLUGINS_H

/* Close it, with the library's lock, when somebody is about to fork. */
int plugin_close(void *plugin);

#endif
