/* SPDX-License-Identifier: MIT */
/*
 * The FUSE mounts that the server serves. The server must not access a path that may lead
 * through one of its own mounts, because it would wait for itself.  So `ulf mount` mounts in
 * its own mount namespace, and passes the descriptor to the server.
 *
 * The file DIR/mounts lists the mounts: paths, each with a NUL.  A server that ends
 * regularly removes the file.  If a server was killed, the file is still there.  Then the
 * next server lets the mounter (mounter.h) run `ulf mount --restore PATH` for each path.
 */
#include "daemon/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/container.h"
#include "base/dir.h"
#include "base/text.h"
#include "daemon/loop.h"
#include "daemon/mounter.h"
#include "tracefs/fuse/fuse.h"

#define LIST_BYTES	(256u << 10)	/* maximum size of the file DIR/mounts, bytes */
#define RESTORE_SECONDS	5		/* maximum time that clients wait until the mounts
					 * of a killed server are restored, seconds */
#define UNMOUNT_MS	10000		/* while a server ends: maximum time to wait for each
					 * answer of the mounter, ms */

struct mount {
	TAILQ_ENTRY(mount) link;
	struct mounts *mounts;
	struct loop_source source;
	struct tracefs_fuse *fuse;
	char *path;			/* path of the mount; "" if the mount is in
					 * another mount namespace */
};

struct mounts {
	TAILQ_HEAD(, mount) list;
	struct loop *loop;
	struct server *server;
	char dir[DIR_PATH_BYTES];
	char file[DIR_PATH_BYTES + 32], new_file[DIR_PATH_BYTES + 32];
	struct loop_source mounter;
	size_t nr_restoring;		/* number of MOUNTER_RESTORE jobs that the mounter
					 * has not answered yet */
	size_t nr_unmounting;		/* number of MOUNTER_UNMOUNT jobs that the mounter
					 * has not answered yet */
	time_t restore_end;		/* time at which clients stop waiting for restored
					 * mounts, CLOCK_MONOTONIC, seconds */
};

/* Receive the answers of the mounter.  Returns -EAGAIN if no answer came within @wait_ms
 * ms, or another -errno if the mounter has exited. */
static int take_answers(struct mounts *mounts, int wait_ms)
{
	int op;

	for (;;) {
		op = mounter_answer(mounts->mounter.fd, wait_ms);
		if (op == MOUNTER_RESTORE && mounts->nr_restoring)
			mounts->nr_restoring--;
		else if (op == MOUNTER_UNMOUNT && mounts->nr_unmounting)
			mounts->nr_unmounting--;
		if (op < 0)
			return op;
		if (!mounts->nr_unmounting)
			wait_ms = 0;
	}
}

static void mounter_ready(struct loop_source *source, uint32_t events)
{
	struct mounts *mounts = container_of(source, struct mounts, mounter);

	(void)events;
	if (take_answers(mounts, 0) == -EAGAIN)
		return;
	mounts->nr_restoring = 0;
	loop_unwatch(mounts->loop, source);
}

int mounts_new(struct loop *loop, struct server *server, const char *dir, int mounter_fd,
	       struct mounts **ret_mounts)
{
	struct mounts *mounts = calloc(1, sizeof(*mounts));

	if (!mounts)
		return -ENOMEM;
	TAILQ_INIT(&mounts->list);
	mounts->loop = loop;
	mounts->server = server;
	snprintf(mounts->dir, sizeof(mounts->dir), "%s", dir);
	snprintf(mounts->file, sizeof(mounts->file), "%s/" DIR_MOUNTS, mounts->dir);
	snprintf(mounts->new_file, sizeof(mounts->new_file), "%s/" DIR_MOUNTS ".new",
		 mounts->dir);
	mounts->mounter.fd = mounter_fd;
	mounts->mounter.ready = mounter_ready;
	if (mounter_fd >= 0)
		loop_watch(loop, &mounts->mounter, EPOLLIN);
	*ret_mounts = mounts;
	return 0;
}

static int write_file(const char *path, const struct text *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = write(fd, text->data, text->len);
	close(fd);
	return len == (ssize_t)text->len ? 0 : -EIO;
}

/* Write the paths of all mounts to the file DIR/mounts, for a later server.  If this
 * fails, that server cannot restore all mounts, but the mounts continue to work. */
static void save_mounts(struct mounts *mounts)
{
	struct text text;

	text_init(&text, LIST_BYTES);
	mounts_list(mounts, &text);
	if (text.len == 0)
		unlink(mounts->file);
	else if (write_file(mounts->new_file, &text) == 0)
		rename(mounts->new_file, mounts->file);
	text_done(&text);
}

/* Free the mount, and close its descriptor.  Afterwards every access to the mount point
 * fails. */
