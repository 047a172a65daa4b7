/* SPDX-License-Identifier: MIT */
/* File systems over a network, and their caches: netfs, afs, rxrpc, dlm. */
#ifndef ULF_CONFORMANCE_NETFS_H
#define ULF_CONFORMANCE_NETFS_H

#include "fs.h"
#include "net.h"

#include <linux/cachefiles.h>
#include <linux/dlm.h>
#include <linux/dlmconstants.h>
#include <linux/errqueue.h>
#include <linux/rxrpc.h>

typedef struct { u8 b[16]; } uuid_t;

/* ---- netfs, fscache, cachefiles ---- */

enum netfs_io_source {
	NETFS_FILL_WITH_ZEROES,
	NETFS_DOWNLOAD_FROM_SERVER,
	NETFS_READ_FROM_CACHE,
	NETFS_INVALID_READ,
} __mode(byte);

enum netfs_io_origin {
	NETFS_READAHEAD,
	NETFS_READPAGE,
	NETFS_READ_FOR_WRITE,
} __mode(byte);

struct netfs_io_request {
	unsigned int debug_id;
	struct inode *inode;
	struct { unsigned int debug_id; } cache_resources;
	unsigned long flags;
	size_t len;
	enum netfs_io_origin origin;
};

struct netfs_io_subrequest {
	struct netfs_io_request *rreq;
	loff_t start;
	size_t len, transferred;
	unsigned long flags;
	enum netfs_io_source source;
	unsigned short debug_index;
	short error;
};

struct fscache_volume {
	refcount_t ref;
	unsigned int debug_id;
	atomic_t n_cookies;
};

struct fscache_cookie {
	refcount_t ref;
	atomic_t n_active;
	unsigned int debug_id;
	unsigned long flags;
	loff_t object_size;
	struct fscache_volume *volume;
};

struct cachefiles_object {
	int debug_id;
};

struct cachefiles_volume {
	struct fscache_volume *vcookie;
};

enum cachefiles_content {
	CACHEFILES_CONTENT_NO_DATA,
	CACHEFILES_CONTENT_SINGLE,
	CACHEFILES_CONTENT_ALL,
	CACHEFILES_CONTENT_BACKFS_MAP,
	CACHEFILES_CONTENT_DIRTY,
};

/* ---- rxrpc ---- */

typedef u32 rxrpc_seq_t;
typedef u32 rxrpc_serial_t;

#define RXRPC_SKB_TX_BUFFER		0x02

#define RXRPC_PACKET_TYPE_DATA		1
#define RXRPC_PACKET_TYPE_ACK		2
#define RXRPC_PACKET_TYPE_BUSY		3
#define RXRPC_PACKET_TYPE_ABORT		4
#define RXRPC_PACKET_TYPE_ACKALL	5
#define RXRPC_PACKET_TYPE_CHALLENGE	6
#define RXRPC_PACKET_TYPE_RESPONSE	7
#define RXRPC_PACKET_TYPE_DEBUG		8
#define RXRPC_PACKET_TYPE_VERSION	13

#define RXRPC_ACK_REQUESTED		1
#define RXRPC_ACK_DUPLICATE		2
#define RXRPC_ACK_OUT_OF_SEQUENCE	3
#define RXRPC_ACK_EXCEEDS_WINDOW	4
#define RXRPC_ACK_NOSPACE		5
#define RXRPC_ACK_PING			6
#define RXRPC_ACK_PING_RESPONSE		7
#define RXRPC_ACK_DELAY			8
#define RXRPC_ACK_IDLE			9
#define RXRPC_ACK__INVALID		10

struct rxrpc_wire_header {
	__be32 epoch, cid, callNumber, seq, serial;
	u8 type, flags, userStatus, securityIndex;
	__be16 cksum, serviceId;
};

struct rxrpc_host_header {
	u32 epoch, cid, callNumber, seq, serial;
	u8 type, flags, userStatus, securityIndex;
	u16 cksum, serviceId;
};

enum rxrpc_congest_mode {
	RXRPC_CALL_SLOW_START,
	RXRPC_CALL_CONGEST_AVOIDANCE,
	RXRPC_CALL_PACKET_LOSS,
	RXRPC_CALL_FAST_RETRANSMIT,
};

struct rxrpc_ack_summary {
	u8 ack_reason;
	u8 nr_acks, nr_nacks, nr_new_acks, nr_new_nacks, nr_rot_new_acks;
	bool new_low_nack, retrans_timeo;
	u8 flight_size;
	enum rxrpc_congest_mode mode:8;
	u8 cwnd, ssthresh, dup_acks, cumulative_acks;
};

enum rxrpc_call_completion {
	RXRPC_CALL_SUCCEEDED,
	RXRPC_CALL_REMOTELY_ABORTED,
	RXRPC_CALL_LOCALLY_ABORTED,
	RXRPC_CALL_LOCAL_ERROR,
	RXRPC_CALL_NETWORK_ERROR,
};

struct rxrpc_peer {
	unsigned int debug_id;
};

struct rxrpc_connection {
	refcount_t ref;
	int debug_id;
	rxrpc_serial_t hi_serial;
	struct { u32 epoch, cid; } proto;
};

struct rxrpc_call {
	struct rxrpc_connection *conn;
	unsigned int debug_id;
	enum rxrpc_call_completion completion;
	int error;
	u32 abort_code, cid, call_id;
	unsigned long user_call_ID;
	unsigned long ack_at, ack_lost_at, resend_at;
	unsigned long expect_rx_by, expect_req_by, expect_term_by;
	struct timer_list timer;
	rxrpc_seq_t tx_hard_ack, tx_top, rx_hard_ack, rx_top, acks_lowest_nak;
	rxrpc_serial_t rx_serial;
	u8 tx_winsize;
	u8 *rxtx_annotations;
};

