/* SPDX-License-Identifier: MIT */
/*
 * ulf blackbox: write one file for each incident; see blackbox.h.
 *
 * A file gets its name when it is complete.  Until then it is called .incident-PID.part, so
 * that a reader of the directory never finds an incomplete incident.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/blackbox.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"

/* The name of an incident's file; in the pattern a digit stands for any digit.  The time is
 * UTC.  N counts the files of one second.  So the names sort in the order in which the files
 * were written, also by several runs.  If the clock was set back, a file gets the time of the
 * newest file. */
#define NAME_FORMAT	"incident-%Y%m%dT%H%M%SZ-"
#define NAME_PATTERN	"incident-00000000T000000Z-"
#define NAME_END	".txt"
#define PART_END	".part"

/* ---- the directory ---- */

static int open_dir(const struct blackbox *box)
{
	int fd = open(box->out_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	fd = -errno;
	cli_error("%s: %m", box->out_dir);
	return fd;
}

int blackbox_check_dir(const struct blackbox *box)
{
	int fd, ret;

	if (mkdir(box->out_dir, 0700) < 0 && errno != EEXIST) {
		ret = -errno;
		cli_error("%s: cannot create the directory: %m", box->out_dir);
		return ret;
	}
	fd = open_dir(box);
	if (fd < 0)
		return fd;
	ret = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0 ? -errno : 0;
	close(fd);
	if (ret)
		cli_error("%s: cannot write files there: %s", box->out_dir, strerror(-ret));
	return ret;
}

/* Return true if @name has the form of the names of incidents' files. */
static bool is_incident_name(const char *name)
{
	const char *pattern = NAME_PATTERN;
	size_t digits;

	for (; *pattern; pattern++, name++) {
		if (*pattern == '0' ? !isdigit((unsigned char)*name) : *name != *pattern)
			return false;
	}
	digits = strspn(name, "0123456789");
	return digits && digits < 10 && strcmp(name + digits, NAME_END) == 0;
}

static int is_incident(const struct dirent *entry)
{
	return is_incident_name(entry->d_name);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Remove the oldest files of incidents, until only @nr_left are left.  @ret_newest: name of
 * the newest file; "" if there is no file. */
static int remove_oldest(int dir, int nr_left, char ret_newest[BLACKBOX_NAME_BYTES])
{
	struct dirent **entries;
	int i, nr = scandirat(dir, ".", &entries, is_incident, compare_names);
	int ret = nr < 0 ? -errno : 0;

	memset(ret_newest, 0, BLACKBOX_NAME_BYTES);
	for (i = 0; i < nr; i++) {
		/* The name fits: is_incident_name() limits its length. */
		memcpy(ret_newest, entries[i]->d_name,
		       strnlen(entries[i]->d_name, BLACKBOX_NAME_BYTES - 1) + 1);
		if (!ret && i < nr - nr_left && unlinkat(dir, entries[i]->d_name, 0) < 0 &&
		    errno != ENOENT)
			ret = -errno;
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return ret;
}

/* ---- the text of an incident's file ---- */

/* Print the lines at the top of a file that describe the incident. */
static void print_head(struct blackbox *box, time_t now, uint64_t nr_missed, FILE *out)
{
	struct text clock;
	char date[64];
	struct tm tm;

	text_init(&clock, 64);
	blackbox_clock(box, &clock);
	if (!localtime_r(&now, &tm) || !strftime(date, sizeof(date), "%F %T %z", &tm))
		snprintf(date, sizeof(date), "?");
	fprintf(out, "# ulf blackbox: incident %u\n# root:   %s\n# event:  %s\n# limit:  %s\n"
		"# time:   %s\n# clock:  %s\n# missed: %llu since the incident before\n#\n",
		box->nr_fired, box->dir, box->event, box->limit, date, text_str(&clock),
		(unsigned long long)nr_missed);
	text_done(&clock);
}

/* Copy the records from the file @path of the tree to @out. */
static int print_records(struct blackbox *box, const char *path, FILE *out)
{
	int file = conn_file_open(&box->conn, path, O_RDONLY), ret;
	uint64_t offset = 0;

	if (file < 0)
		return file;
	while ((ret = conn_file_read(&box->conn, file, offset)) > 0) {
		if (fwrite(box->conn.data.data, 1, (size_t)ret, out) < (size_t)ret)
			break;
		offset += (uint64_t)ret;
	}
	conn_file_close(&box->conn, file);
	return ret < 0 ? ret : 0;
}

static int print_incident(struct blackbox *box, const char *source, time_t now,
			  uint64_t nr_missed, FILE *out)
{
	char *path;
	int ret;

	/* Call print_head() first: if the server has ended, it connects to the next server
	 * when it reads files of the buffer. */
	print_head(box, now, nr_missed, out);
	if (asprintf(&path, "%s/%s", box->dir, source) < 0)
		return -ENOMEM;
	ret = print_records(box, path, out);
	free(path);
	return ret;
}

/* Print the incident to @out.  If called again for the same file, empties the file first. */
static int print_to_file(struct blackbox *box, const char *source, time_t now,
			 uint64_t nr_missed, FILE *out)
{
	int ret;

	rewind(out);
	if (ftruncate(fileno(out), 0) < 0)
		return -errno;
	errno = 0;
	ret = print_incident(box, source, now, nr_missed, out);
	if ((fflush(out) == EOF || ferror(out)) && ret != -EPIPE)
		ret = errno ? -errno : -EIO;
	return ret;
}

/* ---- the file ---- */

struct incident {
	int dir;			/* descriptor of the directory of the incidents' files */
	time_t now;			/* time of the incident */
	char name[BLACKBOX_NAME_BYTES];
	char part[BLACKBOX_NAME_BYTES];	/* temporary name of the file, until it is complete */
	FILE *out;
};

/* Choose a name for the incident's file that sorts after @newest, which is the name of a file
 * or "". */
static bool choose_name(struct incident *incident, const char *newest)
{
	size_t len = strlen(NAME_PATTERN);
	char stem[BLACKBOX_NAME_BYTES];
	unsigned long number = 1;
	struct tm tm;

	if (!gmtime_r(&incident->now, &tm) || !strftime(stem, sizeof(stem), NAME_FORMAT, &tm) ||
	    strlen(stem) != len)
		return false;
	if (*newest && strncmp(stem, newest, len) <= 0) {
		memcpy(stem, newest, len);
		number = strtoul(newest + len, NULL, 10) + 1;
	}
	snprintf(incident->name, sizeof(incident->name), "%.40s%lu" NAME_END, stem, number);
	return true;
}

/* Create the file of the incident, under its temporary name.  The name contains the process
 * id, because another `ulf blackbox` may write to the same directory. */
static int create_part(struct incident *incident)
{
	int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, fd, ret;

	snprintf(incident->part, sizeof(incident->part), ".incident-%d" PART_END, getpid());
	fd = openat(incident->dir, incident->part, flags, 0600);
	if (fd < 0)
		return -errno;
	incident->out = fdopen(fd, "w+");
	if (incident->out)
		return 0;
	ret = -errno;
	close(fd);
	unlinkat(incident->dir, incident->part, 0);
	return ret;
}

/* Give the complete file its final name.  Returns 0, -EEXIST or another -errno. */
static int rename_part(const struct incident *incident)
{
	int ret = renameat2(incident->dir, incident->part, incident->dir, incident->name,
			    RENAME_NOREPLACE);

	/* Some file systems do not support RENAME_NOREPLACE. */
	if (ret < 0 && errno == EINVAL)
		ret = renameat(incident->dir, incident->part, incident->dir, incident->name);
	return ret < 0 ? -errno : 0;
}

/* Remove old files of incidents, and give the new file its final name. */
static int publish_file(const struct blackbox *box, struct incident *incident)
{
	char newest[BLACKBOX_NAME_BYTES];
	int ret = remove_oldest(incident->dir, (int)box->max_files - 1, newest);

	if (ret < 0)
		return ret;
	do {
		if (!choose_name(incident, newest))
			return -EOVERFLOW;
		ret = rename_part(incident);
		memcpy(newest, incident->name, sizeof(newest));
	} while (ret == -EEXIST);
	return ret;
}

static int write_incident(struct blackbox *box, struct incident *incident, const char *source,
			  uint64_t nr_missed)
{
	int ret = create_part(incident);

	if (ret < 0)
		return ret;
	ret = print_to_file(box, source, incident->now, nr_missed, incident->out);
	if (ret == -EPIPE)
		ret = print_to_file(box, source, incident->now, nr_missed, incident->out);
	if (fclose(incident->out) == EOF && !ret)
		ret = -errno;
	if (!ret)
		ret = publish_file(box, incident);
	if (ret < 0)
		unlinkat(incident->dir, incident->part, 0);
	return ret;
}

int blackbox_write(struct blackbox *box, const char *source, uint64_t nr_missed, char *ret_name)
{
	struct incident incident = { .dir = open_dir(box), .now = time(NULL) };
	int ret;

	if (incident.dir < 0)
		return incident.dir;
	ret = write_incident(box, &incident, source, nr_missed);
	close(incident.dir);
	if (ret < 0)
		cli_error("%s: incident %u is not written: %s", box->out_dir, box->nr_fired,
			  strerror(-ret));
	else
		memcpy(ret_name, incident.name, sizeof(incident.name));
	return ret;
}
