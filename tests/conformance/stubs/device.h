/* SPDX-License-Identifier: MIT */
/* Devices, buses, power, virtual machines, io_uring. */
#ifndef ULF_CONFORMANCE_DEVICE_H
#define ULF_CONFORMANCE_DEVICE_H

#include "base.h"
#include "mm.h"
#include "net.h"
#include "sched.h"

#include <linux/i2c.h>
#include <linux/io_uring.h>
#include <linux/kvm.h>
#include <linux/spi/spi.h>

struct clk;
struct damon_target;
struct desc_struct;
struct pwm_device;
struct scatterlist;

struct va_format {
	const char *fmt;
	va_list *va;
};

struct bus_type {
	const char *name;
};

struct device_driver {
	const char *name;
};

struct dev_pm_info {
	atomic_t usage_count, child_count;
	unsigned int disable_depth:3;
	unsigned int request_pending:1;
	unsigned int irq_safe:1;
	unsigned int runtime_auto:1;
};

struct device {
	struct device *parent;
	struct bus_type *bus;
	struct device_driver *driver;
	struct dev_pm_info power;
	u64 *dma_mask;
};

const char *dev_name(const struct device *dev);
const char *dev_driver_string(const struct device *dev);
bool is_swiotlb_force_bounce(struct device *dev);

/* ---- power ---- */

#define PM_EVENT_FREEZE		0x0001
#define PM_EVENT_SUSPEND	0x0002
#define PM_EVENT_HIBERNATE	0x0004
#define PM_EVENT_QUIESCE	0x0008
#define PM_EVENT_RESUME		0x0010
#define PM_EVENT_THAW		0x0020
#define PM_EVENT_RESTORE	0x0040
#define PM_EVENT_RECOVER	0x0080

enum pm_qos_req_action {
	PM_QOS_ADD_REQ,
	PM_QOS_UPDATE_REQ,
	PM_QOS_REMOVE_REQ,
};

enum dev_pm_qos_req_type {
	DEV_PM_QOS_RESUME_LATENCY = 1,
	DEV_PM_QOS_LATENCY_TOLERANCE,
	DEV_PM_QOS_MIN_FREQUENCY,
	DEV_PM_QOS_MAX_FREQUENCY,
	DEV_PM_QOS_FLAGS,
};

struct cpufreq_policy {
	unsigned int cpu, min, max;
};

struct devfreq_dev_status {
	unsigned long total_time, busy_time;
};

struct devfreq_dev_profile {
	unsigned int polling_ms;
};

struct devfreq {
	struct device dev;
	struct devfreq_dev_profile *profile;
	struct devfreq_dev_status last_status;
	unsigned long previous_freq;
};

enum thermal_trip_type {
	THERMAL_TRIP_ACTIVE,
	THERMAL_TRIP_PASSIVE,
	THERMAL_TRIP_HOT,
	THERMAL_TRIP_CRITICAL,
};

struct thermal_zone_device {
	int id;
	char type[20];
	int temperature, last_temperature;
};

struct thermal_cooling_device {
	char *type;
};

/* ---- buses ---- */

struct i2c_adapter {
	int nr;
};

struct i2c_client {
	unsigned short addr;
	struct i2c_adapter *adapter;
};

enum i2c_slave_event {
	I2C_SLAVE_READ_REQUESTED,
	I2C_SLAVE_WRITE_REQUESTED,
	I2C_SLAVE_READ_PROCESSED,
	I2C_SLAVE_WRITE_RECEIVED,
	I2C_SLAVE_STOP,
};

struct spi_controller {
	s16 bus_num;
	void *dummy_rx, *dummy_tx;
};

struct spi_device {
	struct spi_controller *controller;
	u32 max_speed_hz;
	u8 chip_select;
	u8 bits_per_word;
	u32 mode;
};

struct spi_message {
	struct spi_device *spi;
	unsigned int frame_length, actual_length;
};

struct spi_transfer {
	const void *tx_buf;
	void *rx_buf;
	unsigned int len;
};

bool spi_valid_txbuf(struct spi_message *msg, struct spi_transfer *xfer);
bool spi_valid_rxbuf(struct spi_message *msg, struct spi_transfer *xfer);

struct fsi_master {
	int idx, n_links;
};

struct fsi_slave {
	struct fsi_master *master;
	int cdev_idx, chip_id;
	u32 cfam_id;
	int link;
	u32 size;
};