struct rxrpc_skb_priv {
	struct rxrpc_host_header hdr;
};

/* ---- afs ---- */

typedef u64 afs_volid_t;
typedef u64 afs_vnodeid_t;

struct afs_fid {
	afs_volid_t vid;
	afs_vnodeid_t vnode;
	u32 vnode_hi, unique;
};

enum afs_call_state {
	AFS_CALL_CL_REQUESTING,
	AFS_CALL_CL_AWAIT_REPLY,
	AFS_CALL_CL_PROC_REPLY,
	AFS_CALL_SV_AWAIT_OP_ID,
	AFS_CALL_SV_AWAIT_REQUEST,
	AFS_CALL_SV_REPLYING,
	AFS_CALL_SV_AWAIT_ACK,
	AFS_CALL_COMPLETE,
};

enum afs_lock_state {
	AFS_VNODE_LOCK_NONE,
	AFS_VNODE_LOCK_WAITING_FOR_CB,
	AFS_VNODE_LOCK_SETTING,
	AFS_VNODE_LOCK_GRANTED,
	AFS_VNODE_LOCK_EXTENDING,
	AFS_VNODE_LOCK_NEED_UNLOCK,
	AFS_VNODE_LOCK_UNLOCKING,
	AFS_VNODE_LOCK_DELETED,
};

struct afs_call {
	struct rxrpc_call *rxcall;
	enum afs_call_state state;
	unsigned int debug_id;
	int error;
	u32 operation_ID, abort_code;
	u16 service_id;
	unsigned char unmarshall;
};

struct afs_vnode {
	struct afs_fid fid;
	enum afs_lock_state lock_state:8;
};

struct afs_volume {
	afs_volid_t vid;
	u8 name_len;
	char name[65];
};

struct afs_cell {
	u8 name_len;
	char *name;
};

size_t afs_folio_dirty_from(struct folio *folio, unsigned long priv);
size_t afs_folio_dirty_to(struct folio *folio, unsigned long priv);
bool afs_is_folio_dirty_mmapped(unsigned long priv);

/* ---- dlm ---- */

struct dlm_header {
	__le32 h_version;
	union { __le32 h_lockspace; } u;
	__le32 h_nodeid;
	__le16 h_length;
	u8 h_cmd, h_pad;
};

struct dlm_message {
	struct dlm_header m_header;
	__le32 m_type, m_nodeid, m_pid, m_lkid, m_remid;
	__le32 m_parent_lkid, m_parent_remid;
	__le32 m_exflags, m_sbflags, m_flags, m_lvbseq, m_hash, m_status;
	__le32 m_grmode, m_rqmode, m_bastmode, m_asts, m_result;
	char m_extra[];
};

struct dlm_rcom {
	struct dlm_header rc_header;
	__le32 rc_type, rc_result;
	__le64 rc_id, rc_seq, rc_seq_reply;
	char rc_buf[];
};

struct dlm_ls {
	u32 ls_global_id;
};

struct dlm_rsb {
	int res_length;
	char res_name[65];
};

struct dlm_lkb {
	struct dlm_rsb *lkb_resource;
	u32 lkb_id;
	struct dlm_lksb *lkb_lksb;
};

#define DLM_VERSION_3_1		0x00030001
#define DLM_VERSION_3_2		0x00030002

/* types of packets, of messages (requests and answers), and of a recovery */
#define DLM_MSG			1
#define DLM_RCOM		2
#define DLM_OPTS		3
#define DLM_ACK			4
#define DLM_FIN			5

#define DLM_MSG_REQUEST		1
#define DLM_MSG_CONVERT		2
#define DLM_MSG_UNLOCK		3
#define DLM_MSG_CANCEL		4
#define DLM_MSG_REQUEST_REPLY	5
#define DLM_MSG_CONVERT_REPLY	6
#define DLM_MSG_UNLOCK_REPLY	7
#define DLM_MSG_CANCEL_REPLY	8
#define DLM_MSG_GRANT		9
#define DLM_MSG_BAST		10
#define DLM_MSG_LOOKUP		11
#define DLM_MSG_REMOVE		12
#define DLM_MSG_LOOKUP_REPLY	13
#define DLM_MSG_PURGE		14

#define DLM_RCOM_STATUS		1
#define DLM_RCOM_NAMES		2
#define DLM_RCOM_LOOKUP		3
#define DLM_RCOM_LOCK		4
#define DLM_RCOM_STATUS_REPLY	5
#define DLM_RCOM_NAMES_REPLY	6
#define DLM_RCOM_LOOKUP_REPLY	7
#define DLM_RCOM_LOCK_REPLY	8

/* Flags of a lock.  Only the last two are sent to other nodes. */
#define DLM_IFL_MSTCPY		0x00010000
#define DLM_IFL_RESEND		0x00020000
#define DLM_IFL_DEAD		0x00040000
#define DLM_IFL_OVERLAP_UNLOCK	0x00080000
#define DLM_IFL_OVERLAP_CANCEL	0x00100000
#define DLM_IFL_ENDOFLIFE	0x00200000
#define DLM_IFL_DEADLOCK_CANCEL	0x01000000
#define DLM_IFL_STUB_MS		0x02000000
#define DLM_IFL_USER		0x00000001
#define DLM_IFL_ORPHAN		0x00000002

#endif
