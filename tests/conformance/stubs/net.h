/* SPDX-License-Identifier: MIT */
/* Networking: devices, packets, sockets, routes. */
#ifndef ULF_CONFORMANCE_NET_H
#define ULF_CONFORMANCE_NET_H

#include "base.h"
#include "mm.h"
#include "sched.h"

#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/neighbour.h>
#include <linux/pkt_sched.h>
#include <linux/tcp.h>
#include <linux/udp.h>

struct devlink;
struct request_sock;

#define AF_INET		2
#define AF_INET6	10
#define IFNAMSIZ	16
#define MAX_ADDR_LEN	32
#define ETH_ALEN	6
#define sockaddr_storage __kernel_sockaddr_storage

struct sockaddr {
	unsigned short sa_family;
	char sa_data[14];
};

extern const struct in6_addr in6addr_any;
void ipv6_addr_set_v4mapped(const __be32 addr, struct in6_addr *mapped);

/* ---- devices and packets ---- */

struct net_device {
	char name[IFNAMSIZ];
	int ifindex;
	unsigned char addr_len;
};

struct napi_struct {
	struct net_device *dev;
};

struct netdev_queue {
	struct net_device *dev;
	unsigned long state;
};

struct sk_buff {
	struct net_device *dev;
	unsigned char *head, *data;
	unsigned int len, data_len;
	unsigned int truesize;
	unsigned int napi_id;
	u32 hash;
	u32 mark;
	u16 queue_mapping;
	u16 vlan_tci;
	__be16 vlan_proto;
	__be16 protocol;
	u8 ip_summed:2;
	u8 l4_hash:1;
	u8 vlan_present:1;
};

struct skb_shared_info {
	u8 nr_frags;
	u8 tx_flags;
	unsigned short gso_size, gso_segs;
	unsigned int gso_type;
};

#define skb_vlan_tag_present(skb)	((skb)->vlan_present)
#define skb_vlan_tag_get(skb)		((skb)->vlan_tci)
struct skb_shared_info *skb_shinfo(const struct sk_buff *skb);
struct ipv6hdr *ipv6_hdr(const struct sk_buff *skb);
struct iphdr *ip_hdr(const struct sk_buff *skb);
struct udphdr *udp_hdr(const struct sk_buff *skb);
unsigned char *skb_tail_pointer(const struct sk_buff *skb);
void *skb_header_pointer(const struct sk_buff *skb, int offset, int len,
			 void *buffer);
unsigned char *skb_mac_header(const struct sk_buff *skb);
int skb_mac_header_was_set(const struct sk_buff *skb);
int skb_network_offset(const struct sk_buff *skb);
int skb_transport_offset(const struct sk_buff *skb);
bool skb_transport_header_was_set(const struct sk_buff *skb);
const char *netdev_drivername(const struct net_device *dev);

#define DEFINE_DROP_REASON(FN, FNe)					\
	FN(NOT_SPECIFIED) FN(NO_SOCKET) FN(PKT_TOO_SMALL) FN(TCP_CSUM)	\
	FN(SOCKET_FILTER) FN(UDP_CSUM) FN(NETFILTER_DROP) FN(OTHERHOST)	\
	FN(IP_CSUM) FN(IP_INHDR) FN(IP_RPFILTER)			\
	FN(UNICAST_IN_L2_MULTICAST) FN(XFRM_POLICY) FN(IP_NOPROTO)	\
	FN(SOCKET_RCVBUFF) FN(PROTO_MEM) FN(TCP_MD5NOTFOUND)		\
	FN(TCP_MD5UNEXPECTED) FN(TCP_MD5FAILURE) FN(SOCKET_BACKLOG)	\
	FN(TCP_FLAGS) FN(TCP_ZEROWINDOW) FN(TCP_OLD_DATA)		\
	FN(TCP_OVERWINDOW) FN(TCP_OFOMERGE) FN(TCP_RFC7323_PAWS)	\
	FN(TCP_INVALID_SEQUENCE) FN(TCP_RESET) FN(TCP_INVALID_SYN)	\
	FN(TCP_CLOSE) FN(TCP_FASTOPEN) FN(TCP_OLD_ACK)			\
	FN(TCP_TOO_OLD_ACK) FN(TCP_ACK_UNSENT_DATA)			\
	FN(TCP_OFO_QUEUE_PRUNE) FN(TCP_OFO_DROP) FN(IP_OUTNOROUTES)	\
	FN(BPF_CGROUP_EGRESS) FN(IPV6DISABLED) FN(NEIGH_CREATEFAIL)	\
	FN(NEIGH_FAILED) FN(NEIGH_QUEUEFULL) FN(NEIGH_DEAD)		\
	FN(TC_EGRESS) FN(QDISC_DROP) FN(CPU_BACKLOG) FN(XDP)		\
	FN(TC_INGRESS) FN(UNHANDLED_PROTO) FN(SKB_CSUM) FN(SKB_GSO_SEG)	\
	FN(SKB_UCOPY_FAULT) FN(DEV_HDR) FN(DEV_READY) FN(FULL_RING)	\
	FN(NOMEM) FN(HDR_TRUNC) FN(TAP_FILTER) FN(TAP_TXFILTER)		\
	FN(ICMP_CSUM) FN(INVALID_PROTO) FN(IP_INADDRERRORS)		\
	FN(IP_INNOROUTES) FN(PKT_TOO_BIG) FNe(MAX)

