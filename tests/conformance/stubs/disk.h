/* SPDX-License-Identifier: MIT */
/* Types of disk drivers: SCSI and its targets, ATA, UFS. */
#ifndef ULF_CONFORMANCE_DISK_H
#define ULF_CONFORMANCE_DISK_H

#include "base.h"
#include "block.h"

/* ---- SCSI ---- */

struct scsi_device {
	struct Scsi_Host *host;
	unsigned int id, channel;
	u64 lun;
};

struct Scsi_Host {
	unsigned int host_no;
};

struct scsi_cmnd {
	struct scsi_device *device;
	unsigned short cmd_len;
	unsigned char cmnd[32];
	unsigned char *sense_buffer;
	int result;
};

struct request *scsi_cmd_to_rq(struct scsi_cmnd *cmd);
unsigned int scsi_sg_count(struct scsi_cmnd *cmd);
unsigned int scsi_prot_sg_count(struct scsi_cmnd *cmd);
unsigned char scsi_get_prot_op(struct scsi_cmnd *cmd);
unsigned char scsi_command_control(const unsigned char *cdb);

struct se_node_acl {
	char initiatorname[224];
};

struct se_session {
	struct se_node_acl *se_node_acl;
};

struct se_cmd {
	struct se_session *se_sess;
	u64 orig_fe_lun, tag;
	unsigned char *t_task_cdb;
	u32 data_length;
	int sam_task_attr;
	u8 scsi_status;
	void *sense_buffer;
};

#define TCM_MAX_COMMAND_SIZE		32
#define SPC_ADD_SENSE_LEN_OFFSET	7
#define TCM_SIMPLE_TAG			0x20
#define TCM_HEAD_TAG			0x21
#define TCM_ORDERED_TAG			0x22
#define TCM_ACA_TAG			0x24

enum scsi_prot_operations {
	SCSI_PROT_NORMAL,
	SCSI_PROT_READ_INSERT,
	SCSI_PROT_WRITE_STRIP,
	SCSI_PROT_READ_STRIP,
	SCSI_PROT_WRITE_INSERT,
	SCSI_PROT_READ_PASS,
	SCSI_PROT_WRITE_PASS,
};

enum scsi_host_status {
	DID_OK,
	DID_NO_CONNECT,
	DID_BUS_BUSY,
	DID_TIME_OUT,
	DID_BAD_TARGET,
	DID_ABORT,
	DID_PARITY,
	DID_ERROR,
	DID_RESET,
	DID_BAD_INTR,
	DID_PASSTHROUGH,
	DID_SOFT_ERROR,
	DID_IMM_RETRY,
	DID_REQUEUE,
	DID_TRANSPORT_DISRUPTED,
	DID_TRANSPORT_FAILFAST,
};

enum sam_status {
	SAM_STAT_GOOD = 0x00,
	SAM_STAT_CHECK_CONDITION = 0x02,
	SAM_STAT_CONDITION_MET = 0x04,
	SAM_STAT_BUSY = 0x08,
	SAM_STAT_INTERMEDIATE = 0x10,
	SAM_STAT_INTERMEDIATE_CONDITION_MET = 0x14,
	SAM_STAT_RESERVATION_CONFLICT = 0x18,
	SAM_STAT_COMMAND_TERMINATED = 0x22,
	SAM_STAT_TASK_SET_FULL = 0x28,
	SAM_STAT_ACA_ACTIVE = 0x30,
	SAM_STAT_TASK_ABORTED = 0x40,
};

