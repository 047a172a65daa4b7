/* SPDX-License-Identifier: MIT */
/* The device eth0: a network card with a loop-back plug.  Frames that are sent wait on
 * the wire.  The card's interrupt signals that they have come back, and polling copies
 * them into new buffers, as a card's DMA does. */
#include <string.h>

#include <mini/irq.h>
#include <mini/net.h>
#include <mini/slab.h>

#define TX_RING		16

static struct sk_buff_head wire;

static int eth0_xmit(struct sk_buff *skb, struct net_device *dev)
{
	(void)dev;
	if (!skb_queue_tail(&wire, skb, TX_RING))
		return NETDEV_TX_BUSY;
	raise_irq(nr_cpus - 1, IRQ_ETH0);
	return NETDEV_TX_OK;
}

static irqreturn_t eth0_interrupt(int irq, void *dev)
{
	(void)irq;
	napi_schedule(dev);
	return IRQ_HANDLED;
}

static struct sk_buff *eth0_receive(const struct sk_buff *frame, struct net_device *dev)
{
	struct sk_buff *skb = alloc_skb(frame->len, GFP_ATOMIC);

	if (!skb)
		return NULL;
	memcpy(skb_put(skb, frame->len), frame->data, frame->len);
	skb->dev = dev;
	eth_type_trans(skb);
	return skb;
}

static bool eth0_poll(struct net_device *dev, int budget)
{
	struct sk_buff *sent, *skb;

	while (budget-- > 0) {
		sent = skb_dequeue(&wire);
		if (!sent)
			return false;
		skb = eth0_receive(sent, dev);
		kfree_skb(sent);
		if (skb)
			netif_receive_skb(skb);
	}
	return true;
}

static bool eth0_has_frames(struct net_device *dev)
{
	(void)dev;
	return skb_queue_len(&wire) != 0;
}

static const struct net_device_ops eth0_ops = {
	.start_xmit = eth0_xmit,
	.poll = eth0_poll,
	.has_frames = eth0_has_frames,
};

struct net_device eth0_dev = {
	.name = "eth0",
	.ops = &eth0_ops,
	.address = 0x0a000001,
};

int eth0_init(void)
{
	skb_queue_head_init(&wire);
	INIT_LIST_HEAD(&eth0_dev.poll_list);
	return request_irq(IRQ_ETH0, eth0_interrupt, "eth0", &eth0_dev);
}

void eth0_done(void)
{
	skb_queue_purge(&wire);
}
