/* SPDX-License-Identifier: MIT */
/* The network: buffers, devices, and datagram sockets.  Sending runs in the task's
 * context, receiving in the NET_RX softirq. */
#ifndef MINI_NET_H
#define MINI_NET_H

#include <mini/gfp.h>
#include <mini/list.h>
#include <mini/sched.h>

#define IFNAMSIZ		16
#define ETH_P_IP		0x0800
#define NET_HEADERS_BYTES	42	/* bytes of the headers of Ethernet, IPv4 and UDP */
#define SKB_DATA_MAX		2048

struct net_device;

/* The two ends of a datagram, in host byte order. */
struct flow {
	u32 saddr, daddr;
	u16 sport, dport;
};

/* A network buffer: head <= data <= end.  Headers are offsets from head; ~0 if a header is
 * not set. */
struct sk_buff {
	struct list_head list;
	struct net_device *dev;
	unsigned char *head, *data, *end;
	unsigned int len;		/* bytes from data on */
	unsigned int data_len;		/* bytes outside of head: always 0 here */
	u16 mac_header, network_header, transport_header;
	u16 queue_mapping;
	u16 protocol;			/* protocol of the frame, in host byte order */
	u16 vlan_proto, vlan_tci;
	bool vlan_present;
	u8 ip_summed;
	u8 tx_flags;
	u16 gso_size, gso_segs, gso_type;
	struct flow from;		/* the sender of the datagram; set when the
					 * buffer is in a socket's queue */
};

#define CHECKSUM_NONE		0
#define CHECKSUM_UNNECESSARY	1

struct sk_buff_head {
	spinlock_t lock;
	struct list_head list;
	unsigned int qlen;
};

#define NETDEV_TX_OK	0
#define NETDEV_TX_BUSY	0x10

struct net_device_ops {
	/* Send @skb.  Returns NETDEV_TX_OK: then the device owns @skb.  Called with
	 * softirqs off. */
	int (*start_xmit)(struct sk_buff *skb, struct net_device *dev);
	/* Methods of devices that call napi_schedule().  Both run in a softirq. */
	bool (*poll)(struct net_device *dev, int budget);	/* returns true if there is
								 * more to do */
	bool (*has_frames)(struct net_device *dev);
};

struct net_device {
	char name[IFNAMSIZ];
	const struct net_device_ops *ops;
	u32 address;			/* IPv4 address in host byte order */
	atomic_bool poll_scheduled;
	struct list_head poll_list;
	atomic_ulong tx_packets, rx_packets, tx_dropped;
};

/* skbuff.c */
int skb_init(void);
struct sk_buff *alloc_skb(unsigned int size, gfp_t flags);
void kfree_skb(struct sk_buff *skb);
unsigned char *skb_put(struct sk_buff *skb, unsigned int len);	/* extends the data at its
								 * end */
unsigned char *skb_push(struct sk_buff *skb, unsigned int len);	/* extends the data at its
								 * start */
unsigned char *skb_pull(struct sk_buff *skb, unsigned int len);	/* removes data at its
								 * start; returns NULL if
								 * there is too little data */
void skb_reserve(struct sk_buff *skb, unsigned int len);
void skb_queue_head_init(struct sk_buff_head *queue);
bool skb_queue_tail(struct sk_buff_head *queue, struct sk_buff *skb, unsigned int max);
unsigned int skb_queue_len(struct sk_buff_head *queue);
struct sk_buff *skb_dequeue(struct sk_buff_head *queue);
void skb_queue_purge(struct sk_buff_head *queue);

static inline bool skb_transport_header_was_set(const struct sk_buff *skb)
{
	return skb->transport_header != (u16)~0u;
}

static inline int skb_network_offset(const struct sk_buff *skb)
{
	return (int)(skb->head + skb->network_header - skb->data);
}

static inline int skb_transport_offset(const struct sk_buff *skb)
{
	return (int)(skb->head + skb->transport_header - skb->data);
}

/* dev.c */
int net_dev_init(void);
void net_dev_done(void);
int dev_queue_xmit(struct sk_buff *skb);
int netif_rx(struct sk_buff *skb);
int netif_receive_skb(struct sk_buff *skb);
void napi_schedule(struct net_device *dev);

/* loopback.c, eth.c */
extern struct net_device loopback_dev, eth0_dev;
int eth0_init(void);
void eth0_done(void);

/* ip.c */
void eth_type_trans(struct sk_buff *skb);
/* Add the headers before the data and send the datagram.  This function owns @skb from now
 * on. */
int ip_send_skb(struct sk_buff *skb, const struct flow *flow);
int ip_rcv(struct sk_buff *skb);

/* socket.c */
struct socket;

int sock_create(u16 port, struct socket **ret_sock);
void sock_release(struct socket *sock);
ssize_t sock_sendmsg(struct socket *sock, const void *buf, size_t len, u32 daddr, u16 dport);
/* Receive a datagram.  @timeout: in jiffies.  Returns the number of bytes, -EAGAIN
 * (timeout) or -EINTR. */
ssize_t sock_recvmsg(struct socket *sock, void *buf, size_t len, struct flow *ret_from,
		     long timeout);
/* Put @skb into the queue of its socket.  Called in the softirq.  This function owns @skb
 * from now on. */
int sock_queue_rcv_skb(struct sk_buff *skb, const struct flow *flow);

#endif
