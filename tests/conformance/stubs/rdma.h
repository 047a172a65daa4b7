/* SPDX-License-Identifier: MIT */
/* InfiniBand and its like. */
#ifndef ULF_CONFORMANCE_RDMA_H
#define ULF_CONFORMANCE_RDMA_H

#include "base.h"
#include "net.h"

#include <rdma/ib_user_mad.h>
#include <rdma/ib_user_verbs.h>

struct ib_device {
	char name[64];
	int index;
};

struct rdma_restrack_entry {
	u32 id;
};

struct ib_cq {
	ktime_t timestamp;
	u8 interrupt:1;
	struct rdma_restrack_entry res;
};

struct ib_pd {
	struct rdma_restrack_entry res;
};

struct ib_mr {
	struct rdma_restrack_entry res;
};

struct ib_qp {
	u32 qp_num;
};

struct ib_qp_init_attr {
	struct ib_cq *send_cq, *recv_cq;
};

enum ib_poll_context {
	IB_POLL_SOFTIRQ,
	IB_POLL_WORKQUEUE,
	IB_POLL_UNBOUND_WORKQUEUE,
	IB_POLL_DIRECT,
};

enum ib_mr_type {
	IB_MR_TYPE_MEM_REG,
	IB_MR_TYPE_SG_GAPS,
	IB_MR_TYPE_DM,
	IB_MR_TYPE_USER,
	IB_MR_TYPE_DMA,
	IB_MR_TYPE_INTEGRITY,
};

enum ib_wc_status {
	IB_WC_SUCCESS,
	IB_WC_LOC_LEN_ERR,
	IB_WC_LOC_QP_OP_ERR,
	IB_WC_LOC_EEC_OP_ERR,
	IB_WC_LOC_PROT_ERR,
	IB_WC_WR_FLUSH_ERR,
	IB_WC_MW_BIND_ERR,
	IB_WC_BAD_RESP_ERR,
	IB_WC_LOC_ACCESS_ERR,
	IB_WC_REM_INV_REQ_ERR,
	IB_WC_REM_ACCESS_ERR,
	IB_WC_REM_OP_ERR,
	IB_WC_RETRY_EXC_ERR,
	IB_WC_RNR_RETRY_EXC_ERR,
	IB_WC_LOC_RDD_VIOL_ERR,
	IB_WC_REM_INV_RD_REQ_ERR,
	IB_WC_REM_ABORT_ERR,
	IB_WC_INV_EECN_ERR,
	IB_WC_INV_EEC_STATE_ERR,
	IB_WC_FATAL_ERR,
	IB_WC_RESP_TIMEOUT_ERR,
	IB_WC_GENERAL_ERR,
};

enum ib_event_type {
	IB_EVENT_CQ_ERR,
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_PATH_MIG,
	IB_EVENT_PATH_MIG_ERR,
	IB_EVENT_DEVICE_FATAL,
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
	IB_EVENT_LID_CHANGE,
	IB_EVENT_PKEY_CHANGE,
	IB_EVENT_SM_CHANGE,
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
	IB_EVENT_QP_LAST_WQE_REACHED,
	IB_EVENT_CLIENT_REREGISTER,
	IB_EVENT_GID_CHANGE,
	IB_EVENT_WQ_FATAL,
};

enum ib_cm_event_type {
	IB_CM_REQ_ERROR,
	IB_CM_REQ_RECEIVED,
	IB_CM_REP_ERROR,
	IB_CM_REP_RECEIVED,
	IB_CM_RTU_RECEIVED,
	IB_CM_USER_ESTABLISHED,
	IB_CM_DREQ_ERROR,
	IB_CM_DREQ_RECEIVED,
	IB_CM_DREP_RECEIVED,
	IB_CM_TIMEWAIT_EXIT,
	IB_CM_MRA_RECEIVED,
	IB_CM_REJ_RECEIVED,
	IB_CM_LAP_ERROR,
	IB_CM_LAP_RECEIVED,
	IB_CM_APR_RECEIVED,
	IB_CM_SIDR_REQ_ERROR,
	IB_CM_SIDR_REQ_RECEIVED,
	IB_CM_SIDR_REP_RECEIVED,
};

