/* SPDX-License-Identifier: MIT */
/* Allocate and free the states of parts; see part.h. */
#include "server/core/part.h"

#include <stdlib.h>
#include <string.h>

void **root_states_alloc(const struct server_parts *parts)
{
	void **states = calloc(parts->nr_roots, sizeof(*states));

	for (size_t i = 0; states && i < parts->nr_roots; i++) {
		size_t bytes = parts->roots[i].state_bytes;

		states[i] = bytes ? calloc(1, bytes) : NULL;
		if (bytes && !states[i]) {
			root_states_free(parts, states);
			return NULL;
		}
	}
	return states;
}

void root_states_free(const struct server_parts *parts, void **states)
{
	for (size_t i = 0; states && i < parts->nr_roots; i++)
		if (parts->roots[i].state_bytes)
			free(states[i]);
	free(states);
}

void **instance_states_alloc(const struct server_parts *parts)
{
	void **states = calloc(parts->nr_instances, sizeof(*states));

	for (size_t i = 0; states && i < parts->nr_instances; i++) {
		size_t bytes = parts->instances[i].state_bytes;

		states[i] = bytes ? calloc(1, bytes) : NULL;
		if (bytes && !states[i]) {
			instance_states_free(parts, states);
			return NULL;
		}
	}
	return states;
}

void instance_states_clear(const struct server_parts *parts, void **states)
{
	for (size_t i = 0; i < parts->nr_instances; i++)
		if (parts->instances[i].state_bytes)
			memset(states[i], 0, parts->instances[i].state_bytes);
}

void instance_states_free(const struct server_parts *parts, void **states)
{
	for (size_t i = 0; states && i < parts->nr_instances; i++)
		if (parts->instances[i].state_bytes)
			free(states[i]);
	free(states);
}
