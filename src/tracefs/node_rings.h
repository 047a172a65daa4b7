/* SPDX-License-Identifier: MIT */
/* Find the rings whose records a file of the tree shows. */
#ifndef ULF_TRACEFS_NODE_RINGS_H
#define ULF_TRACEFS_NODE_RINGS_H

#include "server/rings/rings.h"
#include "tracefs/tree.h"

/* Return which rings a file reads: the spare side for snapshot and snapshot_raw, else the
 * main side. */
static inline enum rings tracefs_rings(const struct tracefs_node *node)
{
	const struct tracefs_stream *stream = node->def->stream;

	return stream && stream->is_snapshot ? RINGS_SNAPSHOT : RINGS_MAIN;
}

/* Return the number of the CPU to which a file in per_cpu/cpuN belongs; CPU_ALL for any
 * other file. */
static inline int tracefs_cpu(const struct tracefs_node *node)
{
	return node->in && node->in->is_cpu ? (int)node->number : CPU_ALL;
}

#endif
