/* SPDX-License-Identifier: MIT */
/* Remote procedure calls: sunrpc, its security and its RDMA transport. */
#ifndef ULF_CONFORMANCE_SUNRPC_H
#define ULF_CONFORMANCE_SUNRPC_H

#include "fs.h"
#include "net.h"
#include "rdma.h"

struct cache_head;
struct rpc_wait_queue;

#define AF_UNSPEC		0
#define AF_UNIX			1
#define AF_LOCAL		1
#define INET6_ADDRSTRLEN	48

enum sock_type {
	SOCK_STREAM = 1,
	SOCK_DGRAM,
	SOCK_RAW,
	SOCK_RDM,
	SOCK_SEQPACKET,
	SOCK_DCCP,
	SOCK_PACKET = 10,
};

struct kvec {
	void *iov_base;
	size_t iov_len;
};

struct xdr_buf {
	struct kvec head[1], tail[1];
	unsigned int page_base, page_len, len;
};

struct xdr_stream {
	__be32 *p, *end;
	struct xdr_buf *buf;
	struct rpc_rqst *rqst;
};

/* ---- clients ---- */

struct rpc_program {
	const char *name;
};

struct rpc_procinfo {
	const char *p_name;
};

struct rpc_clnt {
	unsigned int cl_clid;
	u32 cl_prog, cl_vers;
	const struct rpc_program *cl_program;
};

enum rpc_display_format_t {
	RPC_DISPLAY_ADDR,
	RPC_DISPLAY_PORT,
	RPC_DISPLAY_PROTO,
	RPC_DISPLAY_HEX_ADDR,
	RPC_DISPLAY_HEX_PORT,
	RPC_DISPLAY_NETID,
	RPC_DISPLAY_MAX,
};

struct rpc_xprt {
	int prot;
	unsigned long state, cong, cwnd;
	const char *servername;
	const char *address_strings[RPC_DISPLAY_MAX];
	struct rpc_task *snd_task;
};

struct rpc_task {
	unsigned short tk_pid;
	int tk_status;
	unsigned short tk_flags;
	unsigned long tk_runstate, tk_timeout;
	struct rpc_clnt *tk_client;
	struct rpc_xprt *tk_xprt;
	struct rpc_rqst *tk_rqstp;
	struct { const struct rpc_procinfo *rpc_proc; } tk_msg;
	void (*tk_action)(struct rpc_task *task);
};

struct rpc_rqst {
	struct rpc_task *rq_task;
	__be32 rq_xid;
	u32 rq_seqno;
	int rq_ntrans;
	size_t rq_callsize, rq_rcvsize;
	struct xdr_buf rq_snd_buf, rq_rcv_buf;
#define rq_slen rq_snd_buf.len
};

struct sock_xprt {
	struct rpc_xprt xprt;
	struct { u32 offset; } xmit;
	struct {
		__be32 xid;
		u32 offset, len;
		unsigned long copied;
	} recv;
};

#define XPRT_LOCKED			(0)
#define XPRT_CONNECTED			(1)
#define XPRT_CONNECTING			(2)
#define XPRT_CLOSE_WAIT			(3)
#define XPRT_BOUND			(4)
#define XPRT_BINDING			(5)
#define XPRT_CLOSING			(6)
#define XPRT_OFFLINE			(7)
#define XPRT_REMOVE			(8)
#define XPRT_CONGESTED			(9)
#define XPRT_CWND_WAIT			(10)
#define XPRT_WRITE_SPACE		(11)
#define XPRT_SND_IS_COOKIE		(12)

#define RPC_TASK_ASYNC			0x0001
#define RPC_TASK_SWAPPER		0x0002
#define RPC_TASK_MOVEABLE		0x0004
#define RPC_TASK_NULLCREDS		0x0010
#define RPC_CALL_MAJORSEEN		0x0020
#define RPC_TASK_DYNAMIC		0x0080
#define RPC_TASK_NO_ROUND_ROBIN		0x0100
#define RPC_TASK_SOFT			0x0200
#define RPC_TASK_SOFTCONN		0x0400
#define RPC_TASK_SENT			0x0800
#define RPC_TASK_TIMEOUT		0x1000
#define RPC_TASK_NOCONNECT		0x2000
#define RPC_TASK_NO_RETRANS_TIMEOUT	0x4000
#define RPC_TASK_CRED_NOREF		0x8000