/* Commands.  SAI, MI, MO and _32 are the actions of commands that have several. */
#define TEST_UNIT_READY		0x00
#define REZERO_UNIT		0x01
#define REQUEST_SENSE		0x03
#define FORMAT_UNIT		0x04
#define READ_BLOCK_LIMITS	0x05
#define REASSIGN_BLOCKS		0x07
#define INITIALIZE_ELEMENT_STATUS	0x07
#define READ_6			0x08
#define WRITE_6			0x0a
#define SEEK_6			0x0b
#define READ_REVERSE		0x0f
#define WRITE_FILEMARKS		0x10
#define SPACE			0x11
#define INQUIRY			0x12
#define RECOVER_BUFFERED_DATA	0x14
#define MODE_SELECT		0x15
#define RESERVE			0x16
#define RELEASE			0x17
#define COPY			0x18
#define ERASE			0x19
#define MODE_SENSE		0x1a
#define START_STOP		0x1b
#define RECEIVE_DIAGNOSTIC	0x1c
#define SEND_DIAGNOSTIC		0x1d
#define ALLOW_MEDIUM_REMOVAL	0x1e
#define SET_WINDOW		0x24
#define READ_CAPACITY		0x25
#define READ_10			0x28
#define WRITE_10		0x2a
#define SEEK_10			0x2b
#define POSITION_TO_ELEMENT	0x2b
#define WRITE_VERIFY		0x2e
#define VERIFY			0x2f
#define SEARCH_HIGH		0x30
#define SEARCH_EQUAL		0x31
#define SEARCH_LOW		0x32
#define SET_LIMITS		0x33
#define PRE_FETCH		0x34
#define READ_POSITION		0x34
#define SYNCHRONIZE_CACHE	0x35
#define LOCK_UNLOCK_CACHE	0x36
#define READ_DEFECT_DATA	0x37
#define MEDIUM_SCAN		0x38
#define COMPARE			0x39
#define COPY_VERIFY		0x3a
#define WRITE_BUFFER		0x3b
#define READ_BUFFER		0x3c
#define UPDATE_BLOCK		0x3d
#define READ_LONG		0x3e
#define WRITE_LONG		0x3f
#define CHANGE_DEFINITION	0x40
#define WRITE_SAME		0x41
#define UNMAP			0x42
#define READ_TOC		0x43
#define LOG_SELECT		0x4c
#define LOG_SENSE		0x4d
#define XDWRITEREAD_10		0x53
#define MODE_SELECT_10		0x55
#define RESERVE_10		0x56
#define RELEASE_10		0x57
#define MODE_SENSE_10		0x5a
#define PERSISTENT_RESERVE_IN	0x5e
#define PERSISTENT_RESERVE_OUT	0x5f
#define VARIABLE_LENGTH_CMD	0x7f
#define REPORT_LUNS		0xa0
#define MAINTENANCE_IN		0xa3
#define MAINTENANCE_OUT		0xa4
#define MOVE_MEDIUM		0xa5
#define EXCHANGE_MEDIUM		0xa6
#define READ_12			0xa8
#define WRITE_12		0xaa
#define WRITE_VERIFY_12		0xae
#define SEARCH_HIGH_12		0xb0
#define SEARCH_EQUAL_12		0xb1
#define SEARCH_LOW_12		0xb2
#define READ_ELEMENT_STATUS	0xb8
#define SEND_VOLUME_TAG		0xb6
#define WRITE_LONG_2		0xea
#define READ_16			0x88
#define WRITE_16		0x8a
#define VERIFY_16		0x8f
#define WRITE_SAME_16		0x93
#define ZBC_OUT			0x94
#define ZBC_IN			0x95
#define SERVICE_ACTION_IN_16	0x9e
#define SAI_READ_CAPACITY_16	0x10
#define SAI_GET_LBA_STATUS	0x12
#define MI_REPORT_TARGET_PGS	0x0a
#define MO_SET_TARGET_PGS	0x0a
#define READ_32			0x09
#define WRITE_32		0x0b
#define WRITE_SAME_32		0x0d
#define ATA_16			0x85
#define ATA_12			0xa1

/* ---- ATA ---- */

struct ata_port {
	unsigned int print_id;
	unsigned int hsm_task_state;
};

struct ata_link {
	struct ata_port *ap;
	int pmp;
};

struct ata_device {
	struct ata_link *link;
	unsigned int devno;
};

struct ata_taskfile {
	unsigned long flags;
	u8 protocol, command, device;
	u8 lbal, lbam, lbah, hob_lbal, hob_lbam, hob_lbah;
	u8 feature, hob_feature, nsect, hob_nsect;
};

struct ata_queued_cmd {
	struct ata_port *ap;
	struct ata_device *dev;
	struct ata_taskfile tf, result_tf;
	unsigned long flags;
	unsigned int tag;
	unsigned int err_mask;
};

