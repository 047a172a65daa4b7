/* SPDX-License-Identifier: MIT */
/* IPv4 and UDP: headers on the way out, checks on the way in. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <mini/net.h>

#define IP_VERSION_IHL	0x45
#define DEFAULT_TTL	64
#define IP_PROTO_UDP	17

struct eth_header {
	u8 dest[6], source[6];
	u16 type;
} __attribute__((packed));

struct ip_header {
	u8 version_ihl, tos;
	u16 tot_len, id, frag_off;
	u8 ttl, protocol;
	u16 check;
	u32 saddr, daddr;
} __attribute__((packed));

struct udp_header {
	u16 source, dest, len, check;
} __attribute__((packed));

_Static_assert(sizeof(struct eth_header) + sizeof(struct ip_header) +
	       sizeof(struct udp_header) == NET_HEADERS_BYTES, "room for the headers");

static atomic_ushort next_id;

/* Returns the Internet checksum: the one's complement sum of 16-bit words. */
static u16 ip_checksum(const void *data, size_t len)
{
	const u8 *p = data;
	u32 sum = 0;

	for (; len > 1; len -= 2, p += 2)
		sum += (u32)p[0] << 8 | p[1];
	if (len)
		sum += (u32)p[0] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (u16)~sum;
}

static struct net_device *ip_route_output(u32 daddr)
{
	return daddr >> 24 == 127 ? &loopback_dev : &eth0_dev;
}

static void udp_push_header(struct sk_buff *skb, const struct flow *flow)
{
	struct udp_header *udp = (void *)skb_push(skb, sizeof(*udp));

	*udp = (struct udp_header){
		.source = htons(flow->sport),
		.dest = htons(flow->dport),
		.len = htons((u16)skb->len),
	};
	udp->check = htons(ip_checksum(skb->data, skb->len));
	skb->transport_header = (u16)(skb->data - skb->head);
}

static void ip_push_header(struct sk_buff *skb, const struct flow *flow)
{
	struct ip_header *ip = (void *)skb_push(skb, sizeof(*ip));

	*ip = (struct ip_header){
		.version_ihl = IP_VERSION_IHL,
		.tot_len = htons((u16)skb->len),
		.id = htons(atomic_fetch_add(&next_id, 1)),
		.ttl = DEFAULT_TTL,
		.protocol = IP_PROTO_UDP,
		.saddr = htonl(flow->saddr),
		.daddr = htonl(flow->daddr),
	};
	ip->check = htons(ip_checksum(ip, sizeof(*ip)));
	skb->network_header = (u16)(skb->data - skb->head);
	skb->protocol = ETH_P_IP;
}

int ip_send_skb(struct sk_buff *skb, const struct flow *flow)
{
	struct eth_header *eth;

	skb->dev = ip_route_output(flow->daddr);
	udp_push_header(skb, flow);
	ip_push_header(skb, flow);
	eth = (void *)skb_push(skb, sizeof(*eth));
	memset(eth, 0, sizeof(*eth));
	eth->type = htons(ETH_P_IP);
	skb->mac_header = (u16)(skb->data - skb->head);
	return dev_queue_xmit(skb);
}

/* Set the protocol of the frame and remove its Ethernet header. */
void eth_type_trans(struct sk_buff *skb)
{
	const struct eth_header *eth = (const void *)skb->data;

	skb->mac_header = (u16)(skb->data - skb->head);
	if (!skb_pull(skb, sizeof(*eth))) {
		skb->protocol = 0;
		return;
	}
	skb->protocol = ntohs(eth->type);
	skb->network_header = (u16)(skb->data - skb->head);
}

static int udp_rcv(struct sk_buff *skb, struct flow *flow)
{
	const struct udp_header *udp = (const void *)skb->data;

	if (skb->len < sizeof(*udp) || ntohs(udp->len) != skb->len ||
	    (skb->ip_summed != CHECKSUM_UNNECESSARY && ip_checksum(skb->data, skb->len))) {
		kfree_skb(skb);
		return -EBADMSG;
	}
	flow->sport = ntohs(udp->source);
	flow->dport = ntohs(udp->dest);
	skb_pull(skb, sizeof(*udp));
	return sock_queue_rcv_skb(skb, flow);
}

int ip_rcv(struct sk_buff *skb)
{
	const struct ip_header *ip = (const void *)skb->data;
	struct flow flow;

	if (skb->len < sizeof(*ip) || ip_checksum(ip, sizeof(*ip)) ||
	    ntohs(ip->tot_len) != skb->len || ip->protocol != IP_PROTO_UDP) {
		kfree_skb(skb);
		return -EBADMSG;
	}
	flow.saddr = ntohl(ip->saddr);
	flow.daddr = ntohl(ip->daddr);
	skb_pull(skb, sizeof(*ip));
	skb->transport_header = (u16)(skb->data - skb->head);
	return udp_rcv(skb, &flow);
}