/* the bits of tk_runstate */
enum {
	RPC_TASK_RUNNING,
	RPC_TASK_QUEUED,
	RPC_TASK_ACTIVE,
	RPC_TASK_NEED_XMIT,
	RPC_TASK_NEED_RECV,
	RPC_TASK_MSG_PIN_WAIT,
};

#define RPC_IS_ASYNC(task)		((task)->tk_flags & RPC_TASK_ASYNC)
#define RPC_LAST_STREAM_FRAGMENT	(1U << 31)
#define RPC_FRAGMENT_SIZE_MASK		(~RPC_LAST_STREAM_FRAGMENT)

const char *rpc_proc_name(const struct rpc_task *task);
const char *rpc_qname(const struct rpc_wait_queue *queue);
unsigned long rpc_task_timeout(const struct rpc_task *task);

enum rpc_auth_stat {
	RPC_AUTH_OK,
	RPC_AUTH_BADCRED,
	RPC_AUTH_REJECTEDCRED,
	RPC_AUTH_BADVERF,
	RPC_AUTH_REJECTEDVERF,
	RPC_AUTH_TOOWEAK,
	RPCSEC_GSS_CREDPROBLEM = 13,
	RPCSEC_GSS_CTXPROBLEM,
};

/* ---- servers ---- */

struct svc_xprt_class {
	const char *xcl_name;
};

struct svc_xprt {
	struct svc_xprt_class *xpt_class;
	unsigned long xpt_flags;
	struct sockaddr_storage xpt_local, xpt_remote;
	size_t xpt_locallen, xpt_remotelen;
	char xpt_remotebuf[INET6_ADDRSTRLEN + 10];
	struct net *xpt_net;
};

#define XPT_BUSY		0
#define XPT_CONN		1
#define XPT_CLOSE		2
#define XPT_DATA		3
#define XPT_TEMP		4
#define XPT_DEAD		6
#define XPT_CHNGBUF		7
#define XPT_DEFERRED		8
#define XPT_OLD			9
#define XPT_LISTENER		10
#define XPT_CACHE_AUTH		11
#define XPT_LOCAL		12
#define XPT_KILL_TEMP		13
#define XPT_CONG_CTRL		14

struct svc_rqst {
	struct svc_xprt *rq_xprt;
	struct task_struct *rq_task;
	__be32 rq_xid, rq_auth_stat;
	u32 rq_vers, rq_proc;
	unsigned long rq_flags;
	ktime_t rq_qtime, rq_stime;
};

struct svc_deferred_req {
	struct sockaddr_storage addr;
	size_t addrlen;
	__be32 args[];
};

struct cache_detail {
	char *name;
};

enum {
	RQ_SECURE,
	RQ_LOCAL,
	RQ_USEDEFERRAL,
	RQ_DROPME,
	RQ_SPLICE_OK,
	RQ_VICTIM,
	RQ_BUSY,
	RQ_DATA,
};

enum {
	SVC_GARBAGE = 1,
	SVC_SYSERR,
	SVC_VALID,
	SVC_NEGATIVE,
	SVC_OK,
	SVC_DROP,
	SVC_CLOSE,
	SVC_DENIED,
	SVC_PENDING,
	SVC_COMPLETE,
};

const char *svc_proc_name(const struct svc_rqst *rqst);

/* ---- security ---- */

enum rpc_gss_svc {
	RPC_GSS_SVC_NONE = 1,
	RPC_GSS_SVC_INTEGRITY,
	RPC_GSS_SVC_PRIVACY,
};

enum {
	RPC_AUTH_GSS_KRB5 = 390003,
	RPC_AUTH_GSS_KRB5I,
	RPC_AUTH_GSS_KRB5P,
};

struct gss_cred {
	const char *gc_principal;
	enum rpc_gss_svc gc_service;
};

struct rpc_gss_wire_cred {
	u32 gc_seq;
};

struct rpc_auth {
	unsigned int au_rslack, au_ralign, au_verfsize;
};

