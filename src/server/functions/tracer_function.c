/* SPDX-License-Identifier: MIT */
/* The tracer "function".  Its records are not printed in a special way:
 * print/function_line.c prints them as built-in events. */
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/functions/functions.h"
#include "server/functions/tracer_function.h"
#include "server/print/tracer.h"

int tracer_function_check(struct instance *instance, const char *file, const char *name)
{
	int r = functions_refresh(instance->root);

	return r ? r : functions_check(instance, file, name);
}

int tracer_function_start(struct instance *instance)
{
	return functions_publish(instance->root);
}

int tracer_function_stop(struct instance *instance)
{
	return functions_publish_off(instance->root);
}

const struct tracer tracer_function = {
	.has_functions = true,
	.check = tracer_function_check,
	.start = tracer_function_start,
	.stop = tracer_function_stop,
};
