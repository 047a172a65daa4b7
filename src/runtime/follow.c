/* SPDX-License-Identifier: MIT */
/* Find out whether the programs that this program starts are followed; see
 * follow.h. */
#include "runtime/follow.h"

#include <stdlib.h>
#include <string.h>

bool follow_is_wanted(void)
{
	const char *follow = getenv(FOLLOW_VARIABLE), *run_id = getenv("ULF_HOLD");
	size_t len = run_id ? strlen(run_id) : 0;

	return follow && len && !strncmp(follow, run_id, len) && follow[len] == ':' &&
	       follow[len + 1] == '/';
}
