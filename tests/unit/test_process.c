/* SPDX-License-Identifier: MIT */
/* Which processes are of a root. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "server/server.h"
#include "unit/fake_root.h"

static int see(void *arg, const struct server_root_info *info)
{
	*(uint32_t *)arg = info->nr_processes;
	return 1;
}

/* ---- stat() and /proc/PID/maps do not agree ---- */

/* The memory has other numbers in /proc/self/maps than by stat(). */
static bool has_two_numbers(const struct fake_root *root)
{
	char path[300], line[512], numbers[64];
	bool is_there = false;
	struct stat st;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/memory", root->path);
	if (stat(path, &st))
		_exit(2);
	snprintf(numbers, sizeof(numbers), " %02x:%02x %lu ", major(st.st_dev),
		 minor(st.st_dev), st.st_ino);
	maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps))
		is_there |= strstr(line, numbers) != NULL;
	if (!maps)
		_exit(3);
	fclose(maps);
	return !is_there;
}

static bool tell(const char *path, unsigned int id)
{
	FILE *file = fopen(path, "we");

	return file && fprintf(file, "%u %u 1", id, id) > 0 && !fclose(file);
}

/* May this process mount, in a namespace of its own? */
static bool can_mount(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	FILE *file;

	if (unshare(CLONE_NEWNS | CLONE_NEWUSER))
		return false;
	file = fopen("/proc/self/setgroups", "we");
	return file && fputs("deny", file) >= 0 && !fclose(file) &&
	       tell("/proc/self/uid_map", uid) && tell("/proc/self/gid_map", gid) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* overlayfs over two file systems has such files. */
static void live_in_overlay(const char *dir)
{
	struct server *server;
	struct fake_root root;
	uint32_t nr = 0;

	if (chdir(dir) || mkdir("lower", 0700) || mkdir("upper", 0700) ||
	    mkdir("work", 0700) || mkdir("mnt", 0700))
		_exit(1);
	if (!can_mount() || chdir(dir) || mount("none", "lower", "tmpfs", 0, NULL) ||
	    mount("none", "mnt", "overlay", 0,
		  "userxattr,lowerdir=lower,upperdir=upper,workdir=work"))
		_exit(77);
	fake_root_make(&root, "mnt", "one.1");
	if (!has_two_numbers(&root))
		_exit(77);
	fake_root_show(&root, "one.1");
	if (server_new("mnt", &server))
		_exit(4);
	server_root_list(server, see, &nr);
	_exit(nr == 1 ? 0 : 5);
}

static void maps_count_not_stat(void **state)
{
	char dir[128];
	int status;
	pid_t pid;

	(void)state;
	fake_dir_make(dir);
	pid = fork();
	if (!pid)
		live_in_overlay(dir);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	fake_dir_remove(dir);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("no overlayfs with numbers of its own here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_count_not_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
