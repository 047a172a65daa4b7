/* SPDX-License-Identifier: MIT */
/* Datagram sockets: a port, a queue, and a task that waits for datagrams. */
#include <errno.h>
#include <string.h>

#include <mini/net.h>
#include <mini/slab.h>
#include <mini/time.h>

#define RCVBUF_MAX	32	/* datagrams in a queue */

struct socket {
	struct list_head node;
	u16 port;
	struct sk_buff_head receive_queue;
	struct wait_queue_head wait;
};

static spinlock_t sock_lock = SPIN_LOCK_INIT;
static LIST_HEAD(sockets);		/* sock_lock */

static struct socket *find_socket(u16 port)
{
	struct socket *sock;

	list_for_each_entry(sock, &sockets, node)
		if (sock->port == port)
			return sock;
	return NULL;
}

int sock_create(u16 port, struct socket **ret_sock)
{
	struct socket *sock = kzalloc(sizeof(*sock), GFP_KERNEL);
	bool flags, is_taken;

	if (!sock)
		return -ENOMEM;
	sock->port = port;
	skb_queue_head_init(&sock->receive_queue);
	init_waitqueue_head(&sock->wait);
	spin_lock_irqsave(&sock_lock, flags);
	is_taken = find_socket(port) != NULL;
	if (!is_taken)
		list_add_tail(&sock->node, &sockets);
	spin_unlock_irqrestore(&sock_lock, flags);
	if (is_taken) {
		kfree(sock);
		return -EADDRINUSE;
	}
	*ret_sock = sock;
	return 0;
}

void sock_release(struct socket *sock)
{
	bool flags;

	if (!sock)
		return;
	spin_lock_irqsave(&sock_lock, flags);
	list_del_init(&sock->node);
	spin_unlock_irqrestore(&sock_lock, flags);
	skb_queue_purge(&sock->receive_queue);
	kfree(sock);
}

ssize_t sock_sendmsg(struct socket *sock, const void *buf, size_t len, u32 daddr, u16 dport)
{
	struct flow flow = {
		.saddr = daddr,		/* both ends are this machine */
		.daddr = daddr,
		.sport = sock->port,
		.dport = dport,
	};
	struct sk_buff *skb;
	int r;

	if (len > SKB_DATA_MAX - NET_HEADERS_BYTES)
		return -EMSGSIZE;
	skb = alloc_skb((unsigned int)len + NET_HEADERS_BYTES, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, NET_HEADERS_BYTES);
	memcpy(skb_put(skb, (unsigned int)len), buf, len);
	r = ip_send_skb(skb, &flow);
	return r < 0 ? r : (ssize_t)len;
}

int sock_queue_rcv_skb(struct sk_buff *skb, const struct flow *flow)
{
	struct socket *sock;
	bool flags, queued = false;

	skb->from = *flow;
	spin_lock_irqsave(&sock_lock, flags);
	sock = find_socket(flow->dport);
	if (sock && skb_queue_tail(&sock->receive_queue, skb, RCVBUF_MAX)) {
		queued = true;
		wake_up(&sock->wait);
	}
	spin_unlock_irqrestore(&sock_lock, flags);
	if (queued)
		return 0;
	kfree_skb(skb);
	return sock ? -ENOBUFS : -ECONNREFUSED;
}

static struct sk_buff *wait_for_packet(struct socket *sock, long timeout, int *ret_error)
{
	struct wait_queue_entry wait = { 0 };
	struct sk_buff *skb;

	for (;;) {
		prepare_to_wait(&sock->wait, &wait, TASK_INTERRUPTIBLE);
		skb = skb_dequeue(&sock->receive_queue);
		if (skb)
			break;
		*ret_error = signal_pending(current) ? -EINTR : -EAGAIN;
		if (*ret_error == -EINTR || timeout <= 0)
			break;
		timeout = schedule_timeout(timeout);
	}
	finish_wait(&sock->wait, &wait);
	return skb;
}

ssize_t sock_recvmsg(struct socket *sock, void *buf, size_t len, struct flow *ret_from,
		     long timeout)
{
	struct sk_buff *skb;
	int error = 0;

	skb = wait_for_packet(sock, timeout, &error);
	if (!skb)
		return error;
	if (len > skb->len)
		len = skb->len;
	memcpy(buf, skb->data, len);
	*ret_from = skb->from;
	kfree_skb(skb);
	return (ssize_t)len;
}
