/* SPDX-License-Identifier: MIT */
/* List the roots, for `ulf ls` and other clients. */
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/core/root_info.h"
#include "server/core/roots.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"

#define ROUND_NS	20000000u	/* maximum time for which one call reads figures
					 * of dead roots, ns */
#define LEARN_NS	800000000u	/* maximum time that a request for the list of
					 * roots waits for the figures of dead roots, ns */

/* Return true if the server knows of @root only the figures in `struct abi_control`, so
 * that it must read the others. */
static bool needs_info(const struct root *root)
{
	return root->state == SERVER_ROOT_DEAD && !root->memory && !root->has_info;
}

/*
 * Read the figures of a root that was dead when it was found.  The root is woken for a
 * moment.  If that fails for lack of descriptors, the root is listed without figures.
 */
static void learn_info(struct root *root)
{
	if (root_is_usable(root) && root_can_sleep(root))
		root_sleep(root);
	root->has_info = true;
}

static bool learn_infos(struct server *server, uint64_t end_ns)
{
	struct root *root, *next;

	for (root = TAILQ_FIRST(&server_roots(server)->dead); root; root = next) {
		next = TAILQ_NEXT(root, dead_link);
		if (!needs_info(root))
			continue;
		if (server_now_ns() > end_ns)
			return false;
		learn_info(root);
	}
	return true;
}

bool server_root_list_prepare(struct server *server)
{
	uint64_t *since_ns = &server_roots(server)->learning_ns;
	uint64_t now = server_now_ns();
	bool is_done = learn_infos(server, now + ROUND_NS);

	if (!*since_ns)
		*since_ns = now;
	if (!is_done && server_now_ns() - *since_ns < LEARN_NS)
		return false;
	*since_ns = 0;
	return true;
}

static void get_info(struct root *root, struct server_root_info *ret_info)
{
	*ret_info = root->info;
	ret_info->has_figures = !needs_info(root);
	if (root_is_ready(root))
		root_info_fill(root, ret_info);
	ret_info->name = root->name;
	ret_info->state = root->state;
}

int server_root_names(struct server *server,
		      int (*emit)(void *arg, const struct server_root_info *info),
		      void *arg)
{
	struct server_root_info info;
	struct root *root;
	int r = 0;

	server_dispatch(server);	/* notice processes that have died since the last
					 * call */
	for (root = TAILQ_FIRST(&server_roots(server)->all); root && !r;
	     root = TAILQ_NEXT(root, link)) {
		get_info(root, &info);
		r = emit(arg, &info);
	}
	return r;
}

int server_root_list_run(struct server *server, uint32_t run_id,
			 int (*emit)(void *arg, const struct server_root_info *info),
			 void *arg)
{
	uint64_t end_ns = server_now_ns() + ROUND_NS;
	struct server_root_info info;
	struct root *root;
	int r = 0;

	server_dispatch(server);
	for (root = TAILQ_FIRST(&server_roots(server)->all); root && !r;
	     root = TAILQ_NEXT(root, link)) {
		get_info(root, &info);
		if (info.run_id != run_id)
			continue;
		if (needs_info(root) && server_now_ns() < end_ns) {
			learn_info(root);
			get_info(root, &info);
		}
		r = emit(arg, &info);
	}
	return r;
}

int server_root_list(struct server *server,
		     int (*emit)(void *arg, const struct server_root_info *info),
		     void *arg)
{
	server_dispatch(server);
	learn_infos(server, UINT64_MAX);
	return server_root_names(server, emit, arg);
}
