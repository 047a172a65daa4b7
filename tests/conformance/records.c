/* SPDX-License-Identifier: MIT */
/* Hits events of the kernel's own headers, with data as a kernel has them. */
#include "kernel.h"

#define CREATE_TRACE_POINTS
#include <trace/events/9p.h>
#include <trace/events/ext4.h>
#include <trace/events/irq.h>
#include <trace/events/module.h>
#include <trace/events/power.h>
#include <trace/events/rcu.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/sunrpc.h>

/* The kernel's other sample defines custom events on tracepoints of sched. */
#define CREATE_CUSTOM_TRACE_EVENTS
#include "trace_custom_sched.h"

static struct task_struct prev = {
	.comm = "previous", .pid = 11, .tgid = 10, .prio = 120,
};
static struct task_struct next = {
	.comm = "0123456789abcde", .pid = 12, .tgid = 12, .prio = 98,
};

struct task_struct *current = &next;

unsigned int __task_state_index(unsigned int state, unsigned int exit_state)
{
	state = (state | exit_state) & TASK_REPORT;
	return state ? 32 - (unsigned int)__builtin_clz(state) : 0;
}

static void hit_tasks(void)
{
	struct linux_binprm program = { "/bin/true" };

	trace_sched_switch(false, &prev, &next, TASK_UNINTERRUPTIBLE);
	trace_sched_switch(true, &prev, &next, TASK_RUNNING);
	trace_sched_process_exec(&next, 7, &program);
	trace_signal_generate(15, SEND_SIG_PRIV, &prev, 1,
			      TRACE_SIGNAL_IGNORED);
	trace_rcu_utilization(tracepoint_string("Start context switch"));
}

static void hit_interrupts(void)
{
	struct irqaction action = { "timer" };
	struct module module = { .name = "demo", .taints = 1 << 12 | 1 << 13 };

	trace_irq_handler_entry(9, &action);
	trace_irq_handler_exit(9, &action, 1);
	trace_softirq_raise(RCU_SOFTIRQ);
	trace_module_load(&module);
	trace_cpu_idle((unsigned int)-1, 3);
	/* No TRACE_DEFINE_ENUM lists the names of this enum. */
	trace_pm_qos_update_target(PM_QOS_UPDATE_REQ, 5, -7);
}

static void hit_files(void)
{
	struct super_block sb = { .s_dev = 8 << MINORBITS | 300 };
	struct inode dir = { .i_ino = 2, .i_sb = &sb };
	struct inode inode = { .i_ino = 1234567890123, .i_sb = &sb };
	u8 bytes[] = { 0x13, 0x00, 0xff, 0x64 };
	struct p9_fcall call = {
		.id = P9_TVERSION, .tag = 7, .capacity = 4, .sdata = bytes,
	};

	trace_ext4_allocate_inode(&inode, &dir, 0100644);
	trace_9p_protocol_dump(NULL, &call);
}

static void hit_calls(void)
{
	struct sockaddr_in server = {
		.sin_family = AF_INET, .sin_port = htons(2049),
		.sin_addr.s_addr = htonl(0x7f000001),
	};
	struct sockaddr_in6 client = {
		.sin6_family = AF_INET6, .sin6_port = htons(700),
	};
	struct net net = { .ns.inum = 1 };
	struct svc_xprt xprt = {
		.xpt_locallen = sizeof(server), .xpt_remotelen = sizeof(client),
		.xpt_flags = BIT(XPT_BUSY) | BIT(XPT_DATA), .xpt_net = &net,
	};

	client.sin6_addr.s6_addr[15] = 1;
	memcpy(&xprt.xpt_local, &server, sizeof(server));
	memcpy(&xprt.xpt_remote, &client, sizeof(client));
	trace_svc_xprt_no_write_space(&xprt);
}

static void connect_custom_events(struct tracepoint *tp, void *priv)
{
	(void)priv;
	trace_custom_event_sched_switch_update(tp);
	trace_custom_event_sched_waking_update(tp);
}

int main(void)
{
	for_each_kernel_tracepoint(connect_custom_events, NULL);
	hit_tasks();
	hit_interrupts();
	hit_files();
	hit_calls();
	return 0;
}
