/* SPDX-License-Identifier: MIT */
/*
 * minikernel: a small kernel in a process.  It has tasks and a scheduler, timers
 * and interrupts, a network, files, locks and memory, and reports what they do by
 * the kernel's own events.
 *
 * main() is the machine: it builds everything, switches it on, and presses the
 * power button when its time is over or a signal asks for it.
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mini/fs.h>
#include <mini/irq.h>
#include <mini/net.h>
#include <mini/power.h>
#include <mini/sched.h>
#include <mini/slab.h>
#include <mini/syscalls.h>
#include <mini/time.h>
#include <mini/tty.h>
#include <mini/workqueue.h>

int nr_cpus;
unsigned int boot_rate = 50;
unsigned int boot_forks = 1000;
bool boot_console;

/* The task of main() while it boots.  This task is on no run queue and is never scheduled. */
static struct task_struct boot_task;

void panic(const char *why)
{
	fprintf(stderr, "minikernel: panic: %s\n", why);
	abort();
}

static void usage(FILE *out)
{
	fputs("usage: minikernel [--seconds N] [--cpus N] [--rate N] [--forks N]\n"
	      "                  [--console]\n"
	      "  --seconds N  run for N seconds; otherwise until SIGINT or SIGTERM\n"
	      "  --cpus N     virtual CPUs, 1 to 8; otherwise as many as the machine\n"
	      "               has, but 2 to 4\n"
	      "  --rate N     requests a second of the client, 1 to 10000; otherwise 50\n"
	      "  --forks N    commands a second of make, 0 to 10000; otherwise 1000\n"
	      "  --console    a shell on stdin and stdout; then nobody else forks\n",
	      out);
}

static int default_cpus(void)
{
	cpu_set_t allowed;
	int n = 2;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		n = CPU_COUNT(&allowed);
	return n < 2 ? 2 : n > 4 ? 4 : n;
}

/* Returns the whole number in @text.  If it is not between @min and @max, ends the program. */
static long number_arg(const char *name, const char *text, long min, long max)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max) {
		fprintf(stderr, "minikernel: --%s takes a number from %ld to %ld, not \"%s\"\n",
			name, min, max, text);
		exit(2);
	}
	return n;
}

/* Parse the arguments.  Returns the number of seconds to run; 0: no limit. */
static long parse_args(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "rate", required_argument, NULL, 'r' },
		{ "forks", required_argument, NULL, 'f' },
		{ "console", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	long seconds = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			seconds = number_arg("seconds", optarg, 1, 1000000);
			break;
		case 'c':
			nr_cpus = (int)number_arg("cpus", optarg, 1, NR_CPUS);
			break;
		case 'r':
			boot_rate = (unsigned int)number_arg("rate", optarg, 1, 10000);
			break;
		case 'f':
			boot_forks = (unsigned int)number_arg("forks", optarg, 0, 10000);
			break;
		case 't':
			boot_console = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind < argc) {
		usage(stderr);
		exit(2);
	}
	return seconds;
}

static int boot(void)
{
	static int (*const steps[])(void) = {
		irq_init, hrtimers_init, slab_init, fork_init, sched_init,
		softirq_init, workqueue_init, net_dev_init, eth0_init,
		vfs_init, proc_init, rootfs_init, tty_init, power_init,
	};
	size_t i;
	int r = 0;

	boot_task.pid = gettid();
	boot_task.flags = PF_KTHREAD;
	strcpy(boot_task.comm, "minikernel");
	current = &boot_task;
	timers_init();
	for (i = 0; i < ARRAY_SIZE(steps) && r == 0; i++)
		r = steps[i]();
	return r;
}

static void wait_for_the_end(const sigset_t *stop, long seconds)
{
	const struct timespec time = { .tv_sec = seconds };

	if (seconds)
		while (sigtimedwait(stop, NULL, &time) < 0 && errno == EINTR)
			;
	else
		while (sigwaitinfo(stop, NULL) < 0 && errno == EINTR)
			;
}

static void print_stats(void)
{
	printf("minikernel: %lu requests (%lu lost), %lu pings (%lu lost), %lu commands, "
	       "%lu log lines, %llu context switches\n",
	       user_stats.requests, user_stats.replies_lost, user_stats.pings,
	       user_stats.pings_lost, user_stats.commands, user_stats.log_lines,
	       (unsigned long long)nr_context_switches());
}

int main(int argc, char **argv)
{
	long seconds = parse_args(argc, argv);
	struct task_struct *init;
	sigset_t stop;
	int r;

	if (!nr_cpus)
		nr_cpus = default_cpus();
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	r = boot();
	if (r < 0) {
		fprintf(stderr, "minikernel: cannot boot: %s\n", strerror(-r));
		return 1;
	}
	init = kernel_clone(init_main, NULL, "init", NULL);
	if (!init) {
		fprintf(stderr, "minikernel: cannot start init\n");
		return 1;
	}
	writeback_init();
	/* Print this before the start: from then on tasks write to stdout, too. */
	printf("minikernel: pid %d, %d CPUs\n", getpid(), nr_cpus);
	fflush(stdout);
	sched_start_cpus();

	wait_for_the_end(&stop, seconds);
	press_power_button();
	/* Unblock the signals, so that a second signal ends the program at once. */
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	release_task(init);
	sched_done();
	irq_done();
	eth0_done();
	net_dev_done();
	vfs_done();
	print_stats();
	slab_done();
	return 0;
}