/* The upper half is the number of a routine's error, the lower half has flags. */
enum {
	GSS_S_BAD_MECH = 1 << 16,
	GSS_S_BAD_NAME = 2 << 16,
	GSS_S_BAD_NAMETYPE = 3 << 16,
	GSS_S_BAD_BINDINGS = 4 << 16,
	GSS_S_BAD_STATUS = 5 << 16,
	GSS_S_BAD_SIG = 6 << 16,
	GSS_S_NO_CRED = 7 << 16,
	GSS_S_NO_CONTEXT = 8 << 16,
	GSS_S_DEFECTIVE_TOKEN = 9 << 16,
	GSS_S_DEFECTIVE_CREDENTIAL = 10 << 16,
	GSS_S_CREDENTIALS_EXPIRED = 11 << 16,
	GSS_S_CONTEXT_EXPIRED = 12 << 16,
	GSS_S_FAILURE = 13 << 16,
	GSS_S_BAD_QOP = 14 << 16,
	GSS_S_UNAUTHORIZED = 15 << 16,
	GSS_S_UNAVAILABLE = 16 << 16,
	GSS_S_DUPLICATE_ELEMENT = 17 << 16,
	GSS_S_NAME_NOT_MN = 18 << 16,
	GSS_S_CONTINUE_NEEDED = 1 << 0,
	GSS_S_DUPLICATE_TOKEN = 1 << 1,
	GSS_S_OLD_TOKEN = 1 << 2,
	GSS_S_UNSEQ_TOKEN = 1 << 3,
	GSS_S_GAP_TOKEN = 1 << 4,
};

/* ---- over RDMA ---- */

enum dma_data_direction {
	DMA_BIDIRECTIONAL,
	DMA_TO_DEVICE,
	DMA_FROM_DEVICE,
	DMA_NONE,
};

enum rpcrdma_chunktype {
	rpcrdma_noch,
	rpcrdma_noch_pullup,
	rpcrdma_noch_mapped,
	rpcrdma_readch,
	rpcrdma_areadch,
	rpcrdma_writech,
	rpcrdma_replych,
};

enum rpcrdma_proc {
	RDMA_MSG,
	RDMA_NOMSG,
	RDMA_MSGP,
	RDMA_DONE,
	RDMA_ERROR,
};

struct rpc_rdma_cid {
	u32 ci_queue_id;
	int ci_completion_id;
};

struct rpcrdma_ep {
	struct rdma_cm_id *re_id;
	struct ib_qp_init_attr re_attr;
	unsigned int re_inline_send, re_inline_recv;
	unsigned int re_max_inline_send, re_max_inline_recv;
	int re_receive_count, re_connect_status;
};

struct rpcrdma_xprt {
	struct rpcrdma_ep *rx_ep;
};

struct rpcrdma_rep {
	struct rpcrdma_xprt *rr_rxprt;
	struct rpc_rdma_cid rr_cid;
	__be32 rr_xid, rr_vers, rr_proc;
};

struct rpcrdma_sendctx {
	struct rpc_rdma_cid sc_cid;
};

struct rpcrdma_req {
	struct rpc_rqst rl_slot;
	struct rpcrdma_sendctx *rl_sendctx;
	struct xdr_buf rl_hdrbuf;
	struct ib_send_wr rl_wr;
};

struct rpcrdma_mr {
	struct ib_mr *mr_ibmr;
	struct rpcrdma_req *mr_req;
	struct scatterlist { dma_addr_t dma_address; } *mr_sg;
	int mr_nents;
	enum dma_data_direction mr_dir;
	u32 mr_handle, mr_length;
	u64 mr_offset;
};

struct svcxprt_rdma {
	struct svc_xprt sc_xprt;
	struct rdma_cm_id *sc_cm_id;
	atomic_t sc_sq_avail;
	unsigned int sc_sq_depth;
};

struct svc_rdma_recv_ctxt {
	struct rpc_rdma_cid rc_cid;
};

struct svc_rdma_send_ctxt {
	struct rpc_rdma_cid sc_cid;
	struct ib_send_wr sc_send_wr;
	struct xdr_buf sc_hdrbuf;
};

struct svc_rdma_segment {
	u32 rs_handle, rs_length;
	u64 rs_offset;
};

struct svc_rdma_chunk {
	u32 ch_position, ch_segcount;
	struct svc_rdma_segment ch_segments[];
};

const char *rpcrdma_addrstr(const struct rpcrdma_xprt *xprt);
const char *rpcrdma_portstr(const struct rpcrdma_xprt *xprt);

#endif