enum hsm_task_states {
	HSM_ST_IDLE,
	HSM_ST_FIRST,
	HSM_ST,
	HSM_ST_LAST,
	HSM_ST_ERR,
};

/* The kinds of devices. */
enum {
	ATA_DEV_UNKNOWN,
	ATA_DEV_ATA,
	ATA_DEV_ATA_UNSUP,
	ATA_DEV_ATAPI,
	ATA_DEV_ATAPI_UNSUP,
	ATA_DEV_PMP,
	ATA_DEV_PMP_UNSUP,
	ATA_DEV_SEMB,
	ATA_DEV_SEMB_UNSUP,
	ATA_DEV_ZAC,
	ATA_DEV_ZAC_UNSUP,
	ATA_DEV_NONE,
};

/* Protocols: bit 0 is PIO, 1 DMA, 2 NCQ, 3 ATAPI. */
enum {
	ATA_PROT_NODATA = 0,
	ATA_PROT_PIO = 1,
	ATA_PROT_DMA = 2,
	ATA_PROT_NCQ_NODATA = 4,
	ATA_PROT_NCQ = 6,
	ATAPI_PROT_NODATA = 8,
	ATAPI_PROT_PIO = 9,
	ATAPI_PROT_DMA = 10,
	ATA_PROT_UNKNOWN = 255,
};

