/* SPDX-License-Identifier: MIT */
/*
 * The layer between protocols and drivers: sending, and receiving in the NET_RX softirq.
 */
#include <errno.h>

#include <mini/irq.h>
#include <mini/net.h>

#include "trace/events/net.h"

#define RX_WEIGHT	4	/* limit of the frames of one source in one round */
#define BACKLOG_MAX	64

struct softnet_data {
	struct sk_buff_head backlog;	/* frames queued by netif_rx() */
	struct list_head poll_list;	/* devices to poll; only this CPU uses the list,
					 * with interrupts off */
};

static struct softnet_data softnet[NR_CPUS];

static int dev_hard_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	unsigned int len = skb->len;
	int rc;

	trace_net_dev_start_xmit(skb, dev);
	rc = dev->ops->start_xmit(skb, dev);
	trace_net_dev_xmit(skb, rc, dev, len);
	return rc;
}

/* Send @skb, which this function owns from now on.  Returns 0, or -ENOBUFS if the device is
 * full. */
int dev_queue_xmit(struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;
	int rc;

	local_bh_disable();
	trace_net_dev_queue(skb);
	rc = dev_hard_start_xmit(skb, dev);
	if (rc == NETDEV_TX_OK) {
		atomic_fetch_add(&dev->tx_packets, 1);
	} else {
		atomic_fetch_add(&dev->tx_dropped, 1);
		kfree_skb(skb);
	}
	local_bh_enable();
	return rc == NETDEV_TX_OK ? 0 : -ENOBUFS;
}

static int enqueue_to_backlog(struct sk_buff *skb)
{
	if (!skb_queue_tail(&softnet[current->cpu].backlog, skb, BACKLOG_MAX)) {
		kfree_skb(skb);
		return -ENOBUFS;
	}
	raise_softirq(NET_RX_SOFTIRQ);
	return 0;
}

/*
 * Queue a received frame.  Drivers call this with softirqs off.  This function owns @skb
 * from now on.
 */
int netif_rx(struct sk_buff *skb)
{
	trace_netif_rx(skb);
	return enqueue_to_backlog(skb);
}

static int __netif_receive_skb(struct sk_buff *skb)
{
	atomic_fetch_add(&skb->dev->rx_packets, 1);
	trace_netif_receive_skb(skb);
	if (skb->protocol == ETH_P_IP)
		return ip_rcv(skb);
	kfree_skb(skb);
	return -EPROTONOSUPPORT;
}

/* Process a received frame, in the softirq.  This function owns @skb from now on. */
int netif_receive_skb(struct sk_buff *skb)
{
	return __netif_receive_skb(skb);
}

static bool process_backlog(struct softnet_data *sd)
{
	struct sk_buff *skb;
	int done;

	for (done = 0; done < RX_WEIGHT; done++) {
		skb = skb_dequeue(&sd->backlog);
		if (!skb)
			return false;
		__netif_receive_skb(skb);
	}
	return skb_queue_len(&sd->backlog) != 0;
}

/* Let this CPU's softirq poll the device @dev, which has frames. */
void napi_schedule(struct net_device *dev)
{
	bool flags;

	if (atomic_exchange(&dev->poll_scheduled, true))
		return;
	flags = local_irq_save();
	list_add_tail(&dev->poll_list, &softnet[current->cpu].poll_list);
	local_irq_restore(flags);
	raise_softirq(NET_RX_SOFTIRQ);
}

static struct net_device *next_polled(struct softnet_data *sd)
{
	struct net_device *dev = NULL;
	bool flags = local_irq_save();

	if (!list_empty(&sd->poll_list)) {
		dev = list_first_entry(&sd->poll_list, struct net_device, poll_list);
		list_del_init(&dev->poll_list);
	}
	local_irq_restore(flags);
	return dev;
}

static void net_rx_action(void)
{
	struct softnet_data *sd = &softnet[current->cpu];
	struct net_device *dev = next_polled(sd);
	bool is_more;

	if (dev) {
		is_more = dev->ops->poll(dev, RX_WEIGHT);
		/* After this store an interrupt can schedule the device again, so check
		 * for frames once more. */
		atomic_store(&dev->poll_scheduled, false);
		if (is_more || dev->ops->has_frames(dev))
			napi_schedule(dev);
	}
	if (process_backlog(sd))
		raise_softirq(NET_RX_SOFTIRQ);
}

int net_dev_init(void)
{
	int cpu;

	for_each_cpu(cpu) {
		skb_queue_head_init(&softnet[cpu].backlog);
		INIT_LIST_HEAD(&softnet[cpu].poll_list);
	}
	open_softirq(NET_RX_SOFTIRQ, net_rx_action);
	return skb_init();
}

void net_dev_done(void)
{
	int cpu;

	for_each_cpu(cpu)
		skb_queue_purge(&softnet[cpu].backlog);
}
