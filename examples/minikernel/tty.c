/* SPDX-License-Identifier: MIT */
/*
 * The console, /dev/console: stdin and stdout of the process.
 *
 * A thread is the keyboard.  It is not a task: it puts the input into a ring and raises
 * an interrupt, whose handler wakes the task that waits for a line.
 *
 *	word       | writer       | readers
 *	ring.head  | the keyboard | the keyboard, tasks
 *	ring.tail  | tasks, under the reader's lock | the keyboard, tasks
 */
#include <errno.h>
#include <unistd.h>

#include <mini/fs.h>
#include <mini/irq.h>
#include <mini/mutex.h>
#include <mini/sched.h>
#include <mini/tty.h>

#define RING_BYTES	4096

static struct {
	char data[RING_BYTES];
	atomic_uint head, tail;		/* only grow */
	atomic_uint lines;		/* complete lines that are not read yet */
	atomic_bool is_hung_up;
} ring;
static struct wait_queue_head wait;
static struct mutex read_lock;

/* Put the character @c into the ring.  Characters that do not fit are lost, as on a serial
 * line. */
static void type(char c)
{
	unsigned int head = atomic_load(&ring.head);

	if (head - atomic_load(&ring.tail) == RING_BYTES)
		return;
	ring.data[head % RING_BYTES] = c;
	atomic_store(&ring.head, head + 1);
	if (c == '\n')
		atomic_fetch_add(&ring.lines, 1);
}

static void *keyboard(void *arg)
{
	char text[256];
	ssize_t n;

	while ((n = read(STDIN_FILENO, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			type(text[i]);
		raise_irq(0, IRQ_TTYS0);
	}
	atomic_store(&ring.is_hung_up, true);
	raise_irq(0, IRQ_TTYS0);
	return arg;
}

static irqreturn_t tty_interrupt(int irq, void *dev)
{
	(void)irq;
	(void)dev;
	wake_up(&wait);
	return IRQ_HANDLED;
}

/* Take the lock that a task holds while it reads the console. */
static __attribute__((noinline)) void console_lock(void)
{
	mutex_lock(&read_lock);
}

static __attribute__((noinline)) void console_unlock(void)
{
	mutex_unlock(&read_lock);
}

static bool has_line(void)
{
	return atomic_load(&ring.lines) || atomic_load(&ring.is_hung_up);
}

/* Read a line, or its first @len bytes.  Returns 0 bytes at the end of the input. */
static ssize_t tty_read(struct file *file, char *buf, size_t len, size_t pos)
{
	size_t n = 0;
	int r;

	(void)file;
	(void)pos;
	r = wait_event_interruptible(&wait, has_line());
	if (r < 0)
		return r;
	console_lock();
	while (n < len && atomic_load(&ring.tail) != atomic_load(&ring.head)) {
		buf[n] = ring.data[atomic_fetch_add(&ring.tail, 1) % RING_BYTES];
		if (buf[n++] == '\n') {
			atomic_fetch_sub(&ring.lines, 1);
			break;
		}
	}
	console_unlock();
	return (ssize_t)n;
}

static ssize_t tty_write(struct file *file, const char *buf, size_t len, size_t pos)
{
	ssize_t n = write(STDOUT_FILENO, buf, len);

	(void)file;
	(void)pos;
	return n < 0 ? -errno : n;
}

static const struct file_operations tty_fops = {
	.read = tty_read,
	.write = tty_write,
};

int tty_init(void)
{
	pthread_t thread;
	int r;

	if (!boot_console)
		return 0;
	init_waitqueue_head(&wait);
	mutex_init(&read_lock);
	r = vfs_create("/dev/console", &tty_fops, NULL);
	if (r == 0)
		r = request_irq(IRQ_TTYS0, tty_interrupt, "ttyS0", NULL);
	if (r == 0)
		r = -pthread_create(&thread, NULL, keyboard, NULL);
	if (r == 0)
		pthread_detach(thread);
	return r;
}
