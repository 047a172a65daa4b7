/* SPDX-License-Identifier: MIT */
/* ulf umount: unmount the tree, or a mount whose server is dead. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fusemount.h"
#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/mountpoint.h"

/* Unmount @path.  If there is no server (@is_connected is false), @path may still have
 * a dead mount. */
static int unmount_path(struct conn *conn, bool is_connected, const char *path, bool is_lazy)
{
	const struct abi_request request = { .op = ABI_SOCKET_UMOUNT };
	bool is_stale;
	int ret;

	if (!fusemount_is_mounted(path)) {
		cli_error("%s is not a mount of ulf's", path);
		return -EINVAL;
	}
	is_stale = fusemount_is_stale(path);
	ret = fusemount_close(path, is_lazy || is_stale, false);
	if (ret == -EBUSY)
		cli_error("%s is in use; leave it (cd, open files) and try again, or say "
			  "`ulf umount --lazy`", path);
	else if (ret == -ENOENT)
		cli_error("fusermount3 is not installed; root can say `umount %s`", path);
	else if (ret < 0)
		cli_error("cannot unmount %s: %s", path, strerror(-ret));
	if (ret < 0)
		return ret;
	/* Notify the server of the unmount; otherwise the server would notice it only
	 * later. */
	if (is_connected)
		conn_call(conn, &request, NULL, 0);
	return 0;
}

static int cmd_umount(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "lazy", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_lazy = false;
	int option, connected, status;
	struct conn conn;
	char *path;

	while ((option = cli_option(cmd, argc, argv, "lh", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_lazy = true;
	}
	if (argc - optind > 1)
		return cli_usage(cmd);
	connected = conn_open(&conn, 0);
	if (connected < 0 && connected != -ENOTCONN)
		return CLI_FAILED;
	status = CLI_FAILED;
	if (mountpoint_find(conn.dir, argv[optind], &path) == 0) {
		if (unmount_path(&conn, connected == 0, path, is_lazy) == 0)
			status = 0;
		free(path);
	}
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_umount = {
	.name = "umount",
	.args = "[--lazy] [DIR]",
	.summary = "unmount the tree of control files",
	.help =
"Unmounts DIR, or the directory `tracing` of the ulf directory.\n"
"\n"
"  -l, --lazy         unmount even if the tree is in use; the mount ends when\n"
"                     nobody uses it any more\n",
	.run = cmd_umount,
};
