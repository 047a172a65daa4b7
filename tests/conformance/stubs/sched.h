/* SPDX-License-Identifier: MIT */
/* Tasks, signals, timers, work, interrupts, control groups, modules. */
#ifndef ULF_CONFORMANCE_SCHED_H
#define ULF_CONFORMANCE_SCHED_H

#include "base.h"

struct cfs_rq;
struct hlist_node;
struct kthread_worker;
struct pid;
struct pt_regs;
struct root_domain;
struct rq;
struct sched_entity;
struct softirq_action;
struct tasklet_struct;

/* ---- tasks ---- */

#define TASK_COMM_LEN		16
#define PF_KTHREAD		0x00200000

#define TASK_RUNNING		0x00000000
#define TASK_INTERRUPTIBLE	0x00000001
#define TASK_UNINTERRUPTIBLE	0x00000002
#define __TASK_STOPPED		0x00000004
#define __TASK_TRACED		0x00000008
#define EXIT_DEAD		0x00000010
#define EXIT_ZOMBIE		0x00000020
#define TASK_PARKED		0x00000040
#define TASK_DEAD		0x00000080
#define TASK_REPORT \
	(TASK_RUNNING | TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | \
	 __TASK_STOPPED | __TASK_TRACED | EXIT_DEAD | EXIT_ZOMBIE | TASK_PARKED)
#define TASK_REPORT_IDLE	(TASK_REPORT + 1)
#define TASK_REPORT_MAX		(TASK_REPORT_IDLE << 1)

struct signal_struct {
	short oom_score_adj;
};

struct task_struct {
	char comm[TASK_COMM_LEN];
	pid_t pid;
	pid_t tgid;
	int prio;
	int normal_prio;
	int exit_state;
	unsigned int flags;
	int nr_dirtied, nr_dirtied_pause;
	unsigned long dirty_paused_when;
	struct signal_struct *signal;
	struct mm_struct *mm;
};

struct linux_binprm {
	const char *filename;
};

struct kthread_work;
typedef void (*kthread_work_func_t)(struct kthread_work *work);
struct kthread_work {
	kthread_work_func_t func;
};

extern struct task_struct *current;

unsigned int __task_state_index(unsigned int state, unsigned int exit_state);
unsigned int task_cpu(const struct task_struct *task);
pid_t task_pid_nr(struct task_struct *task);
pid_t task_tgid_nr(struct task_struct *task);
pid_t task_numa_group_id(struct task_struct *task);
pid_t pid_nr(struct pid *pid);
int cpu_to_node(int cpu);
unsigned int smp_processor_id(void);
unsigned int raw_smp_processor_id(void);
int syscall_get_nr(struct task_struct *task, struct pt_regs *regs);
void syscall_get_arguments(struct task_struct *task, struct pt_regs *regs,
			   unsigned long *args);
int syscall_regfunc(void);
void syscall_unregfunc(void);

/* ---- cpumasks: CONFIG_NR_CPUS is 64 ---- */

typedef struct cpumask {
	unsigned long bits[1];
} cpumask_t;

#define nr_cpumask_bits		64u
#define cpumask_bits(mask)	((mask)->bits)
unsigned int cpumask_weight(const struct cpumask *mask);
unsigned int num_possible_cpus(void);

/* ---- signals ---- */

struct kernel_siginfo {
	int si_errno;
	int si_code;
};

struct sigaction {
	void (*sa_handler)(int signal);
	unsigned long sa_flags;
};

struct k_sigaction {
	struct sigaction sa;
};

#define SEND_SIG_NOINFO	((struct kernel_siginfo *)0)
#define SEND_SIG_PRIV	((struct kernel_siginfo *)1)
#define SI_USER		0
#define SI_KERNEL	0x80

/* ---- time ---- */

struct timespec64 {
	time64_t tv_sec;
	long tv_nsec;
};

struct itimerspec64 {
	struct timespec64 it_interval;
	struct timespec64 it_value;
};

struct timer_list {
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	u32 flags;
};

#define TIMER_CPUMASK		0x0003FFFF
#define TIMER_MIGRATING		0x00040000
#define TIMER_DEFERRABLE	0x00080000
#define TIMER_PINNED		0x00100000
#define TIMER_IRQSAFE		0x00200000
#define TIMER_ARRAYSHIFT	22
#define TIMER_TRACE_FLAGMASK \
	(TIMER_MIGRATING | TIMER_DEFERRABLE | TIMER_PINNED | TIMER_IRQSAFE)

