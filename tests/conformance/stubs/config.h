/* SPDX-License-Identifier: MIT */
/*
 * The kernel configuration that the trace headers read.  Options that only add events are on.
 *  Options that change the text of an event, like CONFIG_MEMCG_KMEM, are set as in the kernel
 * from which the formats were taken.
 */
#define CONFIG_64BIT			1
#define CONFIG_CGROUP_WRITEBACK		1
#define CONFIG_COMPACTION		1
#define CONFIG_CPU_THERMAL		1
#define CONFIG_DA_MON_EVENTS_ID		1
#define CONFIG_DA_MON_EVENTS_IMPLICIT	1
#define CONFIG_DETECT_HUNG_TASK		1
#define CONFIG_DEVFREQ_THERMAL		1
#define CONFIG_F2FS_IOSTAT		1
#define CONFIG_HAVE_KVM_IRQFD		1
#define CONFIG_HAVE_SYSCALL_TRACEPOINTS	1
#define CONFIG_IPV6			1
#define CONFIG_KVM_ASYNC_PF		1
#define CONFIG_LOCKDEP			1
#define CONFIG_LOCK_STAT		1
#define CONFIG_MEMCG			1
#define CONFIG_MMU			1
#define CONFIG_MODULES			1
#define CONFIG_MODULE_UNLOAD		1
#define CONFIG_NET_DEVLINK		1
#define CONFIG_NET_RX_BUSY_POLL		1
#define CONFIG_NO_HZ_COMMON		1
#define CONFIG_PGTABLE_LEVELS		4
#define CONFIG_PREEMPTIRQ_TRACEPOINTS	1
#define CONFIG_RCU_NOCB_CPU		1
#define CONFIG_RCU_TRACE		1
#define CONFIG_RV_MON_WIP		1
#define CONFIG_RV_MON_WWNR		1
#define CONFIG_SCHEDSTATS		1
#define CONFIG_SCHED_DEBUG		1
#define CONFIG_TRACEPOINTS		1
#define CONFIG_TRACE_IRQFLAGS		1
#define CONFIG_TRACE_PREEMPT_TOGGLE	1
#define CONFIG_TREE_RCU			1
#define CONFIG_X86			1
#define CONFIG_ZONE_DMA			1
#define CONFIG_ZONE_DMA32		1