#define STUB_REASON(name) SKB_DROP_REASON_##name,
enum skb_drop_reason {
	SKB_NOT_DROPPED_YET,
	DEFINE_DROP_REASON(STUB_REASON, STUB_REASON)
};

/* ---- sockets ---- */

struct proto {
	char name[32];
	long *sysctl_mem;
};

struct sock {
	unsigned short sk_family;
	unsigned char sk_state;
	u16 sk_protocol;
	int sk_err;
	int sk_rcvbuf;
	int sk_wmem_queued;
	unsigned long sk_pacing_rate;
	atomic_t sk_rmem_alloc;
	refcount_t sk_wmem_alloc;
	struct in6_addr sk_v6_daddr, sk_v6_rcv_saddr;
};

typedef enum {
	SS_FREE,
	SS_UNCONNECTED,
	SS_CONNECTING,
	SS_CONNECTED,
	SS_DISCONNECTING,
} socket_state;

struct socket {
	socket_state state;
	short type;
	struct sock *sk;
};

struct inet_sock {
	__be32 inet_saddr, inet_daddr;
	__be16 inet_sport, inet_dport;
	u16 inet_num;
};

struct ipv6_pinfo {
	struct in6_addr saddr;
};

struct inet_request_sock {
	u16 ir_num;
	__be16 ir_rmt_port;
	__be32 ir_loc_addr, ir_rmt_addr;
	struct in6_addr ir_v6_loc_addr, ir_v6_rmt_addr;
};

struct tcp_sock {
	u32 snd_nxt, snd_una, snd_wnd, rcv_wnd;
	u32 srtt_us;
};

enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
	TCP_NEW_SYN_RECV,
};
#define SK_MEM_SEND	0
#define SK_MEM_RECV	1

struct inet_sock *inet_sk(const struct sock *sk);
struct ipv6_pinfo *inet6_sk(const struct sock *sk);
struct inet_request_sock *inet_rsk(const struct request_sock *sk);
struct tcp_sock *tcp_sk(const struct sock *sk);
u64 sock_gen_cookie(struct sock *sk);
int sk_get_rmem0(const struct sock *sk, const struct proto *proto);
int sk_get_wmem0(const struct sock *sk, const struct proto *proto);
bool sk_fullsock(const struct sock *sk);
bool sk_stream_memory_free(const struct sock *sk);
struct inode *SOCK_INODE(struct socket *socket);
unsigned int __tcp_hdrlen(const struct tcphdr *th);
u32 tcp_snd_cwnd(const struct tcp_sock *tp);
u32 tcp_current_ssthresh(const struct sock *sk);

struct mptcp_subflow_context {
	u32 backup:1;
	u32 request_bkup:1;
	struct sock *tcp_sock;
};

struct mptcp_ext {
	u64 data_ack, data_seq;
	u32 data_ack32, subflow_seq;
	u16 data_len;
	__sum16 csum;
	u8 use_map, dsn64, data_fin, use_ack, ack64, mpc_map, frozen;
	u8 reset_transient, reset_reason, csum_reqd, infinite_map;
};

bool mptcp_subflow_active(struct mptcp_subflow_context *subflow);
struct sock *mptcp_subflow_tcp_sock(const struct mptcp_subflow_context *flow);

/* ---- neighbours and routes ---- */