#define CLOCK_REALTIME		0
#define CLOCK_MONOTONIC		1
#define CLOCK_BOOTTIME		7
#define CLOCK_TAI		11

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode {
	HRTIMER_MODE_ABS,
	HRTIMER_MODE_REL,
	HRTIMER_MODE_PINNED,
	HRTIMER_MODE_SOFT = 4,
	HRTIMER_MODE_HARD = 8,
	HRTIMER_MODE_ABS_PINNED = HRTIMER_MODE_ABS | HRTIMER_MODE_PINNED,
	HRTIMER_MODE_REL_PINNED = HRTIMER_MODE_REL | HRTIMER_MODE_PINNED,
	HRTIMER_MODE_ABS_SOFT = HRTIMER_MODE_ABS | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_REL_SOFT = HRTIMER_MODE_REL | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_ABS_PINNED_SOFT =
		HRTIMER_MODE_ABS_PINNED | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_REL_PINNED_SOFT =
		HRTIMER_MODE_REL_PINNED | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_ABS_HARD = HRTIMER_MODE_ABS | HRTIMER_MODE_HARD,
	HRTIMER_MODE_REL_HARD = HRTIMER_MODE_REL | HRTIMER_MODE_HARD,
	HRTIMER_MODE_ABS_PINNED_HARD =
		HRTIMER_MODE_ABS_PINNED | HRTIMER_MODE_HARD,
	HRTIMER_MODE_REL_PINNED_HARD =
		HRTIMER_MODE_REL_PINNED | HRTIMER_MODE_HARD,
};

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
};

struct timerqueue_node {
	ktime_t expires;
};

enum alarmtimer_type {
	ALARM_REALTIME,
	ALARM_BOOTTIME,
	ALARM_NUMTYPE,
	ALARM_REALTIME_FREEZER,
	ALARM_BOOTTIME_FREEZER,
};

struct alarm {
	struct timerqueue_node node;
	enum alarmtimer_type type;
	void *function;
};

struct rtc_timer {
	struct timerqueue_node node;
	ktime_t period;
	int enabled;
};

enum tick_dep_bits {
	TICK_DEP_BIT_POSIX_TIMER,
	TICK_DEP_BIT_PERF_EVENTS,
	TICK_DEP_BIT_SCHED,
	TICK_DEP_BIT_CLOCK_UNSTABLE,
	TICK_DEP_BIT_RCU,
	TICK_DEP_BIT_RCU_EXP,
};
#define TICK_DEP_MASK_NONE		0
#define TICK_DEP_MASK_POSIX_TIMER	(1 << TICK_DEP_BIT_POSIX_TIMER)
#define TICK_DEP_MASK_PERF_EVENTS	(1 << TICK_DEP_BIT_PERF_EVENTS)
#define TICK_DEP_MASK_SCHED		(1 << TICK_DEP_BIT_SCHED)
#define TICK_DEP_MASK_CLOCK_UNSTABLE	(1 << TICK_DEP_BIT_CLOCK_UNSTABLE)
#define TICK_DEP_MASK_RCU		(1 << TICK_DEP_BIT_RCU)
#define TICK_DEP_MASK_RCU_EXP		(1 << TICK_DEP_BIT_RCU_EXP)

ktime_t hrtimer_get_expires(const struct hrtimer *timer);
ktime_t hrtimer_get_softexpires(const struct hrtimer *timer);

/* ---- work ---- */

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);
struct work_struct {
	work_func_t func;
};

struct workqueue_struct {
	char name[24];
};

struct worker_pool {
	int cpu;
};

struct pool_workqueue {
	struct workqueue_struct *wq;
	struct worker_pool *pool;
};

/* ---- interrupts ---- */

struct irqaction {
	const char *name;
};

enum {
	HI_SOFTIRQ,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
};

struct cpumap {
	unsigned int available;
	unsigned int allocated;
	unsigned int managed;
	bool online;
};

struct irq_matrix {
	unsigned int online_maps;
	unsigned int global_available;
	unsigned int global_reserved;
	unsigned int total_allocated;
};

enum tlb_flush_reason {
	TLB_FLUSH_ON_TASK_SWITCH,
	TLB_REMOTE_SHOOTDOWN,
	TLB_LOCAL_SHOOTDOWN,
	TLB_LOCAL_MM_SHOOTDOWN,
	TLB_REMOTE_SEND_IPI,
	NR_TLB_FLUSH_REASONS,
};

extern char _stext[];

/* ---- control groups ---- */

struct cgroup_root {
	int hierarchy_id;
	unsigned int subsys_mask;
	char name[64];
};

struct cgroup {
	struct cgroup_root *root;
	int level;
};

u64 cgroup_id(const struct cgroup *cgroup);

/* ---- the rest ---- */

typedef int (*initcall_t)(void);

struct mce {
	u64 status, misc, addr, mcgstatus, ip, tsc, time, mcgcap, synd, ipid;
	u32 cpuid, apicid, socketid, extcpu;
	u8 cpuvendor, cs, bank;
};

struct lockdep_map {
	const char *name;
};

struct module {
	char name[56];
	unsigned long taints;
	atomic_t refcnt;
};

#define TAINT_PROPRIETARY_MODULE	0
#define TAINT_FORCED_MODULE		1
#define TAINT_CRAP			10
#define TAINT_OOT_MODULE		12
#define TAINT_UNSIGNED_MODULE		13

struct ma_state {
	unsigned long index, last;
	unsigned long min, max;
	struct maple_enode *node;
};

#define RCU_CBLIST_NSEGS 4
struct rcu_segcblist {
	long seglen[RCU_CBLIST_NSEGS];
	unsigned long gp_seq[RCU_CBLIST_NSEGS];
};

#define MAX_DA_NAME_LEN 24

#endif