static void mount_free(struct mount *mount)
{
	loop_unwatch(mount->mounts->loop, &mount->source);
	TAILQ_REMOVE(&mount->mounts->list, mount, link);
	tracefs_fuse_free(mount->fuse);
	free(mount->path);
	free(mount);
}

static void mount_ready(struct loop_source *source, uint32_t events)
{
	struct mount *mount = container_of(source, struct mount, source);
	struct mounts *mounts = mount->mounts;

	if (tracefs_fuse_dispatch(mount->fuse) == 0 && !(events & EPOLLERR))
		return;
	mount_free(mount);
	save_mounts(mounts);
}

int mounts_add(struct mounts *mounts, const char *path, int fd)
{
	struct mount *mount = calloc(1, sizeof(*mount));
	int ret;

	if (!mount)
		return -ENOMEM;
	mount->path = strdup(path);
	mount->mounts = mounts;
	mount->source.fd = fd;
	mount->source.ready = mount_ready;
	ret = mount->path ? 0 : -ENOMEM;
	/* Call tracefs_fuse_new() last, because it takes over @fd.  If an earlier step
	 * fails, the caller still owns @fd. */
	if (!ret)
		ret = loop_watch(mounts->loop, &mount->source, EPOLLIN);
	if (!ret)
		ret = tracefs_fuse_new(mounts->server, fd, &mount->fuse);
	if (ret < 0) {
		loop_unwatch(mounts->loop, &mount->source);
		free(mount->path);
		free(mount);
		return ret;
	}
	TAILQ_INSERT_TAIL(&mounts->list, mount, link);
	save_mounts(mounts);
	return 0;
}

void mounts_check(struct mounts *mounts)
{
	struct mount *mount, *next;

	for (mount = TAILQ_FIRST(&mounts->list); mount; mount = next) {
		next = TAILQ_NEXT(mount, link);
		mount_ready(&mount->source, 0);
	}
}

void mounts_list(const struct mounts *mounts, struct text *out)
{
	const struct mount *mount;

	TAILQ_FOREACH(mount, &mounts->list, link) {
		if (*mount->path)
			text_write(out, mount->path, strlen(mount->path) + 1);
	}
}

void mounts_tick(struct mounts *mounts)
{
	struct mount *mount;

	TAILQ_FOREACH(mount, &mounts->list, link)
		tracefs_fuse_tick(mount->fuse);
}

bool mounts_is_waiting(const struct mounts *mounts)
{
	const struct mount *mount;

	TAILQ_FOREACH(mount, &mounts->list, link) {
		if (tracefs_fuse_is_waiting(mount->fuse))
			return true;
	}
	return false;
}

static time_t now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

void mounts_restore(struct mounts *mounts)
{
	char *list, *path, *end;
	ssize_t len;
	int fd;

	fd = open(mounts->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	list = malloc(LIST_BYTES + 1);
	len = list ? read(fd, list, LIST_BYTES) : 0;
	close(fd);
	if (len > 0) {
		list[len] = '\0';
		for (path = list; path < list + len; path = end + 1) {
			end = path + strlen(path);
			if (*path == '/' && !mounter_ask(mounts->mounter.fd,
							 MOUNTER_RESTORE, path))
				mounts->nr_restoring++;
		}
	}
	free(list);
	mounts->restore_end = now_seconds() + RESTORE_SECONDS;
	/* Remove the file DIR/mounts, whose mounts are now being restored: each `ulf mount`
	 * that succeeds adds its path to a new file. */
	unlink(mounts->file);
}

bool mounts_is_restoring(const struct mounts *mounts)
{
	return mounts->nr_restoring > 0 && now_seconds() < mounts->restore_end;
}

/*
 * Unmount all mounts.  First close all descriptors, and only then let the mounter access
 * the paths.  An access to a closed mount fails at once, but an access to an open mount
 * that no process serves would block the mounter.
 */
void mounts_free(struct mounts *mounts)
{
	struct mount *mount;
	struct text paths;
	bool is_done = true;
	size_t at;

	if (!mounts)
		return;
	text_init(&paths, LIST_BYTES);
	mounts_list(mounts, &paths);
	while ((mount = TAILQ_FIRST(&mounts->list)))
		mount_free(mount);
	for (at = 0; at < paths.len; at += strlen(paths.data + at) + 1) {
		if (mounter_ask(mounts->mounter.fd, MOUNTER_UNMOUNT, paths.data + at))
			is_done = false;
		else
			mounts->nr_unmounting++;
	}
	if (mounts->nr_unmounting)
		take_answers(mounts, UNMOUNT_MS);
	text_done(&paths);
	/* If a mount could not be unmounted, keep the file DIR/mounts, so that the next
	 * server handles this mount. */
	if (is_done && !mounts->nr_unmounting)
		unlink(mounts->file);
	loop_unwatch(mounts->loop, &mounts->mounter);
	free(mounts);
}