struct neigh_table {
	int family;
	atomic_t gc_entries;
};

struct neighbour {
	struct neigh_table *tbl;
	struct net_device *dev;
	unsigned long confirmed, updated, used;
	refcount_t refcnt;
	u32 flags;
	u8 nud_state, type, dead;
	unsigned char ha[MAX_ADDR_LEN];
	u8 primary_key[16];
};

struct flowi4 {
	int flowi4_oif, flowi4_iif;
	u8 flowi4_tos, flowi4_scope, flowi4_proto, flowi4_flags;
	__be32 saddr, daddr;
	__be16 fl4_sport, fl4_dport;
};

struct flowi6 {
	int flowi6_oif, flowi6_iif;
	u8 flowi6_scope, flowi6_proto, flowi6_flags;
	__be32 flowlabel;
	struct in6_addr saddr, daddr;
	__be16 fl6_sport, fl6_dport;
};

struct fib_nh_common {
	struct net_device *nhc_dev;
	u8 nhc_gw_family;
	union {
		__be32 ipv4;
		struct in6_addr ipv6;
	} nhc_gw;
};

struct fib6_table {
	u32 tb6_id;
};

struct fib6_nh {
	struct net_device *fib_nh_dev;
	struct in6_addr fib_nh_gw6;
};

struct fib6_result {
	struct fib6_nh *nh;
	struct fib6_info *f6i;
	u8 fib6_type;
};

struct net {
	struct { struct fib6_info *fib6_null_entry; } ipv6;
	struct { unsigned int inum; } ns;
};

int ip6_rt_type_to_error(u8 type);
u8 ip6_tclass(__be32 flowinfo);

/* ---- bridges, queues ---- */

struct net_bridge {
	struct net_device *dev;
};

struct net_bridge_port {
	struct net_device *dev;
	struct net_bridge *br;
};

struct net_bridge_fdb_entry {
	struct net_bridge_port *dst;
	struct {
		struct { unsigned char addr[6]; } addr;
		u16 vlan_id;
	} key;
	unsigned long flags;
};

struct Qdisc_ops {
	char id[IFNAMSIZ];
};

struct Qdisc {
	u32 handle, parent;
	const struct Qdisc_ops *ops;
};

struct net_device *qdisc_dev(const struct Qdisc *qdisc);

/* ---- XDP, BPF ---- */

struct bpf_prog_aux {
	u32 id;
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

enum xdp_mem_type {
	MEM_TYPE_PAGE_SHARED,
	MEM_TYPE_PAGE_ORDER0,
	MEM_TYPE_PAGE_POOL,
	MEM_TYPE_XSK_BUFF_POOL,
};

struct xdp_mem_info {
	u32 type;
	u32 id;
};

struct xdp_mem_allocator {
	struct xdp_mem_info mem;
	void *allocator;
};

struct xdp_rxq_info {
	struct net_device *dev;
};

struct xdp_cpumap_stats {
	unsigned int redirect, pass, drop;
};

/* ---- SCTP, MCTP, vsock ---- */

union sctp_addr {
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr sa;
};

struct sctp_transport {
	union sctp_addr ipaddr;
	int state;
	u32 cwnd, ssthresh, flight_size, partial_bytes_acked, pathmtu;
};

struct sctp_association {
	struct {
		u32 rwnd;
		u16 port;
		struct sctp_transport *primary_path;
	} peer;
	u32 pathmtu;
	u16 unack_data;
};

struct sctp_chunk {
	struct sk_buff *skb;
};

struct sctp_endpoint {
	struct { struct { u16 port; } bind_addr; } base;
};

struct mctp_sk_key {
	u8 peer_addr, local_addr, tag;
};

enum virtio_vsock_type {
	VIRTIO_VSOCK_TYPE_STREAM = 1,
	VIRTIO_VSOCK_TYPE_SEQPACKET,
};

enum virtio_vsock_op {
	VIRTIO_VSOCK_OP_INVALID,
	VIRTIO_VSOCK_OP_REQUEST,
	VIRTIO_VSOCK_OP_RESPONSE,
	VIRTIO_VSOCK_OP_RST,
	VIRTIO_VSOCK_OP_SHUTDOWN,
	VIRTIO_VSOCK_OP_RW,
	VIRTIO_VSOCK_OP_CREDIT_UPDATE,
	VIRTIO_VSOCK_OP_CREDIT_REQUEST,
};

#endif
