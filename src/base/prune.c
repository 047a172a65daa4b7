/* SPDX-License-Identifier: MIT */
/* Remove old files from a directory; see prune.h. */
#include "base/prune.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX	4096u		/* maximum number of files that are examined */
#define NAME_BYTES	128u		/* files with longer names are skipped and
					 * never removed */

struct old_file {
	char name[NAME_BYTES];
	uint64_t bytes;
	struct timespec time;
};

struct old_files {
	struct old_file *files;
	uint32_t nr;
	uint64_t bytes;			/* size of all found files together, bytes */
};

static void list_files(DIR *dir, struct old_files *list)
{
	struct dirent *entry;
	struct stat st;

	while (list->nr < FILES_MAX && (entry = readdir(dir))) {
		struct old_file *file = &list->files[list->nr];

		if (strlen(entry->d_name) >= NAME_BYTES ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		strcpy(file->name, entry->d_name);
		file->bytes = (uint64_t)st.st_size;
		file->time = st.st_mtim;
		list->bytes += file->bytes;
		list->nr++;
	}
}

static int compare_times(const void *pa, const void *pb)
{
	const struct timespec *a = &((const struct old_file *)pa)->time;
	const struct timespec *b = &((const struct old_file *)pb)->time;

	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Returns a directory stream for @dir, or NULL.  The caller closes the
 * stream. */
static DIR *open_stream(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

void prune_files(int dir, uint64_t bytes_max,
		 bool (*may_remove)(const char *name, void *arg), void *arg)
{
	struct old_files list = { .files = calloc(FILES_MAX, sizeof(*list.files)) };
	DIR *stream = open_stream(dir);

	if (stream && list.files)
		list_files(stream, &list);
	qsort(list.files, list.nr, sizeof(*list.files), compare_times);
	for (uint32_t i = 0; i < list.nr && list.bytes > bytes_max; i++) {
		const struct old_file *file = &list.files[i];

		if ((!may_remove || may_remove(file->name, arg)) && !unlinkat(dir, file->name, 0))
			list.bytes -= file->bytes;
	}
	if (stream)
		closedir(stream);
	free(list.files);
}
