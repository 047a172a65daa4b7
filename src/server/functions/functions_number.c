/* SPDX-License-Identifier: MIT */
/* Find functions by their numbers. */
#include <stddef.h>

#include "server/core/root.h"
#include "server/functions/functions.h"

struct function_object *function_object(const struct functions *functions,
					uint32_t nr, uint32_t *ret_at)
{
	uint32_t low = 0, high = functions->nr_objects;

	if (nr >= functions->nr)
		return NULL;
	while (high - low > 1) {	/* find the last object whose first function has a
					 * number <= @nr */
		uint32_t middle = low + (high - low) / 2;

		if (functions->objects[middle]->first <= nr)
			low = middle;
		else
			high = middle;
	}
	*ret_at = nr - functions->objects[low]->first;
	return functions->objects[low];
}

bool function_is_there(const struct functions *functions, uint32_t nr)
{
	uint32_t at;
	const struct function_object *object = function_object(functions, nr, &at);

	return object && object->is_there;
}

const char *function_name(const struct functions *functions, uint32_t nr,
			  const char **ret_module)
{
	uint32_t at;
	const struct function_object *object = function_object(functions, nr, &at);

	if (!object)
		return NULL;
	*ret_module = object->module;
	return object->names[at];
}

uint64_t function_ip(const struct functions *functions, uint32_t nr)
{
	uint32_t at;
	const struct function_object *object = function_object(functions, nr, &at);

	return object ? object->bias + object->sites.addrs[at] : 0;
}
