/* SPDX-License-Identifier: MIT */
/* Files whose text is generated when they are read: the kernel's view of itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <mini/fs.h>
#include <mini/net.h>
#include <mini/slab.h>
#include <mini/time.h>

#define PROC_TEXT_BYTES	512

static int stat_show(char *buf, size_t size)
{
	return snprintf(buf, size, "cpus %d\nctxt %llu\njiffies %lu\nwriteback %llu\n", nr_cpus,
			(unsigned long long)nr_context_switches(), jiffies,
			(unsigned long long)writeback_blocks());
}

static int meminfo_show(char *buf, size_t size)
{
	struct slab_stats stats;

	slab_get_stats(&stats);
	return snprintf(buf, size, "slab_pages %lu\nslab_objects %lu\n", stats.pages,
			stats.objects);
}

static int net_dev_show(char *buf, size_t size)
{
	const struct net_device *devices[] = { &loopback_dev, &eth0_dev };
	int len = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		len += snprintf(buf + len, size - (size_t)len, "%s: rx %lu tx %lu dropped %lu\n",
				devices[i]->name, atomic_load(&devices[i]->rx_packets),
				atomic_load(&devices[i]->tx_packets),
				atomic_load(&devices[i]->tx_dropped));
	return len;
}

static ssize_t proc_read(struct file *file, char *buf, size_t len, size_t pos)
{
	char *text = kmalloc(PROC_TEXT_BYTES, GFP_KERNEL);
	size_t size;

	if (!text)
		return -ENOMEM;
	size = (size_t)file->dentry->inode->show(text, PROC_TEXT_BYTES);
	if (pos >= size)
		len = 0;
	else if (len > size - pos)
		len = size - pos;
	memcpy(buf, text + (len ? pos : 0), len);
	kfree(text);
	return (ssize_t)len;
}

static const struct file_operations proc_fops = {
	.read = proc_read,
};

static const struct {
	const char *path;
	int (*show)(char *buf, size_t size);
} proc_files[] = {
	{ "/proc/stat", stat_show },
	{ "/proc/meminfo", meminfo_show },
	{ "/proc/netdev", net_dev_show },
};

int proc_init(void)
{
	struct dentry *dentry;
	size_t i;
	int r;

	r = vfs_mkdir("/proc");
	for (i = 0; i < ARRAY_SIZE(proc_files) && r == 0; i++) {
		r = vfs_create(proc_files[i].path, &proc_fops, &dentry);
		if (r == 0)
			dentry->inode->show = proc_files[i].show;
	}
	return r;
}