enum {
	ATA_CMD_NOP = 0x00, ATA_CMD_CFA_REQ_EXT_ERR = 0x03,
	ATA_CMD_DSM = 0x06, ATA_CMD_DEV_RESET = 0x08,
	ATA_CMD_REQ_SENSE_DATA = 0x0b, ATA_CMD_RESTORE = 0x10,
	ATA_CMD_PIO_READ = 0x20, ATA_CMD_READ_LONG = 0x22,
	ATA_CMD_READ_LONG_ONCE = 0x23, ATA_CMD_PIO_READ_EXT = 0x24,
	ATA_CMD_READ_EXT = 0x25, ATA_CMD_READ_QUEUED = 0x26,
	ATA_CMD_READ_NATIVE_MAX_EXT = 0x27, ATA_CMD_READ_MULTI_EXT = 0x29,
	ATA_CMD_READ_STREAM_DMA_EXT = 0x2a, ATA_CMD_READ_STREAM_EXT = 0x2b,
	ATA_CMD_READ_LOG_EXT = 0x2f, ATA_CMD_PIO_WRITE = 0x30,
	ATA_CMD_WRITE_LONG = 0x32, ATA_CMD_WRITE_LONG_ONCE = 0x33,
	ATA_CMD_PIO_WRITE_EXT = 0x34, ATA_CMD_WRITE_EXT = 0x35,
	ATA_CMD_WRITE_QUEUED = 0x36, ATA_CMD_SET_MAX_EXT = 0x37,
	ATA_CMD_CFA_WRITE_NE = 0x38, ATA_CMD_WRITE_MULTI_EXT = 0x39,
	ATA_CMD_WRITE_STREAM_DMA_EXT = 0x3a, ATA_CMD_WRITE_STREAM_EXT = 0x3b,
	ATA_CMD_WRITE_FUA_EXT = 0x3d, ATA_CMD_WRITE_QUEUED_FUA_EXT = 0x3e,
	ATA_CMD_WRITE_LOG_EXT = 0x3f, ATA_CMD_VERIFY = 0x40,
	ATA_CMD_VERIFY_EXT = 0x42, ATA_CMD_WRITE_UNCORR_EXT = 0x45,
	ATA_CMD_READ_LOG_DMA_EXT = 0x47, ATA_CMD_ZAC_MGMT_IN = 0x4a,
	ATA_CMD_CONFIG_STREAM = 0x51, ATA_CMD_WRITE_LOG_DMA_EXT = 0x57,
	ATA_CMD_TRUSTED_NONDATA = 0x5b, ATA_CMD_TRUSTED_RCV = 0x5c,
	ATA_CMD_TRUSTED_RCV_DMA = 0x5d, ATA_CMD_TRUSTED_SND = 0x5e,
	ATA_CMD_TRUSTED_SND_DMA = 0x5f, ATA_CMD_FPDMA_READ = 0x60,
	ATA_CMD_FPDMA_WRITE = 0x61, ATA_CMD_NCQ_NON_DATA = 0x63,
	ATA_CMD_FPDMA_SEND = 0x64, ATA_CMD_FPDMA_RECV = 0x65,
	ATA_CMD_CFA_TRANS_SECT = 0x87, ATA_CMD_EDD = 0x90,
	ATA_CMD_INIT_DEV_PARAMS = 0x91, ATA_CMD_DOWNLOAD_MICRO = 0x92,
	ATA_CMD_DOWNLOAD_MICRO_DMA = 0x93, ATA_CMD_ZAC_MGMT_OUT = 0x9f,
	ATA_CMD_PACKET = 0xa0, ATA_CMD_ID_ATAPI = 0xa1,
	ATA_CMD_SERVICE = 0xa2, ATA_CMD_SMART = 0xb0,
	ATA_CMD_CONF_OVERLAY = 0xb1, ATA_CMD_SANITIZE_DEVICE = 0xb4,
	ATA_CMD_CFA_ERASE = 0xc0, ATA_CMD_READ_MULTI = 0xc4,
	ATA_CMD_WRITE_MULTI = 0xc5, ATA_CMD_SET_MULTI = 0xc6,
	ATA_CMD_READ = 0xc8, ATA_CMD_WRITE = 0xca,
	ATA_CMD_CFA_WRITE_MULT_NE = 0xcd, ATA_CMD_WRITE_MULTI_FUA_EXT = 0xce,
	ATA_CMD_CHK_MED_CRD_TYP = 0xd1, ATA_CMD_MEDIA_LOCK = 0xde,
	ATA_CMD_MEDIA_UNLOCK = 0xdf, ATA_CMD_STANDBYNOW1 = 0xe0,
	ATA_CMD_IDLEIMMEDIATE = 0xe1, ATA_CMD_STANDBY = 0xe2,
	ATA_CMD_IDLE = 0xe3, ATA_CMD_PMP_READ = 0xe4,
	ATA_CMD_CHK_POWER = 0xe5, ATA_CMD_SLEEP = 0xe6, ATA_CMD_FLUSH = 0xe7,
	ATA_CMD_PMP_WRITE = 0xe8, ATA_CMD_PMP_READ_DMA = 0xe9,
	ATA_CMD_FLUSH_EXT = 0xea, ATA_CMD_PMP_WRITE_DMA = 0xeb,
	ATA_CMD_ID_ATA = 0xec, ATA_CMD_SET_FEATURES = 0xef,
	ATA_CMD_SEC_SET_PASS = 0xf1, ATA_CMD_SEC_UNLOCK = 0xf2,
	ATA_CMD_SEC_ERASE_PREP = 0xf3, ATA_CMD_SEC_ERASE_UNIT = 0xf4,
	ATA_CMD_SEC_FREEZE_LOCK = 0xf5, ATA_CMD_SEC_DISABLE_PASS = 0xf6,
	ATA_CMD_READ_NATIVE_MAX = 0xf8, ATA_CMD_SET_MAX = 0xf9,
};

/* ---- UFS ---- */

enum { UIC_LINK_OFF_STATE, UIC_LINK_ACTIVE_STATE, UIC_LINK_HIBERN8_STATE };
enum {
	UFS_ACTIVE_PWR_MODE = 1,
	UFS_SLEEP_PWR_MODE,
	UFS_POWERDOWN_PWR_MODE,
	UFS_DEEPSLEEP_PWR_MODE,
};
enum { CLKS_OFF, CLKS_ON, REQ_CLKS_OFF, REQ_CLKS_ON };
enum ufs_trace_str_t {
	UFS_CMD_SEND,
	UFS_CMD_COMP,
	UFS_DEV_COMP,
	UFS_QUERY_SEND,
	UFS_QUERY_COMP,
	UFS_QUERY_ERR,
	UFS_TM_SEND,
	UFS_TM_COMP,
	UFS_TM_ERR,
};
enum ufs_trace_tsf_t {
	UFS_TSF_CDB,
	UFS_TSF_OSF,
	UFS_TSF_TM_INPUT,
	UFS_TSF_TM_OUTPUT,
};

#endif