struct fsi_device {
	struct fsi_slave *slave;
	u8 engine_type, version, unit;
	u32 addr, size;
};

struct fsi_master_acf {
	struct fsi_master master;
};

struct fsi_master_gpio {
	struct fsi_master master;
};

struct fsi_msg {
	u64 msg;
	u8 bits;
};

struct siox_device {
	size_t inbytes, outbytes;
};

struct siox_master {
	int busno;
	u8 *buf;
};

#define MII_BUS_ID_SIZE 61
struct mii_bus {
	char id[MII_BUS_ID_SIZE];
};

struct mmc_command {
	u32 opcode, arg, resp[4];
	unsigned int flags, retries;
	int error;
};

struct mmc_data {
	unsigned int blksz, blocks, blk_addr, flags, bytes_xfered;
	int error;
};

struct mmc_request {
	struct mmc_command *sbc, *cmd, *stop;
	struct mmc_data *data;
	int tag;
};

struct mmc_host {
	unsigned int doing_retune, retune_now, retune_period;
	int need_retune, hold_retune;
	bool can_retune;
};

const char *mmc_hostname(struct mmc_host *host);

/* ---- clocks, pulses, DMA ---- */

struct clk_core {
	const char *name;
};

struct clk_duty {
	unsigned int num, den;
};

enum pwm_polarity { PWM_POLARITY_NORMAL, PWM_POLARITY_INVERSED };
struct pwm_state {
	u64 period, duty_cycle;
	enum pwm_polarity polarity;
	bool enabled;
};

struct watchdog_device {
	int id;
};

struct dma_fence;
struct dma_fence_ops {
	const char *(*get_driver_name)(struct dma_fence *fence);
	const char *(*get_timeline_name)(struct dma_fence *fence);
};

struct dma_fence {
	const struct dma_fence_ops *ops;
	u64 context, seqno;
};

typedef s32 dma_cookie_t;
struct dma_chan_dev {
	struct device device;
};

struct dma_chan {
	struct dma_chan_dev *dev;
};

struct dma_tx_state {
	u32 residue;
};

/* ---- virtual machines ---- */

struct kvm_dirty_ring {
	u32 dirty_index, reset_index;
	int index;
};

struct kvm_vcpu {
	int vcpu_id;
};

typedef unsigned long xen_ulong_t;
typedef void (*xen_mc_callback_fn_t)(void *data);
typedef struct { u64 low, high; } gate_desc;

struct multicall_entry {
	xen_ulong_t op, args[6];
};

struct desc_ptr {
	unsigned long address;
};

enum paravirt_lazy_mode {
	PARAVIRT_LAZY_NONE,
	PARAVIRT_LAZY_MMU,
	PARAVIRT_LAZY_CPU,
};

enum xen_mc_flush_reason {
	XEN_MC_FL_NONE,
	XEN_MC_FL_BATCH,
	XEN_MC_FL_ARGS,
	XEN_MC_FL_CALLBACK,
};

enum xen_mc_extend_args {
	XEN_MC_XE_OK,
	XEN_MC_XE_BAD_OP,
	XEN_MC_XE_NO_SPACE,
};

pudval_t native_pud_val(pud_t pud);
p4dval_t p4d_val(p4d_t p4d);
#define STUB_PAGE_TABLE(name)						\
	name##val_t name##_val(name##_t entry);				\
	name##_t native_make_##name(name##val_t value)
STUB_PAGE_TABLE(pte);
STUB_PAGE_TABLE(pmd);
STUB_PAGE_TABLE(pud);
STUB_PAGE_TABLE(pgd);
const char *xen_hypercall_name(unsigned int op);

/* ---- the rest ---- */

struct io_ring_ctx {
	unsigned int flags;
};

struct io_wq_work {
	unsigned int flags;
};

struct io_kiocb {
	struct io_ring_ctx *ctx;
	u8 opcode;
	struct { u64 user_data; } cqe;
	unsigned int flags;
	struct io_wq_work work;
};

const char *io_uring_get_opcode(u8 opcode);

struct selinux_audit_data {
	u32 requested, denied, audited;
	int result;
};

struct devlink_trap_metadata {
	const char *trap_name, *trap_group_name;
	struct net_device *input_dev;
};

struct device *devlink_to_dev(const struct devlink *devlink);

#endif