enum rdma_cm_event_type {
	RDMA_CM_EVENT_ADDR_RESOLVED,
	RDMA_CM_EVENT_ADDR_ERROR,
	RDMA_CM_EVENT_ROUTE_RESOLVED,
	RDMA_CM_EVENT_ROUTE_ERROR,
	RDMA_CM_EVENT_CONNECT_REQUEST,
	RDMA_CM_EVENT_CONNECT_RESPONSE,
	RDMA_CM_EVENT_CONNECT_ERROR,
	RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED,
	RDMA_CM_EVENT_ESTABLISHED,
	RDMA_CM_EVENT_DISCONNECTED,
	RDMA_CM_EVENT_DEVICE_REMOVAL,
	RDMA_CM_EVENT_MULTICAST_JOIN,
	RDMA_CM_EVENT_MULTICAST_ERROR,
	RDMA_CM_EVENT_ADDR_CHANGE,
	RDMA_CM_EVENT_TIMEWAIT_EXIT,
};

enum ib_wr_opcode {
	IB_WR_SEND = IB_UVERBS_WR_SEND,
	IB_WR_SEND_WITH_INV = IB_UVERBS_WR_SEND_WITH_INV,
};
#define IB_SEND_SIGNALED	(1 << 1)

struct ib_send_wr {
	int num_sge;
	enum ib_wr_opcode opcode;
	int send_flags;
	union { u32 invalidate_rkey; } ex;
};

struct ib_wc {
	enum ib_wc_status status;
	u32 vendor_err, byte_len, src_qp, slid;
	u8 sl;
};

struct ib_event {
	struct ib_device *device;
	enum ib_event_type event;
};

struct rdma_cm_id {
	struct ib_device *device;
	struct {
		struct { struct sockaddr_storage src_addr, dst_addr; } addr;
	} route;
};

/* ---- management datagrams ---- */

#define IB_SMP_MAX_PATH_HOPS	64
#define OPA_SMP_MAX_PATH_HOPS	64

struct ib_mad_hdr {
	u8 base_version, mgmt_class, class_version, method;
	__be16 status, class_specific;
	__be64 tid;
	__be16 attr_id;
	__be32 attr_mod;
};

struct ib_mad_agent {
	struct ib_device *device;
	u32 hi_tid;
	u32 port_num;
};

struct ib_mad_reg_req {
	u8 mgmt_class, mgmt_class_version;
};

struct ib_mad_port_private {
	struct ib_device *device;
	int port_num;
};

struct ib_mad_qp_info {
	struct ib_mad_port_private *port_priv;
	struct ib_qp *qp;
};

struct ib_mad_agent_private {
	struct ib_mad_agent agent;
	struct ib_mad_reg_req *reg_req;
	struct ib_mad_qp_info *qp_info;
};

struct ib_mad_send_wr_private {
	struct ib_mad_agent_private *mad_agent_priv;
	struct { void *mad; int hdr_len, data_len; } send_buf;
	__be64 tid;
	unsigned long timeout;
	int max_retries, retries_left, retry;
};

/* ib_mad.h declares this function, static; the .c file that includes ib_mad.h defines it. */
struct trace_event_raw_ib_mad_send_template;
static inline void
create_mad_addr_info(struct ib_mad_send_wr_private *wr,
		     struct ib_mad_qp_info *qp_info,
		     struct trace_event_raw_ib_mad_send_template *entry)
{
	(void)wr, (void)qp_info, (void)entry;
}

struct ib_smp {
	u8 hop_ptr, hop_cnt;
	__be64 mkey;
	__be16 dr_slid, dr_dlid;
	u8 initial_path[IB_SMP_MAX_PATH_HOPS];
	u8 return_path[IB_SMP_MAX_PATH_HOPS];
};

struct opa_smp {
	u8 hop_ptr, hop_cnt;
	__be64 mkey;
	union {
		struct {
			__be32 dr_slid, dr_dlid;
			u8 initial_path[OPA_SMP_MAX_PATH_HOPS];
			u8 return_path[OPA_SMP_MAX_PATH_HOPS];
		} dr;
	} route;
};

struct ib_umad_port {
	struct ib_device *ib_dev;
	u32 port_num;
};

struct ib_umad_file {
	struct ib_umad_port *port;
};

#endif
