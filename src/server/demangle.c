/* SPDX-License-Identifier: MIT */
/* The option demangle.  libstdc++ does it; c++filt and gdb use the same code. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/demangle.h"

#define NAME_MAX_BYTES	2048u		/* longer names stay as they are */

/* <cxxabi.h>, which is C++ */
char *__cxa_demangle(const char *name, char *buf, size_t *bytes, int *status);

void demangle_print(const char *name, struct text *out)
{
	size_t len = strcspn(name, "@");	/* @plt stays */
	char copy[NAME_MAX_BYTES];
	char *plain = NULL;

	if (!strncmp(name, "_Z", 2) && len < sizeof(copy)) {
		memcpy(copy, name, len);
		copy[len] = '\0';
		plain = __cxa_demangle(copy, NULL, NULL, NULL);
	}
	if (plain) {
		text_puts(out, plain);
		text_puts(out, name + len);
	} else {
		text_puts(out, name);
	}
	free(plain);
}
